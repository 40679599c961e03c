//! What is to be run, from the command line and a file.

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use mcpmark_experiment::{
    AgentKind, AgentSettings, CommandSpec, Concurrency, Cost, ServerSpec, Spec, SpecLimits,
};
use mcpmark_model::{ModelSettings, ModelSpec, Prices};
use serde::de::value::SeqAccessDeserializer;
use serde::de::{DeserializeOwned, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

use crate::args::{AgentArg, AgentName, RunArgs, Selection, Tier};
use crate::commands::{bundle, operands, program};
use crate::error::{CommandError, chain};
use crate::files;

/// The file of `--config`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
struct File {
    experiment: Option<String>,
    #[serde(deserialize_with = "texts")]
    tasks: Vec<String>,
    #[serde(deserialize_with = "texts")]
    tiers: Vec<String>,
    #[serde(deserialize_with = "texts")]
    tags: Vec<String>,
    agent: Option<AgentKind>,
    command: Option<Vec<String>>,
    #[serde(deserialize_with = "texts")]
    agent_env: Vec<String>,
    attempts: Option<u32>,
    jobs: Option<u32>,
    max_model_calls: Option<u32>,
    max_grades: Option<u32>,
    seed: Option<u64>,
    compact_at: Option<u64>,
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

/// Money, as text or as a number.
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

/// A model with its settings beside its name.
#[derive(Debug, Deserialize)]
struct FileModel {
    name: String,
    #[serde(flatten)]
    settings: toml::Table,
}

/// A list, for which an error says how one is written.
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

fn texts<'de, D: Deserializer<'de>>(value: D) -> Result<Vec<String>, D::Error> {
    value.deserialize_any(List {
        written: "a list, as in [\"filesystem\"]",
        of: PhantomData,
    })
}

fn file_models<'de, D: Deserializer<'de>>(value: D) -> Result<Vec<FileModel>, D::Error> {
    value.deserialize_any(List {
        written: "a list of tables; write [[models]]",
        of: PhantomData,
    })
}

/// What is to be run, but for the tasks, which are still to be selected.
pub(crate) struct Request {
    pub(crate) selection: Selection,
    pub(crate) experiment: Option<String>,
    pub(crate) spec: Spec,
}

/// Puts the command line and the file together.
pub(crate) fn resolve(args: &mut RunArgs) -> Result<Request, CommandError> {
    let file = match &args.config {
        Some(path) => read(path)?,
        None => File::default(),
    };
    let dir = args.config.as_deref().and_then(Path::parent);
    let dir = dir.map(Path::to_owned);
    let beside = |path: &PathBuf| match &dir {
        Some(dir) => dir.join(path),
        None => path.clone(),
    };
    // A place on the command line goes first, as all there does.
    let place = operands::take_place(&mut args.selection.selectors)?;
    operands::name(&mut args.published.tasks, place)?;
    let mut tasks = file.tasks.clone();
    let place = operands::take_place(&mut tasks)?;
    let place = place.map(|place| match bundle::is_reference(&place) {
        true => place,
        false => beside(&place),
    });
    args.published.tasks = args.published.tasks.take().or(place);
    args.published.check()?;
    let models = models(args, &file)?;
    let agent = agent(args, &file, models.is_empty())?;
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
    let prices = prices_of(&models, prices.as_deref())?;
    let is_model = agent.is_model();
    let spec = Spec {
        agent_settings: AgentSettings {
            compact_at: args.models.compact_at.or(file.compact_at),
            retries: args.models.retries.or(file.retries),
            servers: servers(args, &file)?,
            command: match agent {
                AgentKind::Command => Some(command(args, &file, dir.as_deref())?),
                _ => None,
            },
            ..AgentSettings::default()
        },
        models,
        attempts: args.attempts.or(file.attempts).unwrap_or(1),
        limits: limits(args, &file)?,
        seed: args.models.seed.or(file.seed).or(is_model.then_some(1)),
        prices,
        concurrency: Concurrency {
            jobs: args.jobs.or(file.jobs),
            model_calls: args.models.max_model_calls.or(file.max_model_calls),
            grades: args.models.max_grades.or(file.max_grades),
        },
        ..Spec::new(Vec::new(), agent)
    };
    for (name, number) in [
        ("attempts", Some(u64::from(spec.attempts))),
        ("compact-at", spec.agent_settings.compact_at),
    ] {
        if number == Some(0) {
            let message = format!("{name} is 0; it may be 1 or more");
            return Err(CommandError::usage(message));
        }
    }
    Ok(Request {
        selection,
        experiment: args.experiment.clone().or(file.experiment),
        spec,
    })
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

/// The file of `--mcp-config`: servers by name.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Servers {
    servers: BTreeMap<String, ServerSpec>,
}

/// The servers of the file and those of `--mcp-config`, which go first where names are equal.
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

fn agent(args: &RunArgs, file: &File, no_model: bool) -> Result<AgentKind, CommandError> {
    let named = args.agent.as_ref().map(|agent| match agent {
        AgentArg::Named(AgentName::Oracle) => AgentKind::Oracle,
        AgentArg::Named(AgentName::Nop) => AgentKind::Nop,
        AgentArg::Named(AgentName::Random) => AgentKind::Random,
        AgentArg::Named(AgentName::Mcpmark) => AgentKind::Mcpmark,
        AgentArg::Named(AgentName::React) => AgentKind::React,
        AgentArg::Named(AgentName::Replay) => AgentKind::Replay,
        AgentArg::Command(_) => AgentKind::Command,
    });
    let of_file = file
        .agent
        .or(file.command.is_some().then_some(AgentKind::Command));
    let default = match (&args.from, no_model) {
        (Some(_), _) => AgentKind::Replay,
        (None, true) => AgentKind::Oracle,
        (None, false) => AgentKind::Mcpmark,
    };
    let agent = named.or(of_file).unwrap_or(default);
    let name = agent.as_str();
    let wrong = |message: String| Err(CommandError::usage(message));
    let of_models = of_models(args);
    match agent {
        _ if agent.is_model() && no_model => wrong(format!(
            "--agent {name} asks a model; name one with --model provider/name"
        )),
        _ if !agent.is_model() && !no_model => {
            wrong(format!("--agent {name} asks no model; leave out --model"))
        }
        _ if !agent.is_model() && !of_models.is_empty() => wrong(format!(
            "--agent {name} asks no model; leave out {}",
            of_models.join(", ")
        )),
        AgentKind::Client => {
            wrong("agent client is whoever connects to `mcpmark mcp serve --attempt`".to_owned())
        }
        _ if agent != AgentKind::Command && !args.agent_env.is_empty() => wrong(format!(
            "--agent-env is for --agent command:PROGRAM, and not for {name}"
        )),
        AgentKind::Replay if args.from.is_none() => {
            wrong("--agent replay plays an attempt; name it with --from".to_owned())
        }
        AgentKind::Replay if !args.selection.selectors.is_empty() => wrong(format!(
            "--from names an attempt, and so its task; leave out {}",
            args.selection.selectors.join(" ")
        )),
        _ if agent != AgentKind::Replay && args.from.is_some() => {
            wrong(format!("--from is for --agent replay, and not for {name}"))
        }
        _ => Ok(agent),
    }
}

/// The program of `--agent command:…`, or of the file.
fn command(args: &RunArgs, file: &File, dir: Option<&Path>) -> Result<CommandSpec, CommandError> {
    let env = match args.agent_env.is_empty() {
        true => file.agent_env.clone(),
        false => args.agent_env.clone(),
    };
    let command = match (&args.agent, &file.command) {
        (Some(AgentArg::Command(words)), _) => program::beside(words, Path::new("."))?,
        (_, Some(words)) => program::beside(words, dir.unwrap_or(Path::new(".")))?,
        (_, None) => {
            return Err(CommandError::usage(
                "agent = \"command\" needs the program: command = [\"PROGRAM\", \"ARGUMENT\"]",
            ));
        }
    };
    let spec = CommandSpec { command, env };
    program::check(&spec)?;
    Ok(spec)
}

/// What is given on the command line that only a model heeds.
fn of_models(args: &RunArgs) -> Vec<&'static str> {
    let (models, limits) = (&args.models, &args.limits);
    let flags = [
        ("--base-url", models.base_url.is_some()),
        ("--api-key-env", models.api_key_env.is_some()),
        ("--api", models.api.is_some()),
        ("--reasoning-effort", models.reasoning_effort.is_some()),
        ("--temperature", models.temperature.is_some()),
        ("--top-p", models.top_p.is_some()),
        ("--max-output-tokens", models.max_output_tokens.is_some()),
        ("--sampling-seed", models.sampling_seed.is_some()),
        ("--compact-at", models.compact_at.is_some()),
        ("--retries", models.retries.is_some()),
        ("--prices", models.prices.is_some()),
        ("--max-model-calls", models.max_model_calls.is_some()),
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

/// The models of the command line, or those of the file; the settings of the command line hold for
/// all of them.
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
            })
            .collect()
    };
    for model in &mut models {
        let settings = &mut model.settings;
        settings.base_url = given.base_url.clone().or(settings.base_url.take());
        settings.api_key_env = given.api_key_env.clone().or(settings.api_key_env.take());
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
        if models[..index].contains(model) {
            let message = format!(
                "model {} stands there twice with the same settings",
                model.name
            );
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
        // Nothing could be done, and all of it would be graded.
        Some((name, _)) => Err(CommandError::usage(format!(
            "the limit {name} is 0; it may be 1 or more"
        ))),
        None => Ok(limits),
    }
}

/// An amount of money that somebody wrote.
pub(crate) fn amount(text: Option<String>) -> Result<Option<Cost>, CommandError> {
    text.map(|text| Cost::from_usd(&text))
        .transpose()
        .map_err(CommandError::usage)
}

/// The prices of some models: those of a file, and else those that ship.
fn prices_of(models: &[ModelSpec], file: Option<&Path>) -> Result<Prices, CommandError> {
    let mut prices = Prices::shipped();
    if let Some(path) = file {
        let wrong = |message: String| CommandError::usage(format!("{}: {message}", path.display()));
        let text = files::read_text(path).map_err(|error| wrong(error.to_string()))?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let own = Prices::parse(&text, &name).map_err(|error| wrong(chain(&error)))?;
        prices = prices.overridden(own);
    }
    let names: Vec<&str> = models.iter().map(|model| model.name.as_str()).collect();
    Ok(prices.only(&names))
}
