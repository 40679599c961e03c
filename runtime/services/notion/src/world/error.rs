//! Errors of worlds.

use mcpmark_snapshot::ReadError;

/// Error of opening a world.
#[derive(Debug, thiserror::Error)]
pub enum WorldError {
    /// A document has invalid content.
    #[error("{file}: {place}{problem}")]
    Invalid {
        /// Path of the document in the world.
        file: String,
        /// Field of the document, followed by a colon and a space. Empty for the whole document.
        place: String,
        /// Problem.
        problem: String,
    },
    /// A document is missing.
    #[error("{0}: the world has no such file, which every world of this service has")]
    Missing(&'static str),
    /// A document cannot be read.
    #[error("{file}: the document cannot be read")]
    Read {
        /// Path of the document in the world.
        file: String,
        /// Cause.
        source: ReadError,
    },
}
