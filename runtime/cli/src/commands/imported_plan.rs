//! Imported experiments: approval of their plans before they are continued on this machine.

use mcpmark_experiment::journal::ExperimentRow;
use mcpmark_experiment::{ServerTransport, Spec, TaskSource};
use mcpmark_model::{ModelSpec, Provider};
use mcpmark_snapshot::Digest;

use crate::commands::bundle;
use crate::error::CommandError;
use crate::output::sanitise;

/// Number of characters of the code that accepts a plan.
const WORD: usize = 12;

/// Refuses to continue an imported experiment until its plan is accepted: the programs that it would start, the servers
/// and models that it would contact, and the paths that it would read. `word` is the code that the refusal prints.
/// `place` is the location of the tasks according to the plan, unless it is overridden. Returns true if the experiment
/// is imported and no part of its plan is left to accept.
pub(crate) fn require_approval(
    experiment: &ExperimentRow,
    spec: &Spec,
    place: Option<&TaskSource>,
    word: Option<&str>,
) -> Result<bool, CommandError> {
    if !experiment.is_foreign() {
        return Ok(false);
    }
    // A location that does not exist now may exist later, so it is not accepted yet.
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
        "experiment {name:?} was imported, and its plan would{list}"
    ))
    .hint(format!(
        "to accept the plan, run `mcpmark resume {name} --accept-plan {wanted}`; `--tasks PLACE` uses your own tasks"
    )))
}

/// Returns the location of an experiment's tasks. Refuses the location of an imported experiment if something exists
/// there.
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
                "{way_out}; `mcpmark resume {name}` shows the plan and how to accept it"
            )))
        }
        _ => Ok(place),
    }
}

fn wants(spec: &Spec, place: Option<&TaskSource>) -> Vec<String> {
    let servers = spec.servers().into_iter();
    let servers = servers.map(|(name, server)| match &server.transport {
        ServerTransport::Program { command, env } => {
            let command: Vec<String> = command.iter().map(|part| format!("{part:?}")).collect();
            let command = command.join(" ");
            format!("start server {name:?}: {command}{}", with(env))
        }
        ServerTransport::Http(server) => {
            let headers = server.headers().map(|(_, variable)| variable);
            let variables: Vec<&str> = server.bearer().into_iter().chain(headers).collect();
            let url = server.url();
            format!("contact server {name:?} at {url}{}", with(&variables))
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
        // Several participants may use the same model.
        if !wants.contains(&want) {
            wants.push(want);
        }
    }
    wants
}

/// Describes the requests to a model. Models at their provider's default address are included, because requests cost
/// money and contain data of the tasks.
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
    format!(
        "send requests to model {} {place}{}",
        model.name,
        with(&variables)
    )
}

/// Describes the paths that would be read for tasks, if they may exist.
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
            format!(", with the values of {}", names.join(", "))
        }
    }
}
