//! Freedoms: mutations of a solved world that a task allows, so that its verifier must accept them.

use std::fmt;
use std::str::FromStr;

use crate::Error;
use crate::document::Document;

/// Name of a mutation: lower-case words joined by hyphens.
///
/// Only the syntax is checked here. The service of the task determines which mutations exist; certification checks the
/// name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MutationName(String);

impl MutationName {
    /// Returns the name as a string.
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
            reason: "expected words of the letters a to z, joined by hyphens".to_owned(),
        })
    }
}

/// Freedom: a mutation that does not affect whether the task is solved. Certification tests that the verifier accepts
/// it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AllowedMutation {
    /// Name of the allowed mutation.
    pub mutation: MutationName,
    /// Globs of the files that may be mutated; empty means all files. The pseudo-path `answer` stands for the answer.
    pub paths: Vec<String>,
    /// Words of the instruction that leave this open.
    pub reason: String,
}

/// Parses the key `freedoms`.
pub(crate) fn freedoms(document: &Document) -> Result<Vec<AllowedMutation>, Error> {
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
            Ok(AllowedMutation {
                mutation: mutation
                    .parse()
                    .map_err(|error: Error| object.wrong("mutation", error.to_string()))?,
                paths: object.strings("paths")?.unwrap_or_default(),
                reason: object.required(
                    "reason",
                    object.string("reason")?,
                    "the words of the instruction that allow the mutation",
                )?,
            })
        })
        .collect()
}
