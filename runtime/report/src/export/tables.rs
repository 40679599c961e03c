//! Export of an experiment as tables in JSON Lines: `attempts`, `turns`, `calls`, `requests` and `checks`.
//!
//! The tables are joined by the key `attempt`, and `turn` in tables that have it. Unknown values are null.

use std::path::Path;

use mcpmark_journal::{Cost, Journal, Survey, SurveyRow, Usage};
use serde_json::{Value, json};

use super::{ExportError, Exported, Lines, Source};
use crate::format::moment;

/// Names of the tables, with the JSON Schemas of their lines.
pub const TABLES: [(&str, &str); 5] = [
    ("attempts", include_str!("schemas/attempts.json")),
    ("turns", include_str!("schemas/turns.json")),
    ("calls", include_str!("schemas/calls.json")),
    ("requests", include_str!("schemas/requests.json")),
    ("checks", include_str!("schemas/checks.json")),
];

pub(super) fn write(
    journal: &Journal,
    survey: &Survey,
    target: &Path,
) -> Result<Exported, ExportError> {
    let mut exported = Exported::default();
    let create = |table: &str| Lines::create(&target.join(format!("{table}.jsonl")));
    let [mut attempts, mut turns, mut calls, mut requests, mut checks] = [
        create("attempts")?,
        create("turns")?,
        create("calls")?,
        create("requests")?,
        create("checks")?,
    ];
    for row in &survey.rows {
        let source = Source::read(journal, &row.id)?;
        attempts.push(&attempt(&source, row))?;
        for value in self::turns(&source) {
            turns.push(&value)?;
        }
        for value in self::calls(&source) {
            calls.push(&value)?;
        }
        for value in self::requests(&source) {
            requests.push(&value)?;
        }
        for value in self::checks(&source) {
            checks.push(&value)?;
        }
        exported.attempts += 1;
    }
    for lines in [attempts, turns, calls, requests, checks] {
        lines.finish()?;
    }
    Ok(exported)
}

fn seconds(microseconds: Option<i64>) -> Option<f64> {
    microseconds.map(|us| us as f64 / 1e6)
}

fn settings(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_default()
}

fn attempt(source: &Source, survey: &SurveyRow) -> Value {
    let row = &source.row;
    let (service, world, _) = source.task();
    let grade = row.grade.as_ref();
    let fault = grade.and_then(|grade| grade.result.fault());
    let end = row.end.as_ref();
    let attempt = json!({
        "attempt": row.id,
        "experiment": row.experiment,
        "position": row.position,
        "task": row.task,
        "service": service,
        "world": world,
        "agent": row.agent,
        "agent_settings": settings(&row.agent_settings),
        "model": row.model,
        "model_settings": settings(&row.model_settings),
        "k": row.k,
        "try": row.try_number,
        "status": row.status,
        "started_at": moment(row.started_ms),
        "ended_at": row.ended_ms.map(moment),
        "ended": end.map(|end| end.kind),
        "ended_detail": end.and_then(|end| end.detail.as_ref()),
        "outcome": row.outcome,
        "passed": row.passed(),
        "score": row.score(),
        "score_rule": row.score_rule(),
        "failure": survey.failure.as_ref().map(|failure| failure.class.as_str()),
        "failure_rule": survey.failure.as_ref().map(|failure| failure.evidence.rule),
        "fault": fault.map(|fault| fault.kind),
        "error": row.error.as_ref().or(fault.map(|fault| &fault.message)),
        "answer": row.answer,
        "turns": row.turns,
        "tool_calls": row.tool_calls,
        "malformed_calls": row.malformed_calls,
        "agent_seconds": seconds(row.agent_us),
        "model_seconds": seconds(row.model_us),
        "tool_seconds": seconds(row.tool_us),
        "task_digest": row.task_digest,
        "start_digest": row.world,
        "state_digest": row.state,
        "verifier_digest": grade.map(|grade| &grade.verifier),
    });
    with_consumption(attempt, row.usage, row.cost)
}

/// Adds the columns of tokens and cost.
fn with_consumption(mut line: Value, usage: Option<Usage>, cost: Option<Cost>) -> Value {
    line["input_tokens"] = usage.map(|usage| usage.input).into();
    line["cached_tokens"] = usage.map(|usage| usage.cached).into();
    line["output_tokens"] = usage.map(|usage| usage.output).into();
    line["reasoning_tokens"] = usage.map(|usage| usage.reasoning).into();
    line["cost_usd"] = cost.map(|cost| cost.usd()).into();
    line
}

fn turns(source: &Source) -> impl Iterator<Item = Value> {
    let messages = source.messages();
    messages.into_iter().enumerate().map(|(number, message)| {
        let text = message.content["text"].as_str();
        let calls = message.content["calls"].as_array().map(Vec::len);
        json!({
            "attempt": source.row.id,
            "number": number + 1,
            "turn": message.turn,
            "role": message.role,
            "at": moment(message.at_ms),
            "text": text.or(message.content["summary"].as_str()).unwrap_or_default(),
            "reasoning": message.content["reasoning"].as_str(),
            "calls": calls.unwrap_or_default(),
        })
    })
}

fn calls(source: &Source) -> impl Iterator<Item = Value> {
    let calls = source.trajectory.calls.iter().enumerate();
    calls.map(|(number, call)| {
        json!({
            "attempt": source.row.id,
            "number": number + 1,
            "turn": call.turn,
            "call": call.call_id,
            "tool": call.name,
            "arguments": call.arguments,
            "started_at": moment(call.started_ms),
            "seconds": seconds(call.elapsed_us),
            "is_error": call.is_error || call.error.is_some(),
            "result": source.shown(call),
        })
    })
}

fn requests(source: &Source) -> impl Iterator<Item = Value> {
    let requests = source.calls.iter().enumerate();
    requests.map(|(number, request)| {
        let line = json!({
            "attempt": source.row.id,
            "number": number + 1,
            "turn": request.turn,
            "purpose": request.purpose,
            "try": request.try_number,
            "started_at": moment(request.started_ms),
            "seconds": seconds(Some(request.elapsed_us)),
            "status": request.status,
            "error_kind": request.error_kind,
            "error": request.error,
        });
        with_consumption(line, request.usage, request.cost)
    })
}

fn checks(source: &Source) -> impl Iterator<Item = Value> {
    let checks = source.row.checks().iter();
    checks.enumerate().map(|(number, check)| {
        json!({
            "attempt": source.row.id,
            "number": number + 1,
            "name": check.name,
            "passed": check.passed,
            "detail": check.detail,
        })
    })
}
