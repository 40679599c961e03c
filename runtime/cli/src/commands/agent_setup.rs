//! Participants of a run: opens models and sends test requests before anything is spent.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use mcpmark_experiment::{
    AgentKind, AgentSettings, AgentSetup, Budget, External, Gate, Journal, OpenedParticipant,
    Participant, Retries, ServerSpec, Spec, ToolFilter, ToolFilterError, steps,
};
use mcpmark_model::{
    Conversation, Model, ModelSpec, OpenError, Pace, RequestError, RequestErrorKind, ToolSpec,
};
use mcpmark_service::ToolClash;
use serde_json::json;

use crate::commands::program;
use crate::error::{CommandError, chain, journal_error};
use crate::output::{self, sanitise};

/// Timeout of the test request to a model.
const SIGN_OF_LIFE: Duration = Duration::from_secs(120);

/// Participants of a spec that will act, with the models that they use.
pub(crate) struct Models {
    models: Vec<Option<Model>>,
    acting: BTreeSet<usize>,
}

/// Opens the models of the participants that will act. Reads their keys from the environment.
pub(crate) fn models(spec: &Spec, acting: &BTreeSet<usize>) -> Result<Models, CommandError> {
    let variable = |name: &str| std::env::var(name).ok();
    let mut models = Vec::new();
    for (index, Participant { agent, model, .. }) in spec.participants.iter().enumerate() {
        let model = model.as_ref().filter(|_| acting.contains(&index));
        let Some(model) = model else {
            models.push(None);
            continue;
        };
        let model = Model::open(model, variable).map_err(open_error)?;
        if *agent == AgentKind::Mcpmark {
            model.check_tools().map_err(open_error)?;
        }
        models.push(Some(model));
    }
    let limits = &spec.limits;
    if limits.attempt_cost_nano_usd.is_some() || limits.experiment_cost_nano_usd.is_some() {
        for model in models.iter().flatten() {
            if spec.prices.of(model.name()).is_none() {
                let message = format!(
                    "model {}: its price is unknown, so a limit on cost cannot be enforced",
                    model.name()
                );
                return Err(CommandError::usage(message)
                    .hint("set prices with --prices FILE, or limit tokens instead"));
            }
        }
    }
    Ok(Models {
        models,
        acting: acting.clone(),
    })
}

impl Models {
    /// Returns the participants that will act.
    fn acting<'a>(&'a self, spec: &'a Spec) -> impl Iterator<Item = &'a Participant> {
        let indices = self.acting.iter();
        indices.filter_map(|index| spec.participants.get(*index))
    }

    /// Returns the participants that use a model, each with its model.
    fn asking<'a>(&'a self, spec: &'a Spec) -> impl Iterator<Item = (&'a Model, &'a Participant)> {
        let all = self.models.iter().zip(&spec.participants);
        all.filter_map(|(model, participant)| Some((model.as_ref()?, participant)))
    }
}

