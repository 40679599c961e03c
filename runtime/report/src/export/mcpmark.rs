//! The results directory of the published benchmark:
//! `<model>__<service>/run-<n>/<category>__<task>/{meta,messages}.json` and
//! `<model>__<service>/run-<n>/summary.json`.
//!
//! That layout knows only success and failure. An attempt without a grade is neither, and is left
//! out; its programs then take the run for incomplete, which it is.

use std::collections::BTreeMap;
use std::path::Path;

use mcpmark_experiment::Journal;
use mcpmark_experiment::journal::{Survey, SurveyRow};
use serde_json::{Value, json};

use super::{ExportError, Exported, Source, file_name, write_json};
use crate::format::instant;

/// A run of one model on one service.
#[derive(Default)]
struct Run {
    name: String,
    effort: String,
    service: String,
    agent: String,
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
    survey: &Survey,
    target: &Path,
) -> Result<Exported, ExportError> {
    let mut exported = Exported::default();
    let mut runs: BTreeMap<String, Run> = BTreeMap::new();
    for row in &survey.rows {
        if row.passed.is_none() {
            exported.left_out += 1;
            continue;
        }
        let source = Source::read(journal, &row.id)?;
        let (service, world, task) = source.task();
        let effort = effort(row);
        let name = row.model.clone().unwrap_or_else(|| row.agent.clone());
        let dir = format!(
            "{}__{}/run-{}",
            slug(&name, &effort),
            file_name(service),
            row.k
        );
        let place = target
            .join(&dir)
            .join(format!("{}__{}", file_name(world), file_name(task)));
        write_json(&place.join("meta.json"), &meta(&source, &name, &effort))?;
        write_json(
            &place.join("messages.json"),
            &Value::from(messages(&source)),
        )?;
        let run = runs.entry(dir).or_insert_with(|| Run {
            name,
            effort,
            service: service.to_owned(),
            agent: row.agent.clone(),
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
    let settings: Value = serde_json::from_str(&row.model_settings).unwrap_or_default();
    let effort = settings
        .get("reasoning_effort")
        .or_else(|| settings.get("reasoning-effort"))
        .and_then(Value::as_str);
    effort.unwrap_or("default").to_owned()
}

/// The model's name without its provider, with `-` for `.`, and its effort.
fn slug(name: &str, effort: &str) -> String {
    let name = file_name(name.rsplit('/').next().unwrap_or(name));
    if effort == "default" {
        name
    } else {
        format!("{name}-{}", file_name(effort))
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
        passed: source.passed() == Some(true),
        seconds,
        agent_seconds,
        input: usage.input,
        output: usage.output,
        reasoning: usage.reasoning,
        turns: source.row.turns,
    }
}

fn meta(source: &Source, name: &str, effort: &str) -> Value {
    let row = &source.row;
    let (service, world, task) = source.task();
    let passed = source.passed() == Some(true);
    let usage = row.usage.unwrap_or_default();
    let (seconds, agent_seconds) = seconds(source);
    let time = |ms: i64| instant(ms).replace('Z', "+00:00");
    let failed: Vec<String> = row
        .grade
        .iter()
        .flat_map(|grade| &grade.checks)
        .filter(|check| !check.passed)
        .map(|check| format!("{}: {}", check.name, check.detail))
        .collect();
    let ended = row.ended.as_deref().unwrap_or_default();
    let error = (ended != "completed").then(|| match &row.ended_detail {
        Some(detail) => format!("{ended}: {detail}"),
        None => ended.to_owned(),
    });
    json!({
        "task_name": format!("{world}__{task}"),
        "model_name": name,
        "litellm_run_model_name": name,
        "reasoning_effort": effort,
        "mcp": service,
        "timeout": 3600,
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

/// The conversation in the form of that benchmark's messages: no system message, reasoning within
/// `<think>`, a call and its result as items of their own.
fn messages(source: &Source) -> Vec<Value> {
    let mut items = Vec::new();
    for message in &source.trajectory.messages {
        let text = message.content["text"].as_str().unwrap_or_default();
        match message.role.as_str() {
            "user" | "note" => items.push(json!({ "content": text, "role": "user" })),
            "assistant" => {
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
            _ => {}
        }
    }
    items
}

fn summary(run: &Run) -> Value {
    let of = |attempts: &[&Attempt]| -> Value {
        let n = attempts.len().max(1) as f64;
        let sum = |figure: fn(&Attempt) -> u64| attempts.iter().map(|a| figure(a)).sum::<u64>();
        let passed = attempts.iter().filter(|attempt| attempt.passed).count();
        let (input, output, reasoning) =
            (sum(|a| a.input), sum(|a| a.output), sum(|a| a.reasoning));
        let turns: u32 = attempts.iter().map(|attempt| attempt.turns).sum();
        let seconds: f64 = attempts.iter().map(|attempt| attempt.seconds).sum();
        let agent: f64 = attempts.iter().map(|attempt| attempt.agent_seconds).sum();
        json!({
            "total": attempts.len(),
            "successful": passed,
            "rate": passed as f64 * 100.0 / n,
            "seconds": seconds,
            "agent_seconds": agent,
            "n": n,
            "input": input,
            "output": output,
            "reasoning": reasoning,
            "turns": turns,
        })
    };
    let all: Vec<&Attempt> = run.attempts.iter().collect();
    let total = of(&all);
    let number = |sums: &Value, key: &str| sums[key].as_f64().unwrap_or_default();
    let mean = |sums: &Value, key: &str| number(sums, key) / number(sums, "n");
    let mut categories: BTreeMap<&str, Vec<&Attempt>> = BTreeMap::new();
    for attempt in &run.attempts {
        categories
            .entry(&attempt.category)
            .or_default()
            .push(attempt);
    }
    let breakdown: serde_json::Map<String, Value> = categories
        .into_iter()
        .map(|(category, attempts)| {
            let sums = of(&attempts);
            let value = json!({
                "total": sums["total"],
                "success_rate": sums["rate"],
                "avg_time": mean(&sums, "seconds"),
                "token_usage": {
                    "total_input": sums["input"],
                    "total_output": sums["output"],
                    "total": number(&sums, "input") + number(&sums, "output"),
                    "total_reasoning": sums["reasoning"],
                    "avg_input": mean(&sums, "input"),
                    "avg_output": mean(&sums, "output"),
                },
                "turn_usage": { "total_turns": sums["turns"], "avg_turns": mean(&sums, "turns") },
            });
            (category.to_owned(), value)
        })
        .collect();
    json!({
        "model_name": run.name,
        "model_config": {
            "mcp_service": run.service,
            "model_name": run.name,
            "litellm_run_model_name": run.name,
            "reasoning_effort": run.effort,
            "timeout": 3600,
            "agent_name": run.agent,
        },
        "total_tasks": total["total"],
        "successful_tasks": total["successful"],
        "failed_tasks": number(&total, "total") - number(&total, "successful"),
        "success_rate": total["rate"],
        "total_task_execution_time": total["seconds"],
        "average_task_execution_time": mean(&total, "seconds"),
        "total_agent_execution_time": total["agent_seconds"],
        "average_agent_execution_time": mean(&total, "agent_seconds"),
        "token_usage": {
            "total_input_tokens": total["input"],
            "total_output_tokens": total["output"],
            "total_tokens": number(&total, "input") + number(&total, "output"),
            "total_reasoning_tokens": total["reasoning"],
            "avg_input_tokens": mean(&total, "input"),
            "avg_output_tokens": mean(&total, "output"),
            "avg_total_tokens": mean(&total, "input") + mean(&total, "output"),
            "avg_reasoning_tokens": mean(&total, "reasoning"),
        },
        "turn_usage": { "total_turns": total["turns"], "avg_turns": mean(&total, "turns") },
        "category_breakdown": breakdown,
    })
}
