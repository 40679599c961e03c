//! `--dry-run`: the attempts of an experiment and an estimate of their cost.

use std::collections::{BTreeMap, BTreeSet};

use mcpmark_experiment::{
    AgentKind, AgentSettings, Allowance, AttemptLimits, Cost, Participant, Planned, ResultView,
    ServerTransport, Spec,
};
use mcpmark_metadata::{AttemptEstimate, CostEstimate, ModelEstimate, PlanReport};
use mcpmark_model::{ModelSpec, Pace, PriceRow, Usage};
use serde_json::json;

use crate::commands::runs;
use crate::error::CommandError;
use crate::output::{self, sanitise};

/// Assumed number of turns of an attempt, unless its limit is lower.
const TURNS: u32 = 15;
/// Assumed number of input tokens of a request.
const INPUT: u64 = 20_000;
/// Assumed number of output tokens of a reply.
const OUTPUT: u64 = 500;

/// Cost estimate of a model.
struct Estimate<'a> {
    model: &'a ModelSpec,
    /// Price and cost of all attempts; `None` if the price is unknown.
    cost: Option<(&'a PriceRow, Cost)>,
}

/// Cost estimate of all attempts.
struct Total {
    cost: Cost,
    /// Number of models whose price is unknown.
    unknown: usize,
    /// True if a limit of the experiment lowers the estimate.
    limited: bool,
}

/// Prints the attempts from a position of the plan, and their estimated cost. `jobs` is the number of concurrent
/// attempts.
pub(crate) fn say(spec: &Spec, from: usize, jobs: u32, as_json: bool) -> Result<(), CommandError> {
    let mut plan = spec.plan();
    plan.drain(..from);
    let estimates = estimates(spec, &plan);
    let total = total(spec, &plan, &estimates);
    if as_json {
        return output::print_json(&document(spec, &plan, &estimates, &total));
    }
    output::print(&text(spec, &plan, jobs, &estimates, &total))
}

/// Returns the assumed turns and tokens of an attempt, bounded by its limits.
fn typical(spec: &Spec) -> (u32, Usage) {
    let limits = spec.limits.over(AttemptLimits::default());
    let turns = TURNS.min(limits.turns);
    let within = |limit: Option<u64>, tokens: u64| limit.map_or(tokens, |limit| limit.min(tokens));
    let usage = Usage {
        input: within(limits.input_tokens, INPUT * u64::from(turns)),
        cached: 0,
        output: within(limits.output_tokens, OUTPUT * u64::from(turns)),
        reasoning: 0,
    };
    (turns, usage)
}

fn estimates<'a>(spec: &'a Spec, plan: &[Planned]) -> Vec<Estimate<'a>> {
    let (_, usage) = typical(spec);
    let mut attempts = vec![0; spec.participants.len()];
    for planned in plan {
        attempts[planned.participant] += 1;
    }
    let estimate = |(participant, attempts): (&'a Participant, u64)| {
        let model = participant.model.as_ref().filter(|_| attempts > 0)?;
        Some(Estimate {
            model,
            cost: cost(spec, model, usage, attempts),
        })
    };
    let participants = spec.participants.iter().zip(attempts);
    participants.filter_map(estimate).collect()
}

fn cost<'a>(
    spec: &'a Spec,
    model: &ModelSpec,
    usage: Usage,
    attempts: u64,
) -> Option<(&'a PriceRow, Cost)> {
    let row = spec.prices.of(&model.name)?;
    let mut each = row.price.cost(usage)?;
    if let Some(limit) = spec.limits.attempt_cost_nano_usd {
        each = each.min(limit);
    }
    let all = each.nano_usd().checked_mul(attempts)?;
    Some((row, Cost::from_nano_usd(all)))
}

