//! Errors of operations on a repository.

use mcpmark_service::error_chain;

use crate::call::{AddError, Interrupted};

/// Error of an operation on a git repository.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GitError {
    /// A file of the repository cannot be parsed.
    #[error("{file}: {problem}")]
    Damaged {
        /// Path of the file in the world, with the line number if there is one.
        file: String,
        /// Description of the problem.
        problem: String,
    },
    /// Objects are missing or invalid.
    #[error("the repository is damaged: {0}")]
    Objects(String),
    /// The size of an object exceeds the limit for reading it.
    #[error("the repository is damaged: {id} has {size} bytes, but the limit is {limit}")]
    TooLarge {
        /// Id of the object.
        id: gix::ObjectId,
        /// Size in its header, in bytes.
        size: u64,
        /// Maximum size of objects of this kind, in bytes.
        limit: u64,
    },
    /// The size of a file exceeds what the caller may read.
    #[error("file {id} has {size} bytes, and at most {limit} can be read")]
    FileTooLarge {
        /// Id of the blob.
        id: gix::ObjectId,
        /// Size in its header, in bytes.
        size: u64,
        /// Maximum size that can be read, in bytes.
        limit: u64,
    },
    /// A path that a tree must not contain.
    #[error("{0:?} is not a valid path in a repository")]
    Path(String),
    /// The request is refused, because GitHub would reject a push with such objects or because it exceeds a limit.
    /// Caused by the caller.
    #[error("{0}")]
    Refused(String),
    /// The histories merged each other so often that the limit of merging common ancestors was reached. Caused by the
    /// caller of a merge. A check of whether branches can be merged treats it as an unknown result.
    #[error(
        "the branches merged each other too often to be merged again: their common ancestors take more than {0}; \
         start a new branch at one of them and commit to it what is wanted of the other"
    )]
    Crossed(String),
    /// The byte limit of the world is reached. Caused by the caller.
    #[error("the world has reached the limit of bytes that it may hold")]
    Full,
    /// The limit of objects and files of the world or of one commit is reached. Caused by the caller.
    #[error(
        "the world has reached the limit of files and directories that it may have (`world_files`)"
    )]
    TooManyFiles,
    /// The call was cancelled, or exceeded its memory limit.
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
    /// The on-disk copy of the objects could not be made or read. Caused by the host.
    #[error("cannot create or read the copy of the repository")]
    Copy(#[source] Box<dyn std::error::Error + Send + Sync>),
}

impl From<AddError> for GitError {
    fn from(error: AddError) -> Self {
        match error {
            AddError::Full => Self::Full,
            AddError::TooManyFiles => Self::TooManyFiles,
            AddError::Interrupted(error) => Self::Interrupted(error),
        }
    }
}

impl From<gix::Error> for GitError {
    fn from(error: gix::Error) -> Self {
        let of_the_system = error
            .downcast_any_ref::<std::io::Error>()
            .is_some_and(|error| error.raw_os_error().is_some());
        if of_the_system {
            return Self::copy(error);
        }
        Self::Objects(without_place(&error_chain(&error)))
    }
}

impl GitError {
    /// Returns a conversion of `gix` errors that adds the id of the object, unless the message already contains it.
    pub(crate) fn of(id: gix::ObjectId) -> impl FnOnce(gix::Error) -> Self {
        move |error| match Self::from(error) {
            Self::Objects(problem) if !problem.contains(&id.to_string()) => {
                Self::Objects(format!("{id}: {problem}"))
            }
            error => error,
        }
    }

    /// Returns true if the host, and not the repository, caused the error.
    pub fn is_infrastructure(&self) -> bool {
        matches!(self, Self::Copy(_))
    }

    /// Returns true if the caller, and not the repository, caused the error.
    pub(crate) fn is_refusal(&self) -> bool {
        matches!(
            self,
            Self::Refused(_)
                | Self::Crossed(_)
                | Self::Full
                | Self::TooManyFiles
                | Self::FileTooLarge { .. }
        )
    }

    pub(crate) fn copy(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::Copy(error.into())
    }

    pub(crate) fn objects(error: impl std::fmt::Display) -> Self {
        Self::Objects(without_place(&error.to_string()))
    }
}

/// Replaces the path of the on-disk copy with `.git/`. The path differs each time, but error messages must be
/// reproducible.
fn without_place(text: &str) -> String {
    /// Prefix of the name of every scratch directory.
    const SCRATCH: &str = ".mcpmark-scratch-";
    /// Directory of the copy.
    const COPY: &str = "/repository/";
    let mut told = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(COPY) {
        let start = rest[..at]
            .rfind(|c: char| c == '"' || c.is_whitespace())
            .map_or(0, |before| before + 1);
        let end = at + COPY.len();
        if rest[start..at].contains(SCRATCH) {
            told.push_str(&rest[..start]);
            told.push_str(".git/");
        } else {
            told.push_str(&rest[..end])
        }
        rest = &rest[end..];
    }
    told + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_of_the_copy_is_not_shown() {
        let error = "no object, path=\"/dev/shm/.mcpmark-scratch-a1/.mcpmark-scratch-b2/repository/objects/ab/cd\": bad";
        assert_eq!(
            GitError::objects(error).to_string(),
            "the repository is damaged: no object, path=\".git/objects/ab/cd\": bad"
        );
        let other = "see /repository/docs and \"a/repository/b\"";
        assert_eq!(without_place(other), other);
    }
}
