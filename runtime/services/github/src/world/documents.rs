//! The JSON documents of a world, read with their place in every error, and written canonically.

use mcpmark_snapshot::{Blobs, Directory, Node};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::git::GitError;

/// Why a world cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WorldError {
    /// Something that every world has is not there.
    #[error("{0} is not there; a github world needs a repository in repo/.git")]
    Missing(&'static str),
    /// A document is no JSON.
    #[error("{file}:{line}:{column}: {problem}")]
    Syntax {
        /// The document.
        file: String,
        /// The line, from 1.
        line: usize,
        /// The column, from 1.
        column: usize,
        /// What is wrong.
        problem: String,
    },
    /// A value of a document is not what it should be.
    #[error("{file}: {place}: {problem}")]
    Value {
        /// The document.
        file: String,
        /// The entry, as its number or its position.
        place: String,
        /// What is wrong.
        problem: String,
    },
    /// A file cannot be read.
    #[error("cannot read {file}")]
    Read {
        /// The file.
        file: String,
        /// Why.
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
            place: place.to_string(),
            problem: problem.to_string(),
        }
    }
}

/// The documents that lie in one directory.
pub(super) struct Documents<'a> {
    pub(super) dir: &'a Directory,
    pub(super) blobs: &'a dyn Blobs,
}

impl Documents<'_> {
    /// A document as JSON; none where there is no such file.
    pub(super) fn read(&self, file: &str) -> Result<Option<Value>, WorldError> {
        let Some(node) = self.dir.get(file) else {
            return Ok(None);
        };
        let Node::File(content) = node else {
            return Err(WorldError::value(file, "the document", "is no file"));
        };
        let bytes = self
            .blobs
            .read(&content.content)
            .map_err(|source| WorldError::Read {
                file: file.to_owned(),
                source,
            })?;
        let document = serde_json::from_slice(&bytes).map_err(|error| {
            // The place is said already.
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

    /// The entries of a document that is a list; none where there is no such file.
    pub(super) fn list(&self, file: &str) -> Result<Vec<Value>, WorldError> {
        match self.read(file)? {
            None | Some(Value::Null) => Ok(Vec::new()),
            Some(Value::Array(entries)) => Ok(entries),
            Some(_) => Err(WorldError::value(file, "the document", "is no list")),
        }
    }

    /// The entries of a document, each of a type, after they were put into our words.
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

/// How an entry is named in an error: by its number, else by its position.
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

/// A document as the final state has it.
pub(super) fn write(document: &impl Serialize) -> serde_json::Result<Vec<u8>> {
    let mut bytes = serde_json::to_vec_pretty(document)?;
    bytes.push(b'\n');
    Ok(bytes)
}
