//! Commands, one per file.

pub(crate) mod agent_setup;
pub(crate) mod batch;
pub(crate) mod bundle;
pub(crate) mod check;
pub(crate) mod check_published;
pub(crate) mod complete;
mod directory;
pub(crate) mod doctor;
pub(crate) mod dry_run;
pub(crate) mod explain;
pub(crate) mod grade;
mod grow;
mod imported_plan;
pub(crate) mod inspect;
pub(crate) mod judge;
pub(crate) mod mcp;
mod mcp_attempt;
pub(crate) mod program;
pub(crate) mod published;
pub(crate) mod receipt;
pub(crate) mod regrade;
pub(crate) mod report;
pub(crate) mod request;
pub(crate) mod run;
pub(crate) mod runs;
pub(crate) mod script;
pub(crate) mod show;
pub(crate) mod store;
pub(crate) mod task;
pub(crate) mod task_selection;
pub(crate) mod world;

use std::ops::Deref;
use std::path::Path;

use mcpmark_service::ServiceError;

use crate::error::{CommandError, chain};

/// Converts an error of a service. `place` is the path that it concerns.
fn service_error(error: &ServiceError, place: Option<&Path>) -> CommandError {
    let place = place.map_or_else(String::new, |place| format!("{}: ", place.display()));
    let message = format!("{place}{}", chain(error));
    match error {
        ServiceError::InvalidWorld { .. } => CommandError::invalid(message),
        _ => CommandError::infrastructure(message),
    }
}

/// Tokio runtime that does not wait for its threads when it is dropped, because a tool, a guest or a read of standard
/// input may never end.
struct Runtime {
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
fn runtime(jobs: usize) -> Result<Runtime, CommandError> {
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
