//! Declared checks: the sentences that the checks of a task rest on, and the places that each check is about.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::Error;
use crate::document::Document;

/// Form of one item of `cites`, for error messages.
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
    let citation = |item: &Value| match item {
        Value::String(text) => Ok(Citation {
            place: None,
            text: text.clone(),
        }),
        Value::Object(map) => match (map.get("in"), map.get("text")) {
            (Some(Value::String(place)), Some(Value::String(text))) if map.len() == 2 => {
                Ok(Citation {
                    place: Some(place.clone()),
                    text: text.clone(),
                })
            }
            _ => Err(wrong()),
        },
        _ => Err(wrong()),
    };
    items.iter().map(citation).collect()
}
