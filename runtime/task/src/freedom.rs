//! What a task leaves free: mutations of a solved world that its verifier must accept.

use std::fmt;
use std::str::FromStr;

use crate::Error;
use crate::document::Document;

/// The name of a mutation: words of small letters, joined by hyphens.
///
/// Which mutations there are follows from the service of the task, and is checked by whoever mutates.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MutationName(String);

impl MutationName {
    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for MutationName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl FromStr for MutationName {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let is_word =
            |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase());
        if text.split('-').all(is_word) {
            return Ok(Self(text.to_owned()));
        }
        Err(Error::Name {
            text: text.to_owned(),
            what: "mutation",
            reason: "it has words of the letters a to z, joined by hyphens".to_owned(),
        })
    }
}

/// A mutation that changes nothing about whether the task is solved. The verifier must accept
/// it: what is called free is tested like what is called wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Freedom {
    /// What may be done.
    pub mutation: MutationName,
    /// To which files, as globs; to all where empty. The answer is called `answer`.
    pub paths: Vec<String>,
    /// Which words of the instruction leave it free.
    pub reason: String,
}

/// Reads the key `freedoms`.
pub(crate) fn freedoms(document: &Document) -> Result<Vec<Freedom>, Error> {
    document
        .objects("freedoms")?
        .into_iter()
        .map(|object| {
            object.refuse_unknown(&["mutation", "paths", "reason"])?;
            let mutation = object.required(
                "mutation",
                object.string("mutation")?,
                "the name of a mutation",
            )?;
            Ok(Freedom {
                mutation: mutation
                    .parse()
                    .map_err(|error: Error| object.wrong("mutation", error.to_string()))?,
                paths: object.strings("paths")?.unwrap_or_default(),
                reason: object.required(
                    "reason",
                    object.string("reason")?,
                    "the words of the instruction that leave it free",
                )?,
            })
        })
        .collect()
}
