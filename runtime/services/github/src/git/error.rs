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
        /// What is wrong with it.
        problem: String,
    },
    /// Objects are missing, or are not what they should be.
    #[error("the repository is damaged: {0}")]
    Objects(String),
    /// A path that no tree may have.
    #[error("{0:?} is no path of a repository")]
    Path(String),
    /// The copy of the objects could not be made.
    #[error("cannot make a copy of the repository")]
    Copy(#[source] Box<dyn std::error::Error + Send + Sync>),
}

impl From<gix::Error> for GitError {
    fn from(error: gix::Error) -> Self {
        let mut text = error.to_string();
        let mut source = std::error::Error::source(&error);
        while let Some(cause) = source {
            text.push_str(": ");
            text.push_str(&cause.to_string());
            source = cause.source();
        }
        Self::Objects(text)
    }
}

impl GitError {
    pub(crate) fn copy(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::Copy(error.into())
    }

    pub(crate) fn objects(error: impl std::fmt::Display) -> Self {
        Self::Objects(error.to_string())
    }
}
