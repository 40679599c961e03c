//! Participants of a request: agents with their settings, and the models that they use.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use mcpmark_bundle::files;
use mcpmark_experiment::{
    AgentKind, AgentSettings, CommandSpec, Participant, ResultView, ServerSpec,
};
use mcpmark_model::ModelSpec;
use serde::Deserialize;

use super::config_file::{File, read};
use super::models::of_models;
use crate::args::{AgentArg, AgentName, ResultBytes, RunArgs};
use crate::commands::program;
use crate::error::CommandError;

/// Named agent, with its command if it is a program.
type NamedAgent = (AgentKind, Option<CommandSpec>);

/// Returns the named agents, or the default agent. `dir` is the directory of the file.
fn agents_of(
    args: &RunArgs,
    file: &File,
    any_model: bool,
    dir: Option<&Path>,
) -> Result<Vec<NamedAgent>, CommandError> {
    let env = if args.agent_env.is_empty() {
        &file.agent_env
    } else {
        &args.agent_env
    };
    let program = |words: &[String], dir: &Path| {
        let command = program::beside(words, dir)?;
        let env = env.clone();
        Ok::<_, CommandError>((AgentKind::Command, Some(CommandSpec { command, env })))
    };
    let of_file = || program(&file.command, dir.unwrap_or(Path::new(".")));
    let named = args.agent.iter().map(|agent| match agent {
        AgentArg::Named(AgentName::Oracle) => Ok((AgentKind::Oracle, None)),
        AgentArg::Named(AgentName::Nop) => Ok((AgentKind::Nop, None)),
        AgentArg::Named(AgentName::Random) => Ok((AgentKind::Random, None)),
        AgentArg::Named(AgentName::Mcpmark) => Ok((AgentKind::Mcpmark, None)),
        AgentArg::Named(AgentName::React) => Ok((AgentKind::React, None)),
        AgentArg::Named(AgentName::Replay) => Ok((AgentKind::Replay, None)),
        AgentArg::Command(words) => program(words, Path::new(".")),
    });
    let mut agents: Vec<NamedAgent> = named.collect::<Result<_, _>>()?;
    let is_command = |agent: &AgentKind| *agent == AgentKind::Command;
    if agents.is_empty() {
        let named = file.agent.iter().map(|agent| match agent {
            AgentKind::Command if file.command.is_empty() => Err(CommandError::usage(
                "agent \"command\" has no program; name it with command = [\"PROGRAM\", \"ARGUMENT\"]",
            )),
            AgentKind::Command => of_file(),
            AgentKind::Client => Err(CommandError::usage(
                "agent \"client\" is reserved for the clients of `mcpmark mcp serve --attempt`; `run` cannot start one",
            )),
            AgentKind::Manual => Err(CommandError::usage(
                "agent \"manual\" is reserved for the attempts of `mcpmark task try`; `run` cannot start one",
            )),
            agent => Ok((*agent, None)),
        });
        agents = named.collect::<Result<_, _>>()?;
        if !file.command.is_empty() && !file.agent.iter().any(is_command) {
            if !agents.is_empty() {
                return Err(CommandError::usage(
                    "`command` names a program, but `agent` does not list \"command\"",
                )
                .hint("add \"command\" to `agent`, or remove one of the two keys"));
            }
            agents.push(of_file()?);
        }
    }
    if agents.is_empty() && args.from.is_some() {
        agents.push((AgentKind::Replay, None));
    }
    // Models are used by the default agent if all named agents are baselines.
    if any_model && !agents.iter().any(|(agent, _)| agent.is_model()) {
        agents.push((AgentKind::Mcpmark, None));
    }
    if agents.is_empty() {
        agents.push((AgentKind::Oracle, None));
    }
    let twice = agents
        .iter()
        .enumerate()
        .find(|(index, agent)| agents[..*index].contains(agent));
    if let Some((_, (agent, _))) = twice {
        let message = format!("agent {} is named twice", agent.as_str());
        return Err(CommandError::usage(message));
    }
    Ok(agents)
}

/// Returns the settings of agents that use a model. `beside` resolves paths of the file.
fn settings_of_models(
    args: &RunArgs,
    file: &File,
    beside: impl Fn(&PathBuf) -> PathBuf,
) -> Result<AgentSettings, CommandError> {
    let models = &args.models;
    let prompt = models.system_prompt.clone();
    let prompt = prompt.or_else(|| file.system_prompt.as_ref().map(beside));
    let max_result_bytes = models.max_result_bytes.or(file.max_result_bytes);
    let max_result_bytes =
        max_result_bytes.unwrap_or(ResultBytes(Some(ResultView::DEFAULT_MAX_BYTES)));
    let tools = if models.tools.is_empty() {
        &file.tools
    } else {
        &models.tools
    };
    Ok(AgentSettings {
        system_prompt: prompt.as_deref().map(read_prompt).transpose()?,
        tools: tools.clone(),
        compact_at: models.compact_at.or(file.compact_at),
        max_result_bytes: max_result_bytes.0,
        retries: models.retries.or(file.retries),
        servers: servers(args, file)?,
        ..AgentSettings::default()
    })
}

