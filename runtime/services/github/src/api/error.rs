//! Error responses, worded like the errors of GitHub's client for Go.

use std::fmt;

use crate::git::GitError;

/// Error of an operation.
#[derive(Debug)]
pub(crate) enum ApiError {
    /// Error response of GitHub.
    Refused(Box<Refusal>),
    /// Error of git, such as a damaged repository or an interrupted call.
    Git(GitError),
}

impl From<GitError> for ApiError {
    fn from(error: GitError) -> Self {
        Self::Git(error)
    }
}

/// Response with a status of 400 or more.
#[derive(Debug)]
pub(crate) struct Refusal {
    pub(super) method: &'static str,
    pub(super) url: String,
    pub(crate) status: u16,
    pub(crate) message: String,
    pub(crate) errors: Vec<FieldError>,
}

impl Refusal {
    /// Reports whether it is the response to a request with an HTTP method.
    pub(crate) fn is_of(&self, method: &str) -> bool {
        self.method == method
    }
}

/// Error of one field of a request, or of the whole request if `resource` is empty.
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
