//! Errors of running a guest.

use mcpmark_verdict::Fault;

/// Errors of a run, by cause.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The guest is the cause.
    #[error("{0}")]
    Fault(Fault),
    /// The world is the cause: a damaged repository.
    #[error("{0}")]
    World(String),
    /// The host is the cause: a damaged blob, a full disk, or a cancelled run.
    #[error("{0}")]
    Host(String),
}