fn total(spec: &Spec, plan: &[Planned], estimates: &[Estimate<'_>]) -> Total {
    let known = estimates.iter().filter_map(|one| one.cost.as_ref());
    let sum = known.fold(0_u64, |sum, (_, cost)| sum.saturating_add(cost.nano_usd()));
    let Allowance { cost, tokens, .. } = spec.limits.of_experiment();
    let (_, usage) = typical(spec);
    let asking = plan
        .iter()
        .filter(|planned| planned.key.model.is_some())
        .count();
    let all = (usage.input + usage.output).saturating_mul(asking as u64);
    let mut least = sum;
    if let Some(limit) = tokens.filter(|limit| *limit < all) {
        // The cost is assumed to be proportional to the tokens.
        let share = u128::from(sum) * u128::from(limit) / u128::from(all);
        least = u64::try_from(share).unwrap_or(sum);
    }
    least = cost.map_or(least, |limit| least.min(limit.nano_usd()));
    Total {
        cost: Cost::from_nano_usd(least),
        unknown: estimates.iter().filter(|one| one.cost.is_none()).count(),
        limited: least < sum,
    }
}

fn document(
    spec: &Spec,
    plan: &[Planned],
    estimates: &[Estimate<'_>],
    total: &Total,
) -> PlanReport {
    let (turns, usage) = typical(spec);
    let models: Vec<_> = estimates
        .iter()
        .map(|Estimate { model, cost }| ModelEstimate {
            model: model.name.clone(),
            model_settings: json!(model.settings),
            cost_usd: cost.as_ref().map(|(_, cost)| cost.usd()),
        })
        .collect();
    let known = total.unknown == 0 && !models.is_empty();
    PlanReport {
        attempts: plan.len(),
        estimate: CostEstimate {
            an_attempt: AttemptEstimate {
                turns,
                input_tokens: usage.input,
                output_tokens: usage.output,
            },
            models,
            cost_usd: known.then(|| total.cost.usd()),
        },
        spec: json!(spec),
    }
}

fn text(
    spec: &Spec,
    plan: &[Planned],
    jobs: u32,
    estimates: &[Estimate<'_>],
    total: &Total,
) -> String {
    let acting = |of: fn(&Planned) -> usize| plan.iter().map(of).collect::<BTreeSet<_>>().len();
    let tasks = acting(|planned| planned.task);
    let mut text = format!(
        "{} of {}",
        output::count(plan.len(), "attempt"),
        output::count(tasks, "task")
    );
    if plan.len() == spec.planned() && spec.steps.is_empty() {
        text.push_str(&format!(" (k = {})", spec.attempts));
    }
    let models = estimates.len();
    let baselines = acting(|planned| planned.participant) - models;
    match (models, baselines) {
        (0, 0 | 1) => text.push('\n'),
        (0, agents) => text.push_str(&format!(" by {}\n", output::count(agents, "agent"))),
        (models, 0) => text.push_str(&format!(" by {}\n", output::count(models, "model"))),
        (models, agents) => text.push_str(&format!(
            " by {} and {} without a model\n",
            output::count(models, "model"),
            output::count(agents, "agent")
        )),
    }
    text.push_str(&services(plan));
    for agent in agents(spec, plan) {
        text.push_str(&format!("  agent: {agent}\n"));
    }
    for (name, server) in spec.servers() {
        let reached = match &server.transport {
            ServerTransport::Program { command, .. } => command.first().map_or("", String::as_str),
            ServerTransport::Http(server) => server.url(),
        };
        let line = format!("server {name}: {reached}");
        text.push_str(&format!("  {}\n", sanitise::line(&line)));
    }
    text.push_str(&format!("  concurrency: {}\n", concurrency(spec, jobs)));
    text.push_str(&limits(spec));
    for Estimate { model, cost } in estimates {
        let effort = model
            .settings
            .reasoning_effort
            .map(|effort| effort.as_str());
        let name = runs::with_effort(&model.name, effort);
        let name = sanitise::line(&name);
        let line = match cost {
            Some((row, whole)) => format!(
                "  {name}: about {whole} ({}, {}, {} USD per million tokens of input, cached input and output; {})",
                row.price.input.usd(),
                row.price.cached.usd(),
                row.price.output.usd(),
                row.source
            ),
            None => format!("  {name}: price unknown"),
        };
        text.push_str(&line);
        text.push('\n');
        if !model.pace.is_default() {
            text.push_str(&format!("    at most {}\n", pace(model.pace)));
        }
        if !model.settings.is_default() {
            // The settings contain no secrets: only numbers, names, and an address without a key.
            let settings = serde_json::to_string(&model.settings).unwrap_or_default();
            text.push_str(&format!("    settings: {}\n", sanitise::line(&settings)));
        }
    }
    if !estimates.is_empty() {
        text.push_str(&format!("  total: {}\n", together(total, estimates.len())));
        let (turns, usage) = typical(spec);
        text.push_str(&format!(
            "  (assuming {}, {} input tokens and {} output tokens per attempt)\n",
            output::count(turns as usize, "turn"),
            usage.input,
            usage.output
        ));
    }
    text
}

/// Describes the limits on concurrent requests and on their rate.
fn pace(pace: Pace) -> String {
    let calls = pace
        .max_calls
        .map(|calls| output::count(calls as usize, "concurrent request"));
    let rate = pace.requests_per_minute.map(|requests| {
        let requests = output::count(requests as usize, "request");
        format!("{requests} per minute")
    });
    let parts: Vec<String> = calls.into_iter().chain(rate).collect();
    parts.join(", ")
}

fn together(total: &Total, models: usize) -> String {
    let Total {
        cost,
        unknown,
        limited,
    } = total;
    let limited = if *limited {
        ", bounded by the limit of the experiment"
    } else {
        ""
    };
    match unknown {
        0 => format!("about {cost}{limited}"),
        _ if *unknown == models => "unknown".to_owned(),
        _ => format!(
            "about {cost}{limited}, plus the unknown cost of {}",
            output::count(*unknown, "model")
        ),
    }
}

/// Describes the agents of the plan with their settings.
fn agents(spec: &Spec, plan: &[Planned]) -> Vec<String> {
    let acting: BTreeSet<usize> = plan.iter().map(|planned| planned.participant).collect();
    let mut agents: Vec<String> = Vec::new();
    for participant in acting
        .iter()
        .filter_map(|index| spec.participants.get(*index))
    {
        let agent = agent(participant.agent, &participant.agent_settings);
        if !agents.contains(&agent) {
            agents.push(agent);
        }
    }
    agents
}

fn agent(kind: AgentKind, settings: &AgentSettings) -> String {
    let mut parts = vec![kind.as_str().to_owned()];
    parts.extend(
        settings
            .replay
            .as_ref()
            .map(|id| format!("of attempt {id}")),
    );
    parts.extend(settings.command.as_ref().map(|spec| {
        let words: Vec<String> = spec
            .command
            .iter()
            .map(|word| format!("{word:?}"))
            .collect();
        sanitise::line(&words.join(" ")).into_owned()
    }));
    parts.extend(
        settings
            .compact_at
            .map(|tokens| format!("compaction at {tokens} tokens")),
    );
    let prompt = settings.system_prompt.as_ref();
    parts.extend(prompt.map(|text| format!("system prompt of {} bytes", text.len())));
    if !settings.tools.is_empty() {
        let tools = settings.tools.join(" ");
        parts.push(format!("tools {}", sanitise::line(&tools)));
    }
    if kind.is_model() {
        parts.extend(match settings.max_result_bytes {
            Some(ResultView::DEFAULT_MAX_BYTES) => None,
            Some(bytes) => Some(format!("results cut to {bytes} bytes")),
            None => Some("results not cut".to_owned()),
        });
    }
    let retries = settings.retries.map(|retries| match retries {
        1 => "1 retry".to_owned(),
        retries => format!("{retries} retries"),
    });
    parts.extend(retries);
    parts.join(", ")
}

/// Describes the concurrency of attempts, requests and grades.
fn concurrency(spec: &Spec, jobs: u32) -> String {
    let concurrency = &spec.concurrency;
    let mut parts = vec![output::count(jobs as usize, "attempt")];
    if spec.models().next().is_some() {
        let calls = concurrency.model_calls.unwrap_or(jobs);
        parts.push(output::count(calls as usize, "request"));
    }
    let grades = super::experiment_run::jobs(concurrency.grades);
    parts.push(output::count(grades as usize, "grade"));
    parts.join(", ")
}

/// Counts the tasks of each service.
fn services(plan: &[Planned]) -> String {
    let mut tasks: BTreeMap<&str, usize> = BTreeMap::new();
    let ids: BTreeSet<&str> = plan.iter().map(|planned| &*planned.key.task).collect();
    for task in ids {
        let service = task.split('/').next().unwrap_or(task);
        *tasks.entry(service).or_default() += 1;
    }
    let line = |(service, tasks)| {
        let service = sanitise::line(service);
        format!("  {service}: {}\n", output::count(tasks, "task"))
    };
    tasks.into_iter().map(line).collect()
}

/// Describes the limits of attempts and of the experiment.
fn limits(spec: &Spec) -> String {
    let limits = &spec.limits;
    // The limits of a task may be lower.
    let of_attempt = limits.over(AttemptLimits::default());
    let mut each = vec![
        output::count(of_attempt.turns as usize, "turn"),
        format!("{} s", of_attempt.time.as_secs()),
        format!("{} s per tool call", of_attempt.tool_call.as_secs()),
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
