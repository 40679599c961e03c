//! Failures of tools.

use mcpmark_service::Interrupted;

/// Reason why a tool has no result.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Error for the model, in the words of the published server.
    Error(String),
    /// Result that exceeds the limit in bytes. The transaction was rolled back.
    TooLarge(u64),
    /// Cancelled call, or one that needs too much memory.
    Interrupted(Interrupted),
}

impl Failure {
    /// Prefixes the message of an error, as the published server does for some tools.
    pub(crate) fn within(self, prefix: &str) -> Self {
        match self {
            Self::Error(message) => Self::Error(format!("{prefix}{message}")),
            other => other,
        }
    }
}

impl From<Interrupted> for Failure {
    fn from(interrupted: Interrupted) -> Self {
        Self::Interrupted(interrupted)
    }
}
