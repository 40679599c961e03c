//! Who acts: models opened and asked for a sign of life, before anything is spent.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use mcpmark_experiment::{AgentKind, Budget, Cast, External, Journal, Retries, Spec, steps};
use mcpmark_model::{AskError, AskErrorKind, Conversation, Model, ModelSpec, OpenError, ToolSpec};
use mcpmark_service::ToolClash;
use serde_json::json;

use crate::commands::program;
use crate::commands::run::journal_error;
use crate::error::{CommandError, chain};
use crate::output::{self, sanitise};

/// The longest that a model may take for its sign of life.
const SIGN_OF_LIFE: Duration = Duration::from_secs(120);

/// Opens the models of a spec; their keys come from the environment.
pub(crate) fn models(spec: &Spec) -> Result<Vec<Model>, CommandError> {
    let variable = |name: &str| std::env::var(name).ok();
    let mut models = Vec::new();
    for model in &spec.models {
        let model = Model::open(model, variable).map_err(open_error)?;
        if spec.agent == AgentKind::Mcpmark {
            model.check_tools().map_err(open_error)?;
        }
        models.push(model);
    }
    let limits = &spec.limits;
    if limits.attempt_cost_nano_usd.is_some() || limits.experiment_cost_nano_usd.is_some() {
        for model in &models {
            if spec.prices.of(model.name()).is_none() {
                let message = format!(
                    "the price of {} is not known, so a limit on cost cannot hold",
                    model.name()
                );
                return Err(CommandError::usage(message)
                    .hint("give prices with --prices FILE, or limit tokens instead"));
            }
        }
    }
    Ok(models)
}

