//! Request of `run`: the command line merged with the file of `--config`.

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use mcpmark_experiment::{
    AgentKind, AgentSettings, CommandSpec, Concurrency, Cost, Participant, ResultView, ServerSpec,
    Spec, SpecLimits,
};
use mcpmark_model::{ModelSettings, ModelSpec, Pace, Prices};
use serde::de::value::SeqAccessDeserializer;
use serde::de::{DeserializeOwned, IntoDeserializer, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

use crate::args::{AgentArg, AgentName, ResultBytes, RunArgs, Selection, Tier};
use crate::commands::{bundle, program};
use crate::error::{CommandError, chain};
use crate::files;
use crate::operands;
use crate::output;

/// File of `--config`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(crate) struct File {
    experiment: Option<String>,
    #[serde(deserialize_with = "texts")]
    tasks: Vec<String>,
    #[serde(deserialize_with = "texts")]
    tiers: Vec<String>,
    #[serde(deserialize_with = "texts")]
    tags: Vec<String>,
    #[serde(deserialize_with = "agents")]
    agent: Vec<AgentKind>,
    #[serde(deserialize_with = "words")]
    command: Vec<String>,
    #[serde(deserialize_with = "variables")]
    agent_env: Vec<String>,
    attempts: Option<u32>,
    jobs: Option<u32>,
    max_model_calls: Option<u32>,
    max_grades: Option<u32>,
    seed: Option<u64>,
    compact_at: Option<u64>,
    max_result_bytes: Option<ResultBytes>,
    system_prompt: Option<PathBuf>,
    #[serde(deserialize_with = "globs")]
    tools: Vec<String>,
    retries: Option<u32>,
    prices: Option<PathBuf>,
    limits: Limits,
    #[serde(deserialize_with = "file_models")]
    models: Vec<FileModel>,
    servers: BTreeMap<String, ServerSpec>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
struct Limits {
    turns: Option<u32>,
    time: Option<u64>,
    tool_time: Option<u64>,
    input_tokens: Option<u64>,
    output_tokens: Option<u64>,
    attempt_cost: Option<Amount>,
    cost: Option<Amount>,
    tokens: Option<u64>,
    run_time: Option<u64>,
}

/// Amount of money, as a string or a number.
#[derive(Debug, Deserialize)]
#[serde(
    untagged,
    expecting = "expected an amount in US dollars, like \"2.50\""
)]
enum Amount {
    Text(String),
    Whole(u64),
    Fraction(f64),
}

impl Amount {
    fn text(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Whole(number) => number.to_string(),
            Self::Fraction(number) => number.to_string(),
        }
    }
}

/// Model with its settings, which are in the same table as its name.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
struct FileModel {
    name: String,
    max_calls: Option<u32>,
    requests_per_minute: Option<u32>,
    #[serde(flatten)]
    settings: toml::Table,
}

/// Visitor of a list. Its errors contain an example of the syntax.
struct List<T> {
    written: &'static str,
    of: PhantomData<T>,
}

impl<'de, T: Deserialize<'de>> Visitor<'de> for List<T> {
    type Value = Vec<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.written)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Vec<T>, A::Error> {
        Vec::deserialize(SeqAccessDeserializer::new(list))
    }
}

/// Visitor of one agent or a list of agents.
struct Agents;

impl<'de> Visitor<'de> for Agents {
    type Value = Vec<AgentKind>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an agent or a list of agents, as in [\"nop\", \"random\"]")
    }

    fn visit_str<E: serde::de::Error>(self, name: &str) -> Result<Self::Value, E> {
        Ok(vec![AgentKind::deserialize(name.into_deserializer())?])
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Self::Value, A::Error> {
        Vec::deserialize(SeqAccessDeserializer::new(list))
    }
}

fn agents<'de, D: Deserializer<'de>>(value: D) -> Result<Vec<AgentKind>, D::Error> {
    value.deserialize_any(Agents)
}

fn texts<'de, D: Deserializer<'de>>(value: D) -> Result<Vec<String>, D::Error> {
    value.deserialize_any(List {
        written: "a list, as in [\"filesystem\"]",
        of: PhantomData,
    })
}

fn globs<'de, D: Deserializer<'de>>(value: D) -> Result<Vec<String>, D::Error> {
    value.deserialize_any(List {
        written: "a list, as in [\"read_*\"]",
        of: PhantomData,
    })
}

fn words<'de, D: Deserializer<'de>>(value: D) -> Result<Vec<String>, D::Error> {
    value.deserialize_any(List {
        written: "a list, as in [\"./agent.sh\", \"{mcp_url}\"]",
        of: PhantomData,
    })
}

fn variables<'de, D: Deserializer<'de>>(value: D) -> Result<Vec<String>, D::Error> {
    value.deserialize_any(List {
        written: "a list, as in [\"MY_API_KEY\"]",
        of: PhantomData,
    })
}

