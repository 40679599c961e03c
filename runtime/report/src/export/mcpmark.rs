//! Export to the results directory of the published benchmark:
//! `<model>__<service>/run-<n>/<category>__<task>/{meta,messages}.json` and `<model>__<service>/run-<n>/summary.json`.
//!
//! The format has only success and failure, so attempts without a grade are left out. The programs of the benchmark
//! then regard the run as incomplete, which is correct.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;

use mcpmark_agent::{AttemptLimits, End, EndKind};
use mcpmark_journal::report::reasoning_effort;
use mcpmark_journal::{Fault, GradeRow, Journal, MessageRole, Spec, Survey, SurveyRow};
use serde_json::{Value, json};

use super::{ExportError, Exported, Reason, Source, file_name, write_json};
use crate::format::instant;

/// Run of one model on one service.
#[derive(Default)]
struct Run {
    name: String,
    effort: String,
    service: String,
    agent: String,
    /// Time limit of an attempt, in seconds.
    timeout: u64,
    attempts: Vec<Attempt>,
}

struct Attempt {
    category: String,
    passed: bool,
    seconds: f64,
    agent_seconds: f64,
    input: u64,
    output: u64,
    reasoning: u64,
    turns: u32,
}

pub(super) fn write(
    journal: &Journal,
    experiment: &str,
    survey: &Survey,
    target: &Path,
) -> Result<Exported, ExportError> {
    let mut exported = Exported::default();
    let spec: Spec = serde_json::from_str(&journal.experiment(experiment)?.spec)?;
    let timeout = spec.limits.over(AttemptLimits::default()).time.as_secs();
    let slugs = Slugs::of(&survey.rows);
    let mut runs: BTreeMap<String, Run> = BTreeMap::new();
    for row in &survey.rows {
        if row.passed.is_none() {
            exported.leave_out(Reason::NotGraded);
            continue;
        }
        let source = Source::read(journal, &row.id)?;
        let (service, world, task) = source.task();
        let effort = effort(row);
        let name = named(row).to_owned();
        let dir = format!("{}__{}/run-{}", slugs.get(row), file_name(service), row.k);
        let place = target
            .join(&dir)
            .join(format!("{}__{}", file_name(world), file_name(task)));
        write_json(
            &place.join("meta.json"),
            &meta(&source, &name, &effort, timeout),
        )?;
        write_json(
            &place.join("messages.json"),
            &Value::from(messages(&source)),
        )?;
        let run = runs.entry(dir).or_insert_with(|| Run {
            name,
            effort,
            service: service.to_owned(),
            agent: row.agent.to_string(),
            timeout,
            attempts: Vec::new(),
        });
        run.attempts.push(attempt(&source, world));
        exported.attempts += 1;
    }
    for (dir, run) in runs {
        write_json(&target.join(dir).join("summary.json"), &summary(&run))?;
    }
    Ok(exported)
}

fn effort(row: &SurveyRow) -> String {
    reasoning_effort(&row.model_settings).unwrap_or_else(|| "default".to_owned())
}

/// Participant: agent, its settings, model, its settings.
type Player<'a> = (&'a str, &'a str, Option<&'a str>, &'a str);

fn player(row: &SurveyRow) -> Player<'_> {
    (
        &row.agent,
        &row.agent_settings,
        row.model.as_deref(),
        &row.model_settings,
    )
}

/// Directory names of the participants.
struct Slugs<'a>(HashMap<Player<'a>, String>);