fn open_error(error: OpenError) -> CommandError {
    let hint = match &error {
        OpenError::NoKey { variable, .. } => Some(format!("export {variable}=…")),
        OpenError::Provider { .. } => Some(
            "an endpoint that speaks like OpenAI's is `--model openai/NAME --base-url URL`"
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

/// What a model is asked for its sign of life: to call a tool, where it acts by calling some.
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

/// Looks at the variables of each server of others, and writes a request to each model, without
/// sending it.
pub(crate) async fn check(models: &[Model], spec: &Spec) -> Result<(), CommandError> {
    let variable = |name: &str| std::env::var(name).ok();
    for (name, server) in &spec.agent_settings.servers {
        if let Err(error) = External::check(name, server, variable) {
            let message = chain(&error);
            return Err(CommandError::usage(sanitise::line(&message)).hint("nothing was run"));
        }
    }
    if let Some(command) = &spec.agent_settings.command {
        program::check(command)?;
    }
    let (conversation, tools) = sign_of_life(spec.agent);
    for model in models {
        let seed = model.sampling_seed(0);
        if let Err(error) = model.check(&conversation, &tools, seed).await {
            return Err(refused(model, "", &error));
        }
    }
    Ok(())
}

/// The tools of servers of others, each with the name of its server.
pub(crate) type Beside = BTreeMap<String, String>;

/// Starts or reaches each server of others, whose tools go beside `tools`, and asks each model for a few words, with a tool in
/// reach. Gives the tools of those servers.
pub(crate) async fn preflight(
    models: &[Model],
    spec: &Spec,
    tools: &BTreeSet<String>,
) -> Result<Beside, CommandError> {
    let variable = |name: &str| std::env::var(name).ok();
    let mut beside = Beside::new();
    for (name, server) in &spec.agent_settings.servers {
        // It goes again at once.
        let started = External::start(name, server, variable).await;
        let started = started.map_err(|error| unusable(&chain(&error)))?;
        for tool in started.tools() {
            if beside.insert(tool.to_owned(), name.clone()).is_some() {
                return Err(clash(name, tool));
            }
        }
    }
    check_clashes(&beside, tools)?;
    let (conversation, tools) = sign_of_life(spec.agent);
    for (model, ModelSpec { settings, .. }) in models.iter().zip(&spec.models) {
        let asked = model
            .ask(&conversation, &tools, model.sampling_seed(0), SIGN_OF_LIFE)
            .await;
        let error = match asked.result {
            Ok(answer) if answer.usage.is_none() && spec.limits.counts_usage() => {
                let message = format!(
                    "model {}: it does not say how many tokens a reply took, so no limit on tokens \
                     or cost can hold",
                    model.name()
                );
                return Err(CommandError::usage(message)
                    .hint("limit turns or time instead: --limit-turns, --limit-run-time"));
            }
            Ok(answer) => {
                if !tools.is_empty() && answer.calls.is_empty() {
                    output::warn(&format!(
                        "model {} was asked to call a tool and did not; if it cannot, use --agent react",
                        sanitise::line(model.name())
                    ));
                }
                continue;
            }
            Err(error) => error,
        };
        let nobody = matches!(error.kind, AskErrorKind::Connection | AskErrorKind::Timeout);
        let place = match settings.base_url.is_some() || nobody {
            true => format!(" at {}", sanitise::line(model.base_url())),
            false => String::new(),
        };
        if matches!(
            error.kind,
            AskErrorKind::RateLimit | AskErrorKind::Overloaded
        ) {
            let said = sanitise::line(&error.message);
            output::warn(&format!(
                "model {}{place}: {said}; going on, for that may pass",
                model.name()
            ));
            continue;
        }
        return Err(refused(model, &place, &error));
    }
    Ok(beside)
}

/// Refuses a tool that both a world and a server of others have.
pub(crate) fn check_clashes(beside: &Beside, tools: &BTreeSet<String>) -> Result<(), CommandError> {
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

/// Why a model does not answer, and what may help.
fn refused(model: &Model, place: &str, error: &AskError) -> CommandError {
    let said = sanitise::line(&error.message);
    let message = format!("model {}{place}: {said}", model.name());
    CommandError::usage(message).hint(match error.kind {
        AskErrorKind::Connection | AskErrorKind::Timeout => {
            "is --base-url right, and the server up?"
        }
        AskErrorKind::Auth if !model.has_key() => {
            "no key was sent; --api-key-env names the variable that holds one for that address"
        }
        AskErrorKind::Auth => "the key is not accepted there",
        AskErrorKind::NoTools => "the model takes no tools; use --agent react, or another model",
        AskErrorKind::NotFound => "is the model's name right? it is the provider's own",
        AskErrorKind::Quota => "the account has nothing left",
        AskErrorKind::Unsupported => "leave that setting out for this model",
        _ => "nothing was run",
    })
}

/// Puts together who acts.
pub(crate) fn cast(
    spec: &Spec,
    models: Vec<Model>,
    journal: &Journal,
    experiment: &str,
    jobs: u32,
) -> Result<Cast, CommandError> {
    let spent = journal.spent(experiment).map_err(journal_error)?;
    let replay = match &spec.agent_settings.replay {
        Some(attempt) => {
            let trajectory = journal.trajectory(attempt).map_err(journal_error)?;
            steps(&trajectory).map_err(CommandError::infrastructure)?
        }
        None => Vec::new(),
    };
    let calls = spec.concurrency.model_calls.unwrap_or(jobs) as usize;
    let mut policy = Retries::default();
    if let Some(retries) = spec.agent_settings.retries {
        policy.tries = retries.saturating_add(1);
    }
    Ok(Cast {
        models,
        prices: Arc::new(spec.prices.clone()),
        budget: Arc::new(Budget::new(calls, spec.limits.of_experiment(), spent)),
        retries: policy,
        compact_at: spec.agent_settings.compact_at,
        servers: spec.agent_settings.servers.clone(),
        limits: spec.limits,
        replay,
        command: spec.agent_settings.command.clone(),
        ..Cast::plain(spec.agent)
    })
}