/// Returns the participants: each agent, once for each model if it uses one.
pub(super) fn participants(
    args: &RunArgs,
    file: &File,
    models: Vec<ModelSpec>,
    dir: Option<&Path>,
    beside: impl Fn(&PathBuf) -> PathBuf,
) -> Result<Vec<Participant>, CommandError> {
    let agents = agents_of(args, file, !models.is_empty(), dir)?;
    let is_there = |kind: AgentKind| agents.iter().any(|(agent, _)| *agent == kind);
    let wrong = |message: String| Err(CommandError::usage(message));
    if let Some((agent, _)) = agents.iter().find(|(agent, _)| agent.is_model())
        && models.is_empty()
    {
        return wrong(format!(
            "--agent {} requires a model; name one with --model provider/name",
            agent.as_str()
        ));
    }
    let names: Vec<&str> = agents.iter().map(|(agent, _)| agent.as_str()).collect();
    let names = names.join(", ");
    let of_models = of_models(args);
    if models.is_empty() && !of_models.is_empty() {
        let uses = match agents.len() {
            1 => "uses",
            _ => "use",
        };
        return wrong(format!(
            "--agent {names} {uses} no model; omit {}",
            of_models.join(", ")
        ));
    }
    if !args.agent_env.is_empty() && !is_there(AgentKind::Command) {
        return wrong(format!(
            "--agent-env requires --agent command:PROGRAM, found {names}"
        ));
    }
    match (is_there(AgentKind::Replay), &args.from) {
        (true, None) => {
            return wrong("--agent replay requires --from, the attempt to replay".to_owned());
        }
        (true, Some(_)) if !args.selection.selectors.is_empty() => {
            return wrong(format!(
                "--from determines the task; omit {}",
                args.selection.selectors.join(" ")
            ));
        }
        (false, Some(_)) => {
            return wrong(format!("--from requires --agent replay, found {names}"));
        }
        _ => {}
    }
    let servers = servers(args, file)?;
    let of_models = if models.is_empty() {
        AgentSettings::default()
    } else {
        settings_of_models(args, file, beside)?
    };
    let mut participants = Vec::new();
    for (agent, command) in agents {
        if !agent.is_model() {
            participants.push(Participant {
                agent_settings: AgentSettings {
                    servers: servers.clone(),
                    command,
                    ..AgentSettings::default()
                },
                ..Participant::plain(agent)
            });
            continue;
        }
        participants.extend(models.iter().map(|model| Participant {
            agent,
            agent_settings: of_models.clone(),
            model: Some(model.clone()),
        }));
    }
    Ok(participants)
}

/// Refuses settings of agents and models without a named agent or model, because the participants of an existing
/// experiment have their own settings.
pub(super) fn of_nobody(args: &RunArgs, file: &File) -> Result<(), CommandError> {
    let settings = [
        (
            "--mcp-config",
            args.mcp_config.is_some() || !file.servers.is_empty(),
        ),
        (
            "--agent-env",
            !args.agent_env.is_empty() || !file.agent_env.is_empty(),
        ),
        ("--compact-at", file.compact_at.is_some()),
        ("--system-prompt", file.system_prompt.is_some()),
        ("--tools", !file.tools.is_empty()),
        ("--max-result-bytes", file.max_result_bytes.is_some()),
        ("--retries", file.retries.is_some()),
    ];
    let given = settings.into_iter().filter(|(_, given)| *given);
    let mut given: Vec<&str> = given.map(|(flag, _)| flag).collect();
    let of_experiment = |flag: &&str| {
        flag.starts_with("--limit") || ["--prices", "--max-model-calls"].contains(flag)
    };
    given.extend(
        of_models(args)
            .into_iter()
            .filter(|flag| !of_experiment(flag)),
    );
    match &*given {
        [] => Ok(()),
        given => Err(CommandError::usage(format!(
            "{}: no agent or model is named that this applies to",
            given.join(", ")
        ))
        .hint(
            "name one with --agent or --model; with other settings it becomes another participant",
        )),
    }
}

/// Reads a system prompt from a file.
fn read_prompt(path: &Path) -> Result<String, CommandError> {
    /// Maximum size of a system prompt, in bytes. It is stored in the settings of each attempt.
    const MAX_BYTES: u64 = 64 << 10;
    let wrong = |message: String| {
        CommandError::usage(format!("system prompt {}: {message}", path.display()))
    };
    let text =
        files::read_text_within(path, MAX_BYTES).map_err(|error| wrong(error.to_string()))?;
    if text.trim().is_empty() {
        Err(wrong("the file is empty".to_owned()))
    } else {
        Ok(text)
    }
}

/// File of `--mcp-config`: servers by name.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Servers {
    servers: BTreeMap<String, ServerSpec>,
}

/// Returns the servers of the file and of `--mcp-config`. The latter take precedence.
fn servers(args: &RunArgs, file: &File) -> Result<BTreeMap<String, ServerSpec>, CommandError> {
    let mut servers = file.servers.clone();
    if let Some(path) = &args.mcp_config {
        servers.extend(read::<Servers>(path)?.servers);
    }
    Ok(servers)
}
