//! Experiments that others have planned: what it takes of this machine to go on with one.

use mcpmark_experiment::journal::ExperimentRow;
use mcpmark_experiment::{Spec, TaskSource, Transport};
use mcpmark_model::{ModelSpec, Provider};
use mcpmark_snapshot::Digest;

use crate::commands::bundle;
use crate::error::CommandError;
use crate::output::sanitise;

/// Characters of the word that agrees to a plan.
const WORD: usize = 12;

/// Refuses to go on with what others have planned, until somebody has read what it would start, whom it would
/// send something, and where it would read: `word`, which the refusal tells, says that. `place` is where the plan
/// says that its tasks lie, unless that is said anew. Gives whether nothing of the plan is left that nobody here
/// has read or said.
pub(crate) fn must_be_agreed(
    experiment: &ExperimentRow,
    spec: &Spec,
    place: Option<&TaskSource>,
    word: Option<&str>,
) -> Result<bool, CommandError> {
    if !experiment.is_foreign() {
        return Ok(false);
    }
    // A place where nothing is may be one another time.
    let is_settled = place.is_none_or(|place| reads(place).is_some());
    let wants = wants(spec, place);
    if wants.is_empty() {
        return Ok(is_settled);
    }
    let list: String = wants.iter().map(|want| format!("\n  {want}")).collect();
    let wanted = &Digest::of(list.as_bytes()).hex()[..WORD];
    if word == Some(wanted) {
        return Ok(is_settled);
    }
    let name = sanitise::line(&experiment.name);
    Err(CommandError::usage(format!(
        "experiment {name:?} was imported, and to go on with it as it was planned would{list}"
    ))
    .hint(format!(
        "`mcpmark resume {name} --accept-plan {wanted}` agrees to that; `--tasks PLACE` names tasks of your own"
    )))
}

/// The place of an experiment's tasks, unless others have named it and something is there.
pub(crate) fn place<'a>(
    experiment: &ExperimentRow,
    spec: &'a Spec,
    way_out: &str,
) -> Result<Option<&'a TaskSource>, CommandError> {
    let place = spec.published.as_ref();
    match place.and_then(reads) {
        Some(reads) if experiment.is_foreign() => {
            let name = sanitise::line(&experiment.name);
            Err(CommandError::usage(format!(
                "experiment {name:?} was imported, and this would {reads}"
            ))
            .hint(format!(
                "{way_out}; `mcpmark resume {name}` tells how to agree to what was planned"
            )))
        }
        _ => Ok(place),
    }
}

fn wants(spec: &Spec, place: Option<&TaskSource>) -> Vec<String> {
    let servers = spec.servers().into_iter();
    let servers = servers.map(|(name, server)| match &server.transport {
        Transport::Program { command, env } => {
            let command: Vec<String> = command.iter().map(|part| format!("{part:?}")).collect();
            let command = command.join(" ");
            format!("start server {name:?}: {command}{}", with(env))
        }
        Transport::Http(server) => {
            let headers = server.headers().map(|(_, variable)| variable);
            let variables: Vec<&str> = server.bearer().into_iter().chain(headers).collect();
            let url = server.url();
            format!("call server {name:?} at {url}{}", with(&variables))
        }
    });
    let commands = spec.participants.iter();
    let commands = commands.filter_map(|one| one.agent_settings.command.as_ref());
    let commands = commands.map(|spec| {
        let command: Vec<String> = spec
            .command
            .iter()
            .map(|part| format!("{part:?}"))
            .collect();
        format!("run the agent {}{}", command.join(" "), with(&spec.env))
    });
    let models = spec.models().map(asked);
    let all = servers.chain(commands).chain(models);
    let all = all.chain(place.and_then(reads));
    let mut wants: Vec<String> = Vec::new();
    for want in all.map(|want| sanitise::line(&want).into_owned()) {
        // Several participants may ask one model.
        if !wants.contains(&want) {
            wants.push(want);
        }
    }
    wants
}

/// Also a model at its provider's usual address costs what it costs, and gets what the tasks show it.
fn asked(model: &ModelSpec) -> String {
    let place = match &model.settings.base_url {
        Some(url) => format!("at {url}"),
        None => "at its provider's address".to_owned(),
    };
    let provider = model.name.split_once('/').map(|(provider, _)| provider);
    let key = provider.and_then(Provider::named);
    let key = key.and_then(|provider| provider.key_variable_of(&model.settings));
    let headers = model.settings.headers.values().map(String::as_str);
    let variables: Vec<&str> = key.into_iter().chain(headers).collect();
    format!("ask model {} {place}{}", model.name, with(&variables))
}

/// What is read where tasks lie, if there may be anything.
fn reads(place: &TaskSource) -> Option<String> {
    let TaskSource { tasks, states, .. } = place;
    let is_there = bundle::is_reference(tasks) || tasks.exists();
    let states = states
        .as_ref()
        .map(|states| format!(", and states from {}", states.display()));
    let states = states.unwrap_or_default();
    is_there.then(|| format!("read tasks from {}{states}", tasks.display()))
}

fn with(variables: &[impl AsRef<str>]) -> String {
    match variables {
        [] => String::new(),
        _ => {
            let names: Vec<&str> = variables.iter().map(AsRef::as_ref).collect();
            format!(", with what the environment has as {}", names.join(", "))
        }
    }
}
