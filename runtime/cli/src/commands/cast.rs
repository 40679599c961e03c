//! Who acts: models opened and asked for a sign of life, before anything is spent.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use mcpmark_experiment::{
    AgentKind, Allowance, AttemptLimits, Budget, Cast, Cost, External, Journal, Retries, Spec,
    steps,
};
use mcpmark_model::{AskErrorKind, Conversation, Model, ModelSpec, OpenError, ToolSpec, Usage};
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
            Ok(_) => continue,
            Err(error) => error,
        };
        let place = match &settings.base_url {
            Some(url) => format!(" at {}", sanitise::line(url)),
            None => String::new(),
        };
        let said = sanitise::line(&error.message);
        let message = format!("model {}{place}: {said}", model.name());
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
        text.push_str(&format!(", by the {} agent\n", spec.agent.as_str()));
        text.push_str(&services(spec));
        return text + &limits(spec);
    }
    text.push_str(&format!(
        " by {}\n",
        output::count(spec.models.len(), "model")
    ));
    text.push_str(&services(spec));
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
        if !model.settings.is_default() {
            // Settings are numbers, names and an address without a key.
            let settings = serde_json::to_string(&model.settings).unwrap_or_default();
            text.push_str(&format!("    with {}\n", sanitise::line(&settings)));
        }
    }
    text.push_str(&limits(spec));
    text.push_str(
        "  (an attempt is taken as 15 turns of 20,000 tokens in and 500 out; yours will differ)\n",
    );
    text
}

/// The tasks of each service.
fn services(spec: &Spec) -> String {
    let mut tasks: BTreeMap<&str, usize> = BTreeMap::new();
    for task in &spec.tasks {
        let service = task.split('/').next().unwrap_or(task);
        *tasks.entry(service).or_default() += 1;
    }
    let line = |(service, tasks)| {
        let service = sanitise::line(service);
        format!("  {service}: {}\n", output::count(tasks, "task"))
    };
    tasks.into_iter().map(line).collect()
}

/// The limits that hold.
fn limits(spec: &Spec) -> String {
    let limits = &spec.limits;
    // The tasks' own may be lower.
    let of_attempt = limits.over(AttemptLimits::default());
    let mut each = vec![
        output::count(of_attempt.turns as usize, "turn"),
        format!("{} s", of_attempt.time.as_secs()),
        format!("{} s a tool call", of_attempt.tool_call.as_secs()),
    ];
    let tokens = |which: &str| {
        let which = which.to_owned();
        move |limit: u64| format!("{limit} {which} tokens")
    };
    each.extend(of_attempt.input_tokens.map(tokens("input")));
    each.extend(of_attempt.output_tokens.map(tokens("output")));
    each.extend(of_attempt.cost.map(|limit| limit.to_string()));
    let mut all = Vec::new();
    let Allowance { cost, tokens, time } = limits.of_experiment();
    all.extend(cost.map(|limit| limit.to_string()));
    all.extend(tokens.map(|limit| format!("{limit} tokens")));
    all.extend(time.map(|limit| format!("{} s", limit.as_secs())));
    if all.is_empty() {
        all.push("none".to_owned());
    }
    format!(
        "  limits of an attempt: {}\n  limits of the experiment: {}\n",
        each.join(", "),
        all.join(", ")
    )
}
