//! Tokio runtime of commands that use MCP or the network.

use std::ops::Deref;

use crate::error::CommandError;

/// Tokio runtime that does not wait for its threads when it is dropped, because a tool, a guest or a read of standard
/// input may never end.
pub(crate) struct Runtime {
    handle: tokio::runtime::Handle,
    /// `None` after it was dropped.
    runtime: Option<tokio::runtime::Runtime>,
}

impl Deref for Runtime {
    type Target = tokio::runtime::Handle;

    fn deref(&self) -> &Self::Target {
        &self.handle
    }
}

impl Drop for Runtime {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// Creates the runtime of commands that use MCP or the network. Each of `jobs` concurrent attempts blocks two threads,
/// one for a solution and one for its tool call or grade. Attempts must never wait for each other's threads, so the
/// maximum is twice as high.
pub(crate) fn runtime(jobs: usize) -> Result<Runtime, CommandError> {
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .max_blocking_threads(jobs.saturating_mul(4).saturating_add(64))
        .build()
        .map(|runtime| Runtime {
            handle: runtime.handle().clone(),
            runtime: Some(runtime),
        })
        .map_err(|error| CommandError::infrastructure(format!("cannot start threads: {error}")))
}