fn file_models<'de, D: Deserializer<'de>>(value: D) -> Result<Vec<FileModel>, D::Error> {
    value.deserialize_any(List {
        written: "a list of tables; write [[models]]",
        of: PhantomData,
    })
}

/// Merged request, except the tasks, which are selected later.
pub(crate) struct Request {
    pub(crate) selection: Selection,
    /// True if an agent or a model is named.
    pub(crate) names_participants: bool,
    /// Number of attempts of each task, if it is given.
    pub(crate) attempts: Option<u32>,
    /// Seed of the order of attempts, if it is given.
    pub(crate) seed: Option<u64>,
    /// Prices of the file given with `--prices`.
    pub(crate) own_prices: Option<Prices>,
    /// Specification of a new experiment.
    pub(crate) spec: Spec,
}

/// Reads the file of `--config`, if it is given.
pub(crate) fn file(args: &RunArgs) -> Result<File, CommandError> {
    match &args.config {
        Some(path) => read(path),
        None => Ok(File::default()),
    }
}

/// Returns the name of the experiment, if it is given.
pub(crate) fn name(args: &RunArgs, file: &File) -> Option<String> {
    args.experiment.clone().or_else(|| file.experiment.clone())
}

/// Merges the command line and the file, for a new or an existing experiment.
pub(crate) fn resolve(
    args: &mut RunArgs,
    file: &File,
    is_there: bool,
) -> Result<Request, CommandError> {
    let dir = args.config.as_deref().and_then(Path::parent);
    let dir = dir.map(Path::to_owned);
    let beside = |path: &PathBuf| match &dir {
        Some(dir) => dir.join(path),
        None => path.clone(),
    };
    // A location on the command line takes precedence over that of the file.
    let place = operands::take_place(&mut args.selection.selectors)?;
    operands::name(&mut args.published.tasks, place)?;
    let mut tasks = file.tasks.clone();
    let place = operands::take_place(&mut tasks)?;
    let place = place.map(|place| {
        if bundle::is_reference(&place) {
            place
        } else {
            beside(&place)
        }
    });
    args.published.tasks = args.published.tasks.take().or(place);
    args.published.check()?;
    let models = models(args, file)?;
    let names_participants = !models.is_empty()
        || !args.agent.is_empty()
        || !file.agent.is_empty()
        || !file.command.is_empty()
        || args.from.is_some();
    let participants = if is_there && !names_participants {
        of_nobody(args, file)?;
        Vec::new()
    } else {
        participants(args, file, models, dir.as_deref(), beside)?
    };
    let mut selection = Selection {
        selectors: std::mem::take(&mut args.selection.selectors),
        tier: std::mem::take(&mut args.selection.tier),
        tag: std::mem::take(&mut args.selection.tag),
    };
    if selection.selectors.is_empty() {
        selection.selectors = tasks;
    }
    if selection.tag.is_empty() {
        selection.tag.clone_from(&file.tags);
    }
    if selection.tier.is_empty() {
        selection.tier = file
            .tiers
            .iter()
            .map(|name| tier(name))
            .collect::<Result<_, _>>()?;
    }
    let prices = match (&args.models.prices, &file.prices) {
        (Some(path), _) => Some(path.clone()),
        (None, Some(path)) => Some(beside(path)),
        (None, None) => None,
    };
    let own_prices = prices.as_deref().map(own_prices).transpose()?;
    let prices = prices_of(&participants, own_prices.clone());
    let any_model = participants.iter().any(|one| one.model.is_some());
    let spec = Spec {
        attempts: args.attempts.or(file.attempts).unwrap_or(1),
        limits: limits(args, file)?,
        seed: args.models.seed.or(file.seed).or(any_model.then_some(1)),
        prices,
        concurrency: Concurrency {
            jobs: args.jobs.or(file.jobs),
            model_calls: args.models.max_model_calls.or(file.max_model_calls),
            grades: args.models.max_grades.or(file.max_grades),
        },
        ..Spec::new(Vec::new(), participants)
    };
    for (name, number) in [
        ("attempts", Some(u64::from(spec.attempts))),
        ("compact-at", args.models.compact_at.or(file.compact_at)),
    ] {
        if number == Some(0) {
            let message = format!("{name} is 0, but must be at least 1");
            return Err(CommandError::usage(message));
        }
    }
    Ok(Request {
        selection,
        names_participants,
        attempts: args.attempts.or(file.attempts),
        seed: args.models.seed.or(file.seed),
        own_prices,
        spec,
    })
}

