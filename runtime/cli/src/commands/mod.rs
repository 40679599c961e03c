//! One file a command.

pub(crate) mod batch;
pub(crate) mod bundle;
pub(crate) mod cast;
pub(crate) mod check;
pub(crate) mod check_published;
pub(crate) mod chosen;
pub(crate) mod complete;
mod directory;
pub(crate) mod doctor;
pub(crate) mod dry_run;
pub(crate) mod explain;
mod foreign;
pub(crate) mod grade;
mod grow;
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
pub(crate) mod world;

use std::ops::Deref;
use std::path::Path;

use mcpmark_service::ServiceError;

use crate::error::{CommandError, chain};

/// What an error of a service means, and for what place where one was named.
fn service_error(error: &ServiceError, place: Option<&Path>) -> CommandError {
    let place = place.map_or_else(String::new, |place| format!("{}: ", place.display()));
    let message = format!("{place}{}", chain(error));
    match error {
        ServiceError::InvalidWorld { .. } => CommandError::invalid(message),
        _ => CommandError::infrastructure(message),
    }
}

/// A runtime whose end waits for no thread: a tool that does not stop, a guest that computes, or a read of standard
/// input may take for ever.
struct Runtime {
    handle: tokio::runtime::Handle,
    /// None once it is dropped.
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

/// A runtime for commands that talk MCP. `jobs` attempts at once block two threads each, for
/// a solution and for its tool call or grade, and must never wait for each other's.
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
