//! Declarations for certification: the sentences that the checks of a task rest on, the places that each check is
//! about, what variants of the solution show, the readings that a sentence excludes, and the split of the task.

use std::collections::BTreeMap;
use std::str::FromStr;

use serde_json::Value;

use crate::Error;
use crate::document::Document;

/// Form of a citation, for error messages.
const CITATION: &str = "a sentence of the instruction, or {\"in\": \"<place in the world>\", \"text\": \"<sentence>\"}";

/// Declaration of one check of the verifier. Certification tests that it is true.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DeclaredCheck {
    /// Globs of the places that the check is about. The pseudo-path `answer` stands for the answer.
    pub about: Vec<String>,
    /// Sentences that demand what the check tests.
    pub cites: Vec<Citation>,
}

/// Sentence of the instruction or of the starting world.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Citation {
    /// Place in the starting world, in terms of the service. `None` for a sentence of the instruction.
    pub place: Option<String>,
    /// The sentence, or a part of it.
    pub text: String,
}

/// Difference between a variant of the solution and the solution.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum VariantKind {
    /// Other calls, or the same ones in another order.
    Order,
    /// Calls with other tools or other arguments.
    Route,
    /// Another result, by another legitimate reading of the instruction.
    Reading,
}

impl VariantKind {
    /// All kinds.
    pub const ALL: [Self; 3] = [Self::Order, Self::Route, Self::Reading];

    /// Returns the name, as in `meta.json`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Order => "order",
            Self::Route => "route",
            Self::Reading => "reading",
        }
    }
}

impl FromStr for VariantKind {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let found = Self::ALL.into_iter().find(|kind| kind.as_str() == text);
        found.ok_or_else(|| Error::Name {
            text: text.to_owned(),
            what: "kind of variant",
            reason: "expected order, route or reading".to_owned(),
        })
    }
}

/// Split of a data set: what a task is used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Split {
    /// Training of a model.
    Train,
    /// Choice between models or settings during training.
    Validation,
    /// Evaluation of the result; held out of training.
    Test,
}

impl Split {
    /// All splits.
    pub const ALL: [Self; 3] = [Self::Train, Self::Validation, Self::Test];

    /// Returns the name, as in `meta.json`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Train => "train",
            Self::Validation => "validation",
            Self::Test => "test",
        }
    }
}

impl FromStr for Split {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let found = Self::ALL.into_iter().find(|split| split.as_str() == text);
        found.ok_or_else(|| Error::Name {
            text: text.to_owned(),
            what: "split",
            reason: "expected train, validation or test".to_owned(),
        })
    }
}

/// Parses the key `split`.
pub(crate) fn split(document: &Document) -> Result<Option<Split>, Error> {
    let split = document.string("split")?;
    let split = split.map(|split| split.parse());
    split
        .transpose()
        .map_err(|error: Error| document.wrong("split", error.to_string()))
}

/// Parses the key `variants`: kinds by name of the variant.
pub(crate) fn variants(document: &Document) -> Result<BTreeMap<String, VariantKind>, Error> {
    let Some(object) = document.object("variants")? else {
        return Ok(BTreeMap::new());
    };
    let mut variants = BTreeMap::new();
    for name in object.map.keys() {
        let kind = object.required(name, object.string(name)?, "a string")?;
        let kind = kind
            .parse()
            .map_err(|error: Error| object.wrong(name, error.to_string()))?;
        variants.insert(name.clone(), kind);
    }
    Ok(variants)
}

/// Parses the key `excluded`: for the names of cheats, the sentence that excludes the reading that the cheat follows.
pub(crate) fn excluded(document: &Document) -> Result<BTreeMap<String, Citation>, Error> {
    let Some(object) = document.object("excluded")? else {
        return Ok(BTreeMap::new());
    };
    let citation = |(name, value): (&String, &Value)| {
        let citation =
            citation(value).ok_or_else(|| object.wrong(name, format!("expected {CITATION}")))?;
        Ok((name.clone(), citation))
    };
    object.map.iter().map(citation).collect()
}

/// Parses the key `checks`: declared checks by name.
pub(crate) fn checks(document: &Document) -> Result<BTreeMap<String, DeclaredCheck>, Error> {
    let Some(object) = document.object("checks")? else {
        return Ok(BTreeMap::new());
    };
    let mut checks = BTreeMap::new();
    for name in object.map.keys() {
        let check = object.required(name, object.object(name)?, "an object")?;
        check.refuse_unknown(&["about", "cites"])?;
        let declared = DeclaredCheck {
            about: check.strings("about")?.unwrap_or_default(),
            cites: citations(&check)?,
        };
        checks.insert(name.clone(), declared);
    }
    Ok(checks)
}

/// Parses the key `cites` of a declared check.
fn citations(check: &Document) -> Result<Vec<Citation>, Error> {
    let wrong = || check.wrong("cites", format!("expected an array, each item {CITATION}"));
    let items = match check.map.get("cites") {
        None | Some(Value::Null) => return Ok(Vec::new()),
        Some(Value::Array(items)) => items,
        Some(_) => return Err(wrong()),
    };
    items
        .iter()
        .map(|item| citation(item).ok_or_else(wrong))
        .collect()
}

/// Parses a citation. Returns `None` if the value has another form.
fn citation(value: &Value) -> Option<Citation> {
    match value {
        Value::String(text) => Some(Citation {
            place: None,
            text: text.clone(),
        }),
        Value::Object(map) => match (map.get("in"), map.get("text")) {
            (Some(Value::String(place)), Some(Value::String(text))) if map.len() == 2 => {
                Some(Citation {
                    place: Some(place.clone()),
                    text: text.clone(),
                })
            }
            _ => None,
        },
        _ => None,
    }
}