/// Refuses settings of agents and models without a named agent or model, because the participants of an existing
/// experiment have their own settings.
fn of_nobody(args: &RunArgs, file: &File) -> Result<(), CommandError> {
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

fn read<T: DeserializeOwned>(path: &Path) -> Result<T, CommandError> {
    let wrong = |message: String| CommandError::usage(format!("{}: {message}", path.display()));
    let text = files::read_text(path).map_err(|error| wrong(error.to_string()))?;
    toml::from_str(&text).map_err(|error: toml::de::Error| {
        let place = error.span().map_or(String::new(), |span| {
            let before = text.get(..span.start).unwrap_or_default();
            format!("line {}: ", before.matches('\n').count() + 1)
        });
        wrong(format!("{place}{}", error.message().trim()))
    })
}

/// Reads a system prompt from a file.
fn read_prompt(path: &Path) -> Result<String, CommandError> {
    /// Maximum size of a system prompt, in bytes. It is stored in the settings of each attempt.
    const MAX_BYTES: u64 = 64 << 10;
    let wrong = |message: String| {
        CommandError::usage(format!("system prompt {}: {message}", path.display()))
    };
    let text = files::read_short_text(path, MAX_BYTES).map_err(|error| wrong(error.to_string()))?;
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

fn tier(name: &str) -> Result<Tier, CommandError> {
    <Tier as clap::ValueEnum>::from_str(name, true).map_err(CommandError::usage)
}

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
fn participants(
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

/// Returns the given options that apply only to models.
fn of_models(args: &RunArgs) -> Vec<&'static str> {
    let (models, limits) = (&args.models, &args.limits);
    let flags = [
        ("--base-url", !models.base_url.is_empty()),
        ("--api-key-env", !models.api_key_env.is_empty()),
        ("--header", !models.header.is_empty()),
        ("--extra-body", models.extra_body.is_some()),
        ("--api", models.api.is_some()),
        ("--reasoning-effort", models.reasoning_effort.is_some()),
        ("--temperature", models.temperature.is_some()),
        ("--top-p", models.top_p.is_some()),
        ("--max-output-tokens", models.max_output_tokens.is_some()),
        ("--sampling-seed", models.sampling_seed.is_some()),
        ("--compact-at", models.compact_at.is_some()),
        ("--system-prompt", models.system_prompt.is_some()),
        ("--tools", !models.tools.is_empty()),
        ("--max-result-bytes", models.max_result_bytes.is_some()),
        ("--retries", models.retries.is_some()),
        ("--prices", models.prices.is_some()),
        ("--max-model-calls", models.max_model_calls.is_some()),
        ("--max-calls", models.max_calls.is_some()),
        (
            "--requests-per-minute",
            models.requests_per_minute.is_some(),
        ),
        ("--limit-input-tokens", limits.limit_input_tokens.is_some()),
        (
            "--limit-output-tokens",
            limits.limit_output_tokens.is_some(),
        ),
        ("--limit-attempt-cost", limits.limit_attempt_cost.is_some()),
        ("--limit-cost", limits.limit_cost.is_some()),
        ("--limit-tokens", limits.limit_tokens.is_some()),
    ];
    let given = flags.into_iter().filter(|(_, given)| *given);
    given.map(|(flag, _)| flag).collect()
}

/// Values of an option that is given once for all models, or once for each.
struct Paired<'a>(&'a [String]);

impl<'a> Paired<'a> {
    fn of(flag: &str, values: &'a [String], models: usize) -> Result<Self, CommandError> {
        match values.len() {
            0 | 1 => Ok(Self(values)),
            given if given == models => Ok(Self(values)),
            given => Err(CommandError::usage(format!(
                "{flag} is given {given} times for {}; give it once for all models, or once per model in the same order",
                output::count(models, "model")
            ))),
        }
    }

    fn get(&self, model: usize) -> Option<String> {
        let index = if self.0.len() == 1 { 0 } else { model };
        self.0.get(index).cloned()
    }
}

/// Returns the models of the command line, or by default those of the file. Settings on the command line apply to all
/// models.
fn models(args: &RunArgs, file: &File) -> Result<Vec<ModelSpec>, CommandError> {
    let given = &args.models;
    let mut models: Vec<ModelSpec> = if given.model.is_empty() {
        let read = |model: &FileModel| {
            let table = toml::Value::Table(model.settings.clone());
            let settings = table.try_into::<ModelSettings>();
            let settings = settings.map_err(|error| {
                CommandError::usage(format!("model {}: {}", model.name, error.message()))
            })?;
            Ok(ModelSpec {
                name: model.name.clone(),
                settings,
                pace: Pace {
                    max_calls: model.max_calls,
                    requests_per_minute: model.requests_per_minute,
                },
            })
        };
        file.models
            .iter()
            .map(read)
            .collect::<Result<_, CommandError>>()?
    } else {
        let named = given.model.iter();
        named
            .map(|name| ModelSpec {
                name: name.clone(),
                settings: ModelSettings::default(),
                pace: Pace::default(),
            })
            .collect()
    };
    let count = models.len();
    let base_url = Paired::of("--base-url", &given.base_url, count)?;
    let api_key_env = Paired::of("--api-key-env", &given.api_key_env, count)?;
    for (index, model) in models.iter_mut().enumerate() {
        let pace = &mut model.pace;
        pace.max_calls = given.max_calls.or(pace.max_calls);
        pace.requests_per_minute = given.requests_per_minute.or(pace.requests_per_minute);
        for (name, number) in [
            ("max-calls", pace.max_calls),
            ("requests-per-minute", pace.requests_per_minute),
        ] {
            if number == Some(0) {
                let message = format!("model {}: {name} is 0, but must be at least 1", model.name);
                return Err(CommandError::usage(message));
            }
        }
        let settings = &mut model.settings;
        settings.base_url = base_url.get(index).or(settings.base_url.take());
        settings.api_key_env = api_key_env.get(index).or(settings.api_key_env.take());
        settings.headers.extend(given.header.iter().cloned());
        settings
            .extra_body
            .extend(given.extra_body.clone().unwrap_or_default());
        settings.temperature = given.temperature.or(settings.temperature);
        settings.top_p = given.top_p.or(settings.top_p);
        settings.max_output_tokens = given.max_output_tokens.or(settings.max_output_tokens);
        settings.sampling_seed = given.sampling_seed.or(settings.sampling_seed);
        if let Some(effort) = &given.reasoning_effort {
            settings.reasoning_effort = Some(effort.parse().map_err(CommandError::usage)?);
        }
        match given.api.as_deref() {
            Some("chat") => settings.api = Some(mcpmark_model::Api::Chat),
            Some(_) => settings.api = Some(mcpmark_model::Api::Responses),
            None => {}
        }
    }
    for (index, model) in models.iter().enumerate() {
        let same = |other: &ModelSpec| other.name == model.name && other.settings == model.settings;
        if models[..index].iter().any(same) {
            let message = format!("model {} is named twice with the same settings", model.name);
            return Err(CommandError::usage(message));
        }
    }
    Ok(models)
}

fn limits(args: &RunArgs, file: &File) -> Result<SpecLimits, CommandError> {
    let (given, file) = (&args.limits, &file.limits);
    let cost = |given: &Option<String>, file: &Option<Amount>| {
        amount(given.clone().or_else(|| file.as_ref().map(Amount::text)))
    };
    let limits = SpecLimits {
        turns: given.limit_turns.or(file.turns),
        time_seconds: given.limit_time.or(file.time),
        tool_call_seconds: given.limit_tool_time.or(file.tool_time),
        input_tokens: given.limit_input_tokens.or(file.input_tokens),
        output_tokens: given.limit_output_tokens.or(file.output_tokens),
        attempt_cost_nano_usd: cost(&given.limit_attempt_cost, &file.attempt_cost)?,
        experiment_cost_nano_usd: cost(&given.limit_cost, &file.cost)?,
        experiment_tokens: given.limit_tokens.or(file.tokens),
        experiment_time_seconds: given.limit_run_time.or(file.run_time),
    };
    let numbers = [
        ("turns", limits.turns.map(u64::from)),
        ("time", limits.time_seconds),
        ("tool-time", limits.tool_call_seconds),
        ("input-tokens", limits.input_tokens),
        ("output-tokens", limits.output_tokens),
        ("tokens", limits.experiment_tokens),
        ("run-time", limits.experiment_time_seconds),
    ];
    match numbers.into_iter().find(|(_, limit)| *limit == Some(0)) {
        // With a limit of 0, attempts could do nothing and would still be graded.
        Some((name, _)) => Err(CommandError::usage(format!(
            "limit {name} is 0, but must be at least 1"
        ))),
        None => Ok(limits),
    }
}

/// Parses an amount in US dollars.
pub(crate) fn amount(text: Option<String>) -> Result<Option<Cost>, CommandError> {
    text.map(|text| Cost::from_usd(&text))
        .transpose()
        .map_err(CommandError::usage)
}

/// Reads the prices of a file.
fn own_prices(path: &Path) -> Result<Prices, CommandError> {
    let wrong = |message: String| CommandError::usage(format!("{}: {message}", path.display()));
    let text = files::read_text(path).map_err(|error| wrong(error.to_string()))?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    Prices::parse(&text, &name).map_err(|error| wrong(chain(&error)))
}

/// Returns the prices of the models. Those of a file take precedence over the shipped ones.
fn prices_of(participants: &[Participant], own: Option<Prices>) -> Prices {
    let prices = Prices::shipped().overridden(own.unwrap_or_default());
    let models = participants.iter().filter_map(|one| one.model.as_ref());
    let names: Vec<&str> = models.map(|model| model.name.as_str()).collect();
    prices.only(&names)
}
