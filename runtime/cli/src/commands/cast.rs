//! Who acts: models opened and asked for a sign of life, before anything is spent.

use std::sync::Arc;
use std::time::Duration;

use mcpmark_experiment::{AgentKind, Budget, Cast, Cost, External, Journal, Retries, Spec, steps};
use mcpmark_model::{AskErrorKind, Conversation, Model, OpenError, ToolSpec, Usage};
use serde_json::json;

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

/// Starts or reaches each server of others, and asks each model for a few words, with a tool in
/// reach.
pub(crate) async fn preflight(models: &[Model], spec: &Spec) -> Result<(), CommandError> {
    let variable = |name: &str| std::env::var(name).ok();
    for (name, server) in &spec.agent_settings.servers {
        // It goes again at once.
        if let Err(error) = External::start(name, server, variable).await {
            let message = chain(&error);
            let message = sanitise::line(&message);
            return Err(CommandError::usage(message).hint("nothing was run"));
        }
    }
    let agent = spec.agent;
    let conversation = Conversation::new("This is a check of the connection.", "Reply with: ok");
    let ping = ToolSpec {
        name: "ping".to_owned(),
        description: "Does nothing.".to_owned(),
        input_schema: json!({"type": "object", "properties": {}}),
    };
    let tools = match agent {
        AgentKind::Mcpmark => vec![ping],
        _ => Vec::new(),
    };
    for model in models {
        let asked = model
            .ask(&conversation, &tools, model.sampling_seed(0), SIGN_OF_LIFE)
            .await;
        let Err(error) = asked.result else {
            continue;
        };
        let message = format!("model {}: {}", model.name(), sanitise::line(&error.message));
        let hint = match error.kind {
            AskErrorKind::RateLimit | AskErrorKind::Overloaded => {
                output::note(&format!(
                    "{} {message}; going on, for that may pass",
                    output::paint(output::WARN, "warning:")
                ));
                continue;
            }
            AskErrorKind::Connection | AskErrorKind::Timeout => {
                "is --base-url right, and the server up?"
            }
            AskErrorKind::Auth => "the key is not accepted there",
            AskErrorKind::NoTools => {
                "the model takes no tools; use --agent react, or another model"
            }
            AskErrorKind::NotFound => "is the name right? it is the provider's own",
            AskErrorKind::Quota => "the account has nothing left",
            AskErrorKind::Unsupported => "leave that setting out for this model",
            _ => "nothing was run",
        };
        return Err(CommandError::usage(message).hint(hint));
    }
    Ok(())
}

/// Puts together who acts.
pub(crate) fn cast(
    spec: &Spec,
    models: Vec<Model>,
    journal: &Journal,
    experiment: &str,
    jobs: u32,
) -> Result<Cast, CommandError> {
    let (spent, _) = journal.spent(experiment).map_err(journal_error)?;
    let replay = match &spec.agent_settings.replay {
        Some(attempt) => {
            let trajectory = journal.trajectory(attempt).map_err(journal_error)?;
            steps(&trajectory).map_err(CommandError::infrastructure)?
        }
        None => Vec::new(),
    };
    let calls = spec.concurrency.model_calls.unwrap_or(jobs) as usize;
    let limit = spec.limits.experiment_cost_nano_usd;
    let mut policy = Retries::default();
    if let Some(retries) = spec.agent_settings.retries {
        policy.tries = retries.saturating_add(1);
    }
    Ok(Cast {
        models,
        prices: Arc::new(spec.prices.clone()),
        budget: Arc::new(Budget::new(calls, limit, spent)),
        retries: policy,
        compact_at: spec.agent_settings.compact_at,
        servers: spec.agent_settings.servers.clone(),
        limits: spec.limits,
        replay,
        ..Cast::plain(spec.agent)
    })
}

/// Tokens of an attempt that the estimate of a dry run takes: 15 turns, each with a request of
/// 20,000 and a reply of 500.
const TYPICAL: Usage = Usage {
    input: 300_000,
    cached: 0,
    output: 7_500,
    reasoning: 0,
};

/// What a spec would run and may cost.
pub(crate) fn dry_run(spec: &Spec) -> String {
    let planned = spec.plan().len();
    let mut text = format!(
        "{} of {}, {} each",
        output::count(planned, "attempt"),
        output::count(spec.tasks.len(), "task"),
        spec.attempts
    );
    if spec.models.is_empty() {
        return format!("{text}, by the {} agent\n", spec.agent.as_str());
    }
    text.push_str(&format!(
        " by {}\n",
        output::count(spec.models.len(), "model")
    ));
    let each = (planned / spec.models.len()) as u64;
    for model in &spec.models {
        let name = sanitise::line(&model.name);
        let cost = spec.prices.cost(&model.name, TYPICAL);
        let whole = cost.and_then(|cost| cost.nano_usd().checked_mul(each));
        let line = match (spec.prices.of(&model.name), whole) {
            (Some(row), Some(whole)) => format!(
                "  {name}: about {} ({}, {}, {} USD a million tokens of input, kept input, output; {})",
                Cost::from_nano_usd(whole),
                row.price.input.usd(),
                row.price.cached.usd(),
                row.price.output.usd(),
                row.source
            ),
            _ => format!("  {name}: the price is not known"),
        };
        text.push_str(&line);
        text.push('\n');
    }
    let limits = &spec.limits;
    let by_attempt = limits
        .attempt_cost_nano_usd
        .and_then(|limit| limit.nano_usd().checked_mul(planned as u64))
        .map(Cost::from_nano_usd);
    if let Some(most) = by_attempt
        .into_iter()
        .chain(limits.experiment_cost_nano_usd)
        .min()
    {
        text.push_str(&format!("  limited to about {most}\n"));
    }
    text.push_str(
        "  (an attempt is taken as 15 turns of 20,000 tokens in and 500 out; yours will differ)\n",
    );
    text
}
