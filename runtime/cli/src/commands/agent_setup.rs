//! Participants of a run: converts the errors of the preflight, and prints its events.

use std::collections::BTreeSet;

use mcpmark_experiment::preflight::{
    self, ActingModels, ExternalTools, PreflightError, PreflightEvent, ProgramError, RefusedRequest,
};
use mcpmark_experiment::{AgentSetup, Journal, ParticipantError, Spec, ToolFilterError};
use mcpmark_model::{OpenError, RequestErrorKind};

use crate::error::{CommandError, error_chain, journal_error};
use crate::output::{self, sanitise};

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// Opens the models of the participants that will act. Reads their keys from the environment.
pub(crate) fn models(spec: &Spec, acting: &BTreeSet<usize>) -> Result<ActingModels, CommandError> {
    ActingModels::open(spec, acting, &variable).map_err(preflight_error)
}

/// Checks what models, servers and programs of agents need, without sending anything.
pub(crate) async fn check(models: &ActingModels, spec: &Spec) -> Result<(), CommandError> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let checked = models.check(spec, &variable, &path).await;
    checked.map_err(preflight_error)
}

/// Checks the tool filters of all participants that will act, as far as that is possible without the tools of external
/// servers.
pub(crate) fn check_filters(
    models: &ActingModels,
    spec: &Spec,
    worlds: &[BTreeSet<String>],
) -> Result<(), CommandError> {
    let checked = models.check_filters(spec, worlds);
    checked.map_err(preflight_error)
}

/// Starts or contacts each external server, and sends a test request to each model. Returns the tools of those servers.
pub(crate) async fn preflight(
    models: &ActingModels,
    spec: &Spec,
    worlds: &[BTreeSet<String>],
) -> Result<ExternalTools, CommandError> {
    let tools = models.preflight(spec, worlds, &variable, &mut show).await;
    tools.map_err(preflight_error)
}

/// Checks that no external tool has the name of a tool of a world.
pub(crate) fn check_clashes(
    external: &ExternalTools,
    tools: &BTreeSet<String>,
) -> Result<(), CommandError> {
    preflight::check_clashes(external, tools).map_err(preflight_error)
}

/// Assembles the participants of a run.
pub(crate) fn open_participants(
    spec: &Spec,
    models: ActingModels,
    journal: &Journal,
    experiment: &str,
    jobs: u32,
) -> Result<AgentSetup, CommandError> {
    use ParticipantError as E;
    AgentSetup::open(spec, models, journal, experiment, jobs).map_err(|error| match error {
        E::Journal(error) => journal_error(error),
        E::Trajectory(error) => CommandError::infrastructure(error),
        E::Filter(error) => filter_error(&error),
    })
}

/// Prints an event of the preflight.
fn show(event: PreflightEvent<'_>) {
    use PreflightEvent as E;
    let wait = |what: String| {
        let line = format!("· {}", sanitise::line(&what));
        output::note(&output::paint(output::DIM, line));
    };
    match event {
        E::WaitsForServer(name) => wait(format!("waiting for server {name} to start")),
        E::WaitsForModel(name) => wait(format!("waiting for the first reply of model {name}")),
        E::NoToolCall(name) => output::warn(&format!(
            "model {}: did not call the tool of the test request; if it cannot call tools, use --agent react",
            sanitise::line(name)
        )),
        E::Temporary(refused) => output::warn(&format!(
            "{}; continuing, because the error may be temporary",
            sanitise::line(&refused.to_string())
        )),
    }
}

/// Converts an error of the checks before a run.
fn preflight_error(error: PreflightError) -> CommandError {
    use PreflightError as E;
    match error {
        E::Model(error) => open_error(&error),
        E::NoPrice { .. } => CommandError::usage(sanitise::line(&error.to_string()))
            .hint("set prices with --prices FILE, or limit tokens instead"),
        E::NoUsage { .. } => CommandError::usage(sanitise::line(&error.to_string()))
            .hint("limit turns or time instead: --limit-turns, --limit-run-time"),
        E::Refused(refused) => refused_error(&refused),
        E::Server(error) => unusable(&error_chain(&error)),
        E::Clash { .. } => unusable(&error.to_string()),
        E::Filter(error) => filter_error(&error),
        E::Program(error) => program_error(&error),
    }
}

fn open_error(error: &OpenError) -> CommandError {
    let hint = match error {
        OpenError::NoKey { variable, .. } | OpenError::NoHeaderValue { variable, .. } => {
            Some(format!("export {variable}=…"))
        }
        OpenError::Provider { .. } => Some(
            "for an OpenAI-compatible endpoint, use `--model openai/NAME --base-url URL`"
                .to_owned(),
        ),
        _ => None,
    };
    let error = CommandError::usage(sanitise::line(&error.to_string()));
    match hint {
        Some(hint) => error.hint(hint),
        None => error,
    }
}

fn filter_error(error: &ToolFilterError) -> CommandError {
    unusable(&format!("--tools: {error}"))
}

fn unusable(message: &str) -> CommandError {
    CommandError::usage(sanitise::line(message)).hint("nothing was run")
}

fn program_error(error: &ProgramError) -> CommandError {
    let message = match error {
        ProgramError::NoVariable(_) => format!("--agent-env {error}"),
        error => error.to_string(),
    };
    let result = CommandError::usage(sanitise::line(&message));
    match error {
        ProgramError::Relative(_) => result.hint("begin the path with ./, ../ or /"),
        ProgramError::NotInPath(_) => result.hint("write ./NAME for a file in this directory"),
        ProgramError::NoVariable(_) | ProgramError::Empty | ProgramError::NotExecutable(_) => {
            result
        }
    }
}

/// Converts the refusal of a test request.
fn refused_error(refused: &RefusedRequest) -> CommandError {
    let message = refused.to_string();
    CommandError::usage(sanitise::line(&message)).hint(match refused.error.kind {
        RequestErrorKind::Connection | RequestErrorKind::Timeout => {
            "check --base-url, and whether the server is running"
        }
        RequestErrorKind::Auth if !refused.has_key => {
            "no key was sent; set --api-key-env to the variable that contains the key for this address"
        }
        RequestErrorKind::Auth => "check the key; the server does not accept it",
        RequestErrorKind::NoTools => {
            "the model does not support tools; use --agent react, or another model"
        }
        RequestErrorKind::NotFound => "check the name of the model; it must be the provider's own name",
        RequestErrorKind::Quota => "the quota of the account is exhausted",
        RequestErrorKind::Unsupported => "omit that setting for this model",
        _ => "nothing was run",
    })
}
