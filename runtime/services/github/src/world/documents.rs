//! Reader and canonical writer of the JSON documents of a world. Errors contain the place in the document.

use std::collections::HashMap;

use mcpmark_json::Unique;
use mcpmark_snapshot::{Blobs, Directory, Node};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::git::GitError;

/// Error of opening a world.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WorldError {
    /// A required part of every world is missing.
    #[error("{0} does not exist; a github world requires a repository in repo/.git")]
    Missing(&'static str),
    /// A document is not valid JSON.
    #[error("{file}:{line}:{column}: {problem}")]
    Syntax {
        /// File name of the document.
        file: String,
        /// Line, from 1.
        line: usize,
        /// Column, from 1.
        column: usize,
        /// Message of the JSON parser.
        problem: String,
    },
    /// A value in a document is invalid.
    #[error("{file}{}: {place}: {problem}", line.map(|line| format!(":{line}")).unwrap_or_default())]
    Value {
        /// File name of the document.
        file: String,
        /// Line at which the entry begins, from 1. `None` if the document is not a list or does not contain the entry.
        line: Option<usize>,
        /// Number, name or position of the entry.
        place: String,
        /// Description of the problem.
        problem: String,
    },
    /// A file cannot be read.
    #[error("cannot read {file}")]
    Read {
        /// Name of the file.
        file: String,
        /// Error of the read.
        source: std::io::Error,
    },
    /// The repository cannot be used.
    #[error(transparent)]
    Git(#[from] GitError),
}

impl WorldError {
    pub(super) fn value(file: &str, place: impl ToString, problem: impl ToString) -> Self {
        Self::Value {
            file: file.to_owned(),
            line: None,
            place: place.to_string(),
            problem: problem.to_string(),
        }
    }
}

/// JSON documents in one directory.
pub(super) struct Documents<'a> {
    pub(super) dir: &'a Directory,
    pub(super) blobs: &'a dyn Blobs,
}

impl Documents<'_> {
    /// Reads the bytes of a document. `None` if the file does not exist.
    fn bytes(&self, file: &str) -> Result<Option<Vec<u8>>, WorldError> {
        let Some(node) = self.dir.get(file) else {
            return Ok(None);
        };
        let Node::File(content) = node else {
            return Err(WorldError::value(file, "the document", "is not a file"));
        };
        let bytes = self
            .blobs
            .read(&content.content)
            .map_err(|source| WorldError::Read {
                file: file.to_owned(),
                source,
            })?;
        Ok(Some(bytes))
    }

    /// Parses a document as JSON. `None` if the file does not exist.
    pub(super) fn read(&self, file: &str) -> Result<Option<Value>, WorldError> {
        let Some(bytes) = self.bytes(file)? else {
            return Ok(None);
        };
        let Unique(document) = serde_json::from_slice(&bytes).map_err(|error| {
            // The position is in `line` and `column`.
            let problem = error.to_string();
            let problem = problem.split(" at line ").next().unwrap_or_default();
            WorldError::Syntax {
                file: file.to_owned(),
                line: error.line(),
                column: error.column(),
                problem: problem.to_owned(),
            }
        })?;
        Ok(Some(document))
    }

    /// Returns the entries of a document that is a list. Empty if the file does not exist.
    pub(super) fn list(&self, file: &str) -> Result<Vec<Value>, WorldError> {
        match self.read(file)? {
            None => Ok(Vec::new()),
            Some(Value::Array(entries)) => Ok(entries),
            Some(_) => Err(WorldError::value(file, "the document", "is not a list")),
        }
    }

    /// Parses a document that must exist and be one object.
    pub(super) fn object<T: DeserializeOwned>(&self, file: &'static str) -> Result<T, WorldError> {
        let value = self.read(file)?.ok_or(WorldError::Missing(file))?;
        typed(file, "the document", value)
    }

    /// Adds the line at which the entry begins to the error, if it can be found.
    pub(super) fn located(&self, mut error: WorldError) -> WorldError {
        if let WorldError::Value {
            file, line, place, ..
        } = &mut error
            && let Ok(Some(bytes)) = self.bytes(file)
        {
            *line = line_of(&bytes, place);
        }
        error
    }

    /// Parses the entries of a document without translation, each with the place by which errors name it.
    pub(super) fn typed_entries<T: DeserializeOwned>(
        &self,
        file: &str,
    ) -> Result<Vec<(String, T)>, WorldError> {
        let typed = |(index, value): (usize, Value)| {
            let place = place(&value, index);
            let entry = typed(file, &place, value)?;
            Ok((format!("{file}: {place}"), entry))
        };
        self.list(file)?
            .into_iter()
            .enumerate()
            .map(typed)
            .collect()
    }

    /// Parses the entries of a document after `translate` has converted each to our format.
    pub(super) fn entries<T: DeserializeOwned>(
        &self,
        file: &str,
        translate: impl Fn(&mut Value),
    ) -> Result<Vec<T>, WorldError> {
        let mut all = Vec::new();
        for (index, mut value) in self.list(file)?.into_iter().enumerate() {
            translate(&mut value);
            all.push(typed(file, &place(&value, index), value)?);
        }
        Ok(all)
    }
}

