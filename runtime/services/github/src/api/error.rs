//! Refusals, worded as GitHub's client for Go words them.

use std::fmt;

use crate::git::GitError;

/// Why an operation did not happen.
#[derive(Debug)]
pub(crate) enum ApiError {
    /// GitHub refuses it.
    Refused(Box<Refusal>),
    /// The repository is damaged, which is nobody's doing.
    Git(GitError),
}

impl From<GitError> for ApiError {
    fn from(error: GitError) -> Self {
        Self::Git(error)
    }
}

/// An answer with a status of 400 or more.
#[derive(Debug)]
pub(crate) struct Refusal {
    pub(super) method: &'static str,
    pub(super) url: String,
    pub(crate) status: u16,
    pub(crate) message: String,
    pub(crate) errors: Vec<FieldError>,
}

impl Refusal {
    /// Whether it is the answer to a request by this method of HTTP.
    pub(crate) fn is_of(&self, method: &str) -> bool {
        self.method == method
    }
}

/// What is wrong with one field of a request; with the request as a whole where it names no resource.
#[derive(Debug, Clone, Default)]
pub(crate) struct FieldError {
    pub(crate) resource: &'static str,
    pub(crate) field: &'static str,
    pub(crate) code: &'static str,
    pub(crate) message: String,
}

impl fmt::Display for FieldError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            resource,
            field,
            code,
            message,
        } = self;
        write!(
            f,
            "{{Resource:{resource} Field:{field} Code:{code} Message:{message}}}"
        )
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            method,
            url,
            status,
            message,
            ..
        } = self;
        write!(f, "{method} {url}: {status} {message} [")?;
        for (index, error) in self.errors.iter().enumerate() {
            let blank = if index > 0 { " " } else { "" };
            write!(f, "{blank}{error}")?;
        }
        f.write_str("]")
    }
}
