//! Commands, one per file.

pub(crate) mod agent_setup;
pub(crate) mod batch;
pub(crate) mod bundle;
mod certified;
pub(crate) mod check;
pub(crate) mod check_published;
pub(crate) mod complete;
mod directory;
pub(crate) mod doctor;
pub(crate) mod dry_run;
mod experiment_result;
mod experiment_run;
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
pub(crate) mod service;
pub(crate) mod show;
mod single_attempt;
pub(crate) mod store;
pub(crate) mod task;
pub(crate) mod task_selection;
mod task_try;
pub(crate) mod world;

use std::path::Path;

use mcpmark_service::ServiceError;

use crate::error::{CommandError, error_chain};
use crate::runtime::runtime;

/// Converts an error of a service. `place` is the path that it concerns.
fn service_error(error: &ServiceError, place: Option<&Path>) -> CommandError {
    let place = place.map_or_else(String::new, |place| format!("{}: ", place.display()));
    let message = format!("{place}{}", error_chain(error));
    match error {
        ServiceError::InvalidWorld { .. } => CommandError::invalid(message),
        _ => CommandError::infrastructure(message),
    }
}