/// Name of an entry in errors: its number, or else its position.
pub(super) fn place(value: &Value, index: usize) -> String {
    match value.get("number").and_then(Value::as_u64) {
        Some(number) => format!("#{number}"),
        None => format!("[{index}]"),
    }
}

pub(super) fn typed<T: DeserializeOwned>(
    file: &str,
    place: &str,
    value: Value,
) -> Result<T, WorldError> {
    serde_json::from_value(value).map_err(|error| WorldError::value(file, place, error))
}

/// Finds the line at which an entry begins by its name in errors: `[0]`, `jobs[0]`, `#7`, or its number, login or name.
fn line_of(document: &[u8], place: &str) -> Option<usize> {
    let in_document: Vec<&RawValue>;
    let in_key: HashMap<String, &RawValue>;
    let (list, index) = match place.strip_suffix(']').and_then(|it| it.split_once('[')) {
        Some((key, index)) if !key.is_empty() => {
            in_key = serde_json::from_slice(document).ok()?;
            let list: Vec<&RawValue> = serde_json::from_str(in_key.get(key)?.get()).ok()?;
            (list, index.parse().ok()?)
        }
        bracketed => {
            in_document = serde_json::from_slice(document).ok()?;
            let index = match bracketed {
                Some((_, index)) => index.parse().ok()?,
                None => in_document.iter().rposition(|it| is_called(it, place))?,
            };
            (in_document, index)
        }
    };
    let before = list.get(index)?.get().as_ptr().addr() - document.as_ptr().addr();
    let lines = document
        .get(..before)?
        .iter()
        .filter(|byte| **byte == b'\n');
    Some(lines.count() + 1)
}

/// Returns true if `place` is the number, login or name of the entry.
fn is_called(entry: &RawValue, place: &str) -> bool {
    let Ok(Value::Object(entry)) = serde_json::from_str(entry.get()) else {
        return false;
    };
    let number = place.strip_prefix('#').unwrap_or(place).parse::<u64>();
    let numbered = number.is_ok_and(|number| entry.get("number") == Some(&number.into()));
    let named = |key| entry.get(key).and_then(Value::as_str) == Some(place);
    numbered || named("login") || named("name")
}

/// Serialises a document in the form of final states.
pub(super) fn write(document: &impl Serialize) -> serde_json::Result<Vec<u8>> {
    let mut bytes = serde_json::to_vec_pretty(document)?;
    bytes.push(b'\n');
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_found_by_how_errors_name_them() {
        let list = br#"[
  {"number": 7, "title": "x"}, {"login": "ann"},

  {"number": 7,
   "title": "again"},
  {"name": "bug"}
]"#;
        for (place, line) in [
            ("[0]", Some(2)),
            ("[1]", Some(2)),
            ("[2]", Some(4)),
            ("[4]", None),
            ("#7", Some(4)),
            ("7", Some(4)),
            ("ann", Some(2)),
            ("bug", Some(6)),
            ("#8", None),
            ("the document", None),
            ("jobs[0]", None),
        ] {
            assert_eq!(line_of(list, place), line, "{place}");
        }
        let object = b"{\"runs\": 1,\n \"jobs\": [\n  {},\n  {}]}";
        assert_eq!(line_of(object, "jobs[1]"), Some(4));
        assert_eq!(line_of(object, "runs[0]"), None);
    }
}
