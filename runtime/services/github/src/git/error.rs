//! What can go wrong in a repository.

/// Why git could not do something.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GitError {
    /// A file of the repository cannot be understood.
    #[error("{file}: {problem}")]
    Damaged {
        /// The file, as the world names it, with the line where there is one.
        file: String,
        /// The problem.
        problem: String,
    },
    /// Objects are missing, or are not what they should be.
    #[error("the repository is damaged: {0}")]
    Objects(String),
    /// An object has more bytes than are read.
    #[error(
        "the repository is damaged: {id} has {size} bytes, more than the {limit} that are read"
    )]
    TooLarge {
        /// The object.
        id: gix::ObjectId,
        /// Its bytes, by its header.
        size: u64,
        /// The most that objects of its kind may have.
        limit: u64,
    },
    /// A file has more bytes than whoever asks may read.
    #[error("file {id} has {size} bytes, and at most {limit} can be read")]
    FileTooLarge {
        /// The blob.
        id: gix::ObjectId,
        /// Its bytes, by its header.
        size: u64,
        /// The most that can be read.
        limit: u64,
    },
    /// A path that no tree may have.
    #[error("{0:?} is no path of a repository")]
    Path(String),
    /// What no push to GitHub may bring: whoever asks for it is to blame.
    #[error("{0}")]
    Refused(String),
    /// Histories that merged each other so often that their common ancestors are not merged any more: whoever asks
    /// for it is to blame, and nobody where it is only looked whether they merge.
    #[error(
        "the branches merged each other too often to be merged again: their common ancestors take more than {0}; \
         start a new branch at one of them and commit to it what is wanted of the other"
    )]
    Crossed(String),
    /// The world has no room for an object: whoever asks for it is to blame.
    #[error("the world has reached the limit of bytes that it may hold")]
    Full,
    /// The world has no room for another object or file, or a commit has too many: whoever asks for it is to blame.
    #[error(
        "the world has reached the limit of files and directories that it may have (`world_files`)"
    )]
    TooManyFiles,
    /// The call was cancelled, or needs more memory than a call may use.
    #[error(transparent)]
    Interrupted(#[from] crate::call::Interrupted),
    /// The copy of the objects could not be made or read: the host is to blame.
    #[error("cannot make or read a copy of the repository")]
    Copy(#[source] Box<dyn std::error::Error + Send + Sync>),
}

impl From<gix::Error> for GitError {
    fn from(error: gix::Error) -> Self {
        let of_the_system = error
            .downcast_any_ref::<std::io::Error>()
            .is_some_and(|error| error.raw_os_error().is_some());
        if of_the_system {
            return Self::copy(error);
        }
        let mut text = error.to_string();
        let mut source = std::error::Error::source(&error);
        while let Some(cause) = source {
            text.push_str(": ");
            text.push_str(&cause.to_string());
            source = cause.source();
        }
        Self::Objects(without_place(&text))
    }
}

impl GitError {
    /// The same error of the engine, with the object that could not be read.
    pub(crate) fn of(id: gix::ObjectId) -> impl FnOnce(gix::Error) -> Self {
        move |error| match Self::from(error) {
            Self::Objects(problem) if !problem.contains(&id.to_string()) => {
                Self::Objects(format!("{id}: {problem}"))
            }
            error => error,
        }
    }

    /// Whether the host is to blame, and not the repository.
    pub fn is_infrastructure(&self) -> bool {
        matches!(self, Self::Copy(_))
    }

    /// Whether whoever asks is to blame, and not the repository.
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

/// Takes out of an error where the copy lies, which is another place each time: what is wrong with a
/// repository is told in the same words everywhere.
fn without_place(text: &str) -> String {
    /// Begins the name of every scratch directory.
    const SCRATCH: &str = ".mcpmark-scratch-";
    /// The directory of the copy.
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
    fn where_the_copy_lies_is_not_told() {
        let error = "no object, path=\"/dev/shm/.mcpmark-scratch-a1/.mcpmark-scratch-b2/repository/objects/ab/cd\": bad";
        assert_eq!(
            GitError::objects(error).to_string(),
            "the repository is damaged: no object, path=\".git/objects/ab/cd\": bad"
        );
        let other = "see /repository/docs and \"a/repository/b\"";
        assert_eq!(without_place(other), other);
    }
}