impl<'a> Slugs<'a> {
    /// Assigns the names. A name is the name of the model without its provider, with `-` for `.`, and the effort. If
    /// two participants have the same name, the provider is added, and then a number if necessary.
    fn of(rows: &'a [SurveyRow]) -> Self {
        let mut players: Vec<(Player<'_>, &SurveyRow)> = Vec::new();
        let mut seen = HashSet::new();
        for row in rows {
            if seen.insert(player(row)) {
                players.push((player(row), row));
            }
        }
        let short = |row: &SurveyRow| {
            let name = named(row);
            slug(name.rsplit('/').next().unwrap_or(name), &effort(row))
        };
        let mut shared: HashMap<String, usize> = HashMap::new();
        for (_, row) in &players {
            *shared.entry(short(row)).or_default() += 1;
        }
        let mut taken = HashSet::new();
        let mut slugs = HashMap::new();
        for (player, row) in players {
            let plain = match shared[&short(row)] {
                1 => short(row),
                _ => slug(named(row), &effort(row)),
            };
            let numbered = (2..).map(|number| format!("{plain}-{number}"));
            let mut free = std::iter::once(plain.clone())
                .chain(numbered)
                .filter(|slug| !taken.contains(slug));
            // The sequence of numbers is infinite, so a free name exists.
            if let Some(slug) = free.next() {
                taken.insert(slug.clone());
                slugs.insert(player, slug);
            }
        }
        Self(slugs)
    }

    fn get(&self, row: &'a SurveyRow) -> &str {
        self.0.get(&player(row)).map_or("-", String::as_str)
    }
}

fn named(row: &SurveyRow) -> &str {
    row.model.as_deref().unwrap_or(&row.agent)
}

fn slug(name: &str, effort: &str) -> String {
    match effort {
        "default" => file_name(name),
        effort => format!("{}-{}", file_name(name), file_name(effort)),
    }
}

fn seconds(source: &Source) -> (f64, f64) {
    let whole = source
        .row
        .ended_ms
        .map_or(0.0, |ended| (ended - source.row.started_ms) as f64 / 1000.0);
    let agent = source.row.agent_us.map_or(whole, |us| us as f64 / 1e6);
    (whole, agent)
}

fn attempt(source: &Source, category: &str) -> Attempt {
    let (seconds, agent_seconds) = seconds(source);
    let usage = source.row.usage.unwrap_or_default();
    Attempt {
        category: category.to_owned(),
        passed: source.row.passed() == Some(true),
        seconds,
        agent_seconds,
        input: usage.input,
        output: usage.output,
        reasoning: usage.reasoning,
        turns: source.row.turns,
    }
}

fn meta(source: &Source, name: &str, effort: &str, timeout: u64) -> Value {
    let row = &source.row;
    let (service, world, task) = source.task();
    let passed = source.row.passed() == Some(true);
    let usage = row.usage.unwrap_or_default();
    let (seconds, agent_seconds) = seconds(source);
    let time = |ms: i64| instant(ms).replace('Z', "+00:00");
    let failed: Vec<String> = row
        .checks()
        .iter()
        .filter(|check| !check.passed)
        .map(|check| format!("{}: {}", check.name, check.detail))
        .chain(row.grade.iter().filter_map(stopped))
        .collect();
    let error = match &row.end {
        Some(end) if end.kind == EndKind::Completed => None,
        end => Some(end.as_ref().map(End::to_string).unwrap_or_default()),
    };
    json!({
        "task_name": format!("{world}__{task}"),
        "model_name": name,
        "litellm_run_model_name": name,
        "reasoning_effort": effort,
        "mcp": service,
        "timeout": timeout,
        "time": {
            "start": time(row.started_ms),
            "end": time(row.ended_ms.unwrap_or(row.started_ms)),
        },
        "agent_execution_time": agent_seconds,
        "task_execution_time": seconds,
        "execution_result": {
            "success": passed,
            "error_message": error,
            "verification_error": (!passed).then(|| failed.join("\n")),
            "verification_output": row.grade.as_ref().map(|grade| grade.log.as_str()),
        },
        "token_usage": {
            "input_tokens": usage.input,
            "output_tokens": usage.output,
            "total_tokens": usage.input + usage.output,
            "reasoning_tokens": usage.reasoning,
        },
        "turn_count": row.turns,
    })
}

/// Returns the fault that stopped the verifier, if the grade has one.
fn stopped(grade: &GradeRow) -> Option<String> {
    let Fault { kind, message } = grade.result.fault()?;
    Some(format!("{} ({kind}): {message}", grade.result.outcome()))
}

/// Returns the conversation in the format of the benchmark: without the system message, with reasoning in `<think>`,
/// and with calls and results as separate items.
fn messages(source: &Source) -> Vec<Value> {
    let mut items = Vec::new();
    for message in &source.trajectory.messages {
        let text = message.content["text"].as_str().unwrap_or_default();
        match message.role {
            MessageRole::User => items.push(json!({ "content": text, "role": "user" })),
            MessageRole::Assistant => {
                let said = match message.content["reasoning"].as_str() {
                    Some(reasoning) => format!("<think>\n{reasoning}\n</think>\n{text}"),
                    None => text.to_owned(),
                };
                if !said.is_empty() {
                    items.push(json!({
                        "id": "__fake_id__",
                        "content": [{ "annotations": [], "text": said, "type": "output_text" }],
                        "role": "assistant",
                        "status": "completed",
                        "type": "message",
                    }));
                }
                for call in message.content["calls"].as_array().into_iter().flatten() {
                    let id = call["id"].as_str().unwrap_or_default();
                    let arguments = call["malformed"]
                        .as_str()
                        .map_or_else(|| call["arguments"].to_string(), str::to_owned);
                    items.push(json!({
                        "arguments": arguments,
                        "call_id": id,
                        "name": call["name"],
                        "type": "function_call",
                        "id": "__fake_id__",
                    }));
                    if let Some(result) = source.result(message.turn, id) {
                        let output = json!({
                            "type": "text", "text": result, "annotations": null, "meta": null
                        });
                        items.push(json!({
                            "call_id": id,
                            "output": output.to_string(),
                            "type": "function_call_output",
                        }));
                    }
                }
            }
            MessageRole::System | MessageRole::Note | MessageRole::Compaction => {}
        }
    }
    items
}

/// Sums over attempts.
#[derive(Default)]
struct Sums {
    attempts: usize,
    passed: usize,
    seconds: f64,
    agent_seconds: f64,
    input: u64,
    output: u64,
    reasoning: u64,
    turns: u64,
}

impl Sums {
    fn add(&mut self, attempt: &Attempt) {
        self.attempts += 1;
        self.passed += usize::from(attempt.passed);
        self.seconds += attempt.seconds;
        self.agent_seconds += attempt.agent_seconds;
        self.input += attempt.input;
        self.output += attempt.output;
        self.reasoning += attempt.reasoning;
        self.turns += u64::from(attempt.turns);
    }