fn open_error(error: OpenError) -> CommandError {
    let hint = match &error {
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

/// Returns the test request of the preflight. It contains a tool call if the agent uses the provider's tool calls.
fn sign_of_life(agent: AgentKind) -> (Conversation, Vec<ToolSpec>) {
    let system = "This is a check of the connection.";
    if agent != AgentKind::Mcpmark {
        return (Conversation::new(system, "Reply with: ok"), Vec::new());
    }
    let ping = ToolSpec {
        name: "ping".to_owned(),
        description: "Does nothing.".to_owned(),
        input_schema: json!({"type": "object", "properties": {}}),
    };
    let conversation = Conversation::new(system, "Call the tool `ping`, and say nothing else.");
    (conversation, vec![ping])
}

/// Checks the environment variables of each external server and the programs of agents, and serialises a request to
/// each model without sending it.
pub(crate) async fn check(models: &Models, spec: &Spec) -> Result<(), CommandError> {
    let variable = |name: &str| std::env::var(name).ok();
    for (name, server) in Participant::servers(models.acting(spec)) {
        if let Err(error) = External::check(name, server, variable) {
            let message = chain(&error);
            return Err(CommandError::usage(sanitise::line(&message)).hint("nothing was run"));
        }
    }
    for participant in models.acting(spec) {
        if let Some(command) = &participant.agent_settings.command {
            program::check(command)?;
        }
    }
    for (model, participant) in models.asking(spec) {
        let (conversation, tools) = sign_of_life(participant.agent);
        let seed = model.sampling_seed(0);
        if let Err(error) = model.check(&conversation, &tools, seed).await {
            return Err(refused(model, "", &error));
        }
    }
    Ok(())
}

/// Tools of external servers, with the names of their servers.
pub(crate) type ExternalTools = BTreeMap<String, String>;

/// Returns the filter for the tools that an agent is offered.
fn tool_filter(settings: &AgentSettings) -> Result<ToolFilter, CommandError> {
    ToolFilter::parse(&settings.tools).map_err(no_such_tools)
}

fn no_such_tools(error: ToolFilterError) -> CommandError {
    unusable(&format!("--tools: {error}"))
}

/// Checks that each glob of `--tools` matches a tool and that some tools are left for each kind of world. Skipped if
/// the tools of external servers are not known yet.
fn check_filter(
    settings: &AgentSettings,
    worlds: &[BTreeSet<String>],
    beside: &ExternalTools,
) -> Result<(), CommandError> {
    let filter = tool_filter(settings)?;
    if beside.is_empty() && !settings.servers.is_empty() {
        return Ok(());
    }
    let with_servers = |tools: &BTreeSet<String>| -> BTreeSet<String> {
        tools.iter().chain(beside.keys()).cloned().collect()
    };
    let all = with_servers(&worlds.iter().flatten().cloned().collect());
    filter.check_matches(&all).map_err(no_such_tools)?;
    let mut each = worlds.iter().map(with_servers);
    each.try_for_each(|tools| filter.check_left(&tools))
        .map_err(no_such_tools)
}

/// Checks the tool filters of all participants that will act, as far as that is possible without the tools of external
/// servers.
pub(crate) fn check_filters(
    models: &Models,
    spec: &Spec,
    worlds: &[BTreeSet<String>],
) -> Result<(), CommandError> {
    let mut acting = models.acting(spec);
    acting.try_for_each(|one| check_filter(&one.agent_settings, worlds, &ExternalTools::new()))
}

/// Delay before a message says what is waited for.
const UNSAID: Duration = Duration::from_secs(1);

/// Awaits a future, and prints what it waits for if that takes longer than [`UNSAID`].
async fn announced<T>(work: impl Future<Output = T>, what: impl FnOnce() -> String) -> T {
    let mut work = std::pin::pin!(work);
    match tokio::time::timeout(UNSAID, work.as_mut()).await {
        Ok(done) => done,
        Err(_) => {
            let line = format!("· {}", sanitise::line(&what()));
            output::note(&output::paint(output::DIM, line));
            work.await
        }
    }
}

/// Starts or contacts each external server, and sends a test request to each model, with a tool if the agent uses tool
/// calls. Returns the tools of those servers.
pub(crate) async fn preflight(
    models: &Models,
    spec: &Spec,
    worlds: &[BTreeSet<String>],
) -> Result<ExternalTools, CommandError> {
    let variable = |name: &str| std::env::var(name).ok();
    let mut offered: Vec<((&str, &ServerSpec), Vec<String>)> = Vec::new();
    for (name, server) in Participant::servers(models.acting(spec)) {
        // The server is dropped at the end of the iteration; each attempt starts its own.
        let starting = External::start(name, server, variable);
        let what = || format!("waiting for server {name} to start");
        let started = announced(starting, what).await;
        let started = started.map_err(|error| unusable(&chain(&error)))?;
        let tools = started.tools().map(|tool| tool.to_string()).collect();
        offered.push(((name, server), tools));
    }
    let mut all = ExternalTools::new();
    for participant in models.acting(spec) {
        let mut beside = ExternalTools::new();
        for (name, server) in &participant.agent_settings.servers {
            let own = offered
                .iter()
                .filter(|(known, _)| *known == (name.as_str(), server));
            for tool in own.flat_map(|(_, tools)| tools) {
                if beside.insert(tool.clone(), name.clone()).is_some() {
                    return Err(clash(name, tool));
                }
            }
        }
        for tools in worlds {
            check_clashes(&beside, tools)?;
        }
        check_filter(&participant.agent_settings, worlds, &beside)?;
        all.extend(beside);
    }
    for (model, participant) in models.asking(spec) {
        let (conversation, tools) = sign_of_life(participant.agent);
        let asking = model.ask(&conversation, &tools, model.sampling_seed(0), SIGN_OF_LIFE);
        let what = || format!("waiting for the first reply of model {}", model.name());
        let asked = announced(asking, what).await;
        let error = match asked.result {
            Ok(answer) if answer.usage.is_none() && spec.limits.counts_usage() => {
                let message = format!(
                    "model {}: its replies do not report token usage, so limits on tokens and cost \
                     cannot be enforced",
                    model.name()
                );
                return Err(CommandError::usage(message)
                    .hint("limit turns or time instead: --limit-turns, --limit-run-time"));
            }
            Ok(answer) => {
                if !tools.is_empty() && answer.calls.is_empty() {
                    output::warn(&format!(
                        "model {}: did not call the tool of the test request; if it cannot call tools, use --agent react",
                        sanitise::line(model.name())
                    ));
                }
                continue;
            }
            Err(error) => error,
        };
        let nobody = matches!(
            error.kind,
            RequestErrorKind::Connection | RequestErrorKind::Timeout
        );
        let settings = participant.model.as_ref().map(|model| &model.settings);
        let elsewhere = settings.is_some_and(|settings| settings.base_url.is_some());
        let place = if elsewhere || nobody {
            format!(" at {}", sanitise::line(model.base_url()))
        } else {
            String::new()
        };
        if matches!(
            error.kind,
            RequestErrorKind::RateLimit | RequestErrorKind::Overloaded
        ) {
            let said = sanitise::line(&error.message);
            output::warn(&format!(
                "model {}{place}: {said}; continuing, because the error may be temporary",
                model.name()
            ));
            continue;
        }
        return Err(refused(model, &place, &error));
    }
    Ok(all)
}

/// Refuses a tool name that both a world and an external server have.
pub(crate) fn check_clashes(
    beside: &ExternalTools,
    tools: &BTreeSet<String>,
) -> Result<(), CommandError> {
    match beside.iter().find(|(tool, _)| tools.contains(*tool)) {
        Some((tool, server)) => Err(clash(server, tool)),
        None => Ok(()),
    }
}

fn clash(server: &str, tool: &str) -> CommandError {
    let clash = ToolClash(tool.to_owned());
    unusable(&format!("server {server}: {clash}"))
}

fn unusable(message: &str) -> CommandError {
    CommandError::usage(sanitise::line(message)).hint("nothing was run")
}

/// Converts the error of a model, with a hint.
fn refused(model: &Model, place: &str, error: &RequestError) -> CommandError {
    let said = sanitise::line(&error.message);
    let message = format!("model {}{place}: {said}", model.name());
    CommandError::usage(message).hint(match error.kind {
        RequestErrorKind::Connection | RequestErrorKind::Timeout => {
            "check --base-url, and whether the server is running"
        }
        RequestErrorKind::Auth if !model.has_key() => {
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

/// Limits on requests to models, by name and address. Participants with the same model at the same address share one
/// gate, whatever their settings, because the server counts their requests together.
struct Gates(BTreeMap<(String, Option<String>), Arc<Gate>>);

impl Gates {
    fn of(participants: &[Participant]) -> Self {
        let mut paces: BTreeMap<_, Pace> = BTreeMap::new();
        for model in participants.iter().filter_map(|one| one.model.as_ref()) {
            let pace = paces.entry(Self::place(model)).or_default();
            *pace = pace.and(model.pace);
        }
        let gate = |(place, pace)| (place, Arc::new(Gate::new(pace)));
        Self(paces.into_iter().map(gate).collect())
    }

    fn place(model: &ModelSpec) -> (String, Option<String>) {
        (model.name.clone(), model.settings.base_url.clone())
    }

    /// Returns the gate of a model. Without a model, the gate has no limits.
    fn gate(&self, model: Option<&ModelSpec>) -> Arc<Gate> {
        let known = model.and_then(|model| self.0.get(&Self::place(model)));
        known.map_or_else(|| Arc::new(Gate::new(Pace::default())), Arc::clone)
    }
}

/// Assembles the participants of a run.
pub(crate) fn open_participants(
    spec: &Spec,
    models: Models,
    journal: &Journal,
    experiment: &str,
    jobs: u32,
) -> Result<AgentSetup, CommandError> {
    let spent = journal.spent(experiment).map_err(journal_error)?;
    let gates = Gates::of(&spec.participants);
    let mut participants = Vec::new();
    for (model, participant) in models.models.into_iter().zip(&spec.participants) {
        let settings = &participant.agent_settings;
        let replay = match &settings.replay {
            Some(attempt) => {
                let trajectory = journal.trajectory(attempt).map_err(journal_error)?;
                steps(&trajectory).map_err(CommandError::infrastructure)?
            }
            None => Vec::new(),
        };
        let mut policy = Retries::default();
        if let Some(retries) = settings.retries {
            policy.tries = retries.saturating_add(1);
        }
        participants.push(OpenedParticipant {
            model,
            gate: gates.gate(participant.model.as_ref()),
            retries: policy,
            compact_at: settings.compact_at,
            max_result_bytes: settings.max_result_bytes,
            system_prompt: settings.system_prompt.as_deref().map(Into::into),
            tools: tool_filter(settings)?,
            servers: settings.servers.clone(),
            replay,
            command: settings.command.clone(),
            ..OpenedParticipant::plain(participant.agent)
        });
    }
    let calls = spec.concurrency.model_calls.unwrap_or(jobs) as usize;
    Ok(AgentSetup {
        participants,
        prices: Arc::new(spec.prices.clone()),
        budget: Arc::new(Budget::new(calls, spec.limits.of_experiment(), spent)),
        limits: spec.limits,
    })
}