    fn mean(&self, sum: f64) -> f64 {
        sum / self.attempts.max(1) as f64
    }

    fn rate(&self) -> f64 {
        self.mean(self.passed as f64 * 100.0)
    }

    fn turn_usage(&self) -> Value {
        json!({ "total_turns": self.turns, "avg_turns": self.mean(self.turns as f64) })
    }
}

fn summary(run: &Run) -> Value {
    let mut all = Sums::default();
    let mut categories: BTreeMap<&str, Sums> = BTreeMap::new();
    for attempt in &run.attempts {
        all.add(attempt);
        categories
            .entry(&attempt.category)
            .or_default()
            .add(attempt);
    }
    let breakdown: serde_json::Map<String, Value> = categories
        .into_iter()
        .map(|(category, sums)| {
            let total = sums.input + sums.output;
            let value = json!({
                "total": sums.attempts,
                "success_rate": sums.rate(),
                "avg_time": sums.mean(sums.seconds),
                "token_usage": {
                    "total_input": sums.input,
                    "total_output": sums.output,
                    "total": total,
                    "total_reasoning": sums.reasoning,
                    "avg_input": sums.mean(sums.input as f64),
                    "avg_output": sums.mean(sums.output as f64),
                    "avg_total": sums.mean(total as f64),
                    "avg_reasoning": sums.mean(sums.reasoning as f64),
                },
                "turn_usage": sums.turn_usage(),
            });
            (category.to_owned(), value)
        })
        .collect();
    let total = all.input + all.output;
    json!({
        "model_name": run.name,
        "model_config": {
            "mcp_service": run.service,
            "model_name": run.name,
            "litellm_run_model_name": run.name,
            "reasoning_effort": run.effort,
            "timeout": run.timeout,
            "agent_name": run.agent,
        },
        "total_tasks": all.attempts,
        "successful_tasks": all.passed,
        "failed_tasks": all.attempts - all.passed,
        "success_rate": all.rate(),
        "total_task_execution_time": all.seconds,
        "average_task_execution_time": all.mean(all.seconds),
        "total_agent_execution_time": all.agent_seconds,
        "average_agent_execution_time": all.mean(all.agent_seconds),
        "token_usage": {
            "total_input_tokens": all.input,
            "total_output_tokens": all.output,
            "total_tokens": total,
            "total_reasoning_tokens": all.reasoning,
            "avg_input_tokens": all.mean(all.input as f64),
            "avg_output_tokens": all.mean(all.output as f64),
            "avg_total_tokens": all.mean(total as f64),
            "avg_reasoning_tokens": all.mean(all.reasoning as f64),
        },
        "turn_usage": all.turn_usage(),
        "category_breakdown": breakdown,
    })
}
