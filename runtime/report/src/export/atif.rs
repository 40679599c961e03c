//! Export to the Agent Trajectory Interchange Format, version 1.7 (Harbor's RFC 0001), with one document for each
//! attempt, `<task>__<k>__<attempt>.json`.
//!
//! A step is the system prompt, the instruction, another message of the agent to the model, or one turn with its calls
//! and their results. The result of the attempt is in `extra`.

use std::path::Path;

use mcpmark_journal::{Journal, MessageRole, MessageRow, Purpose};
use serde_json::{Map, Value, json};

use super::{ExportError, Exported, Reason, Source, file_name, write_json};
use crate::format::moment;

pub(super) fn write<'a>(
    journal: &Journal,
    ids: impl Iterator<Item = &'a str>,
    target: &Path,
) -> Result<Exported, ExportError> {
    let mut exported = Exported::default();
    for id in ids {
        let source = Source::read(journal, id)?;
        if source.trajectory.messages.is_empty() {
            exported.leave_out(Reason::Empty);
            continue;
        }
        let name = format!(
            "{}__{}__{}.json",
            file_name(&source.row.task),
            source.row.k,
            file_name(&source.row.id)
        );
        write_json(&target.join(name), &document(&source))?;
        exported.attempts += 1;
    }
    Ok(exported)
}

fn document(source: &Source) -> Value {
    let row = &source.row;
    let steps: Vec<Value> = source
        .messages()
        .into_iter()
        .zip(1..)
        .map(|(message, number)| step(source, message, number))
        .collect();
    let tools = source.functions();
    let mut agent = json!({
        "name": format!("mcpmark-{}", row.agent),
        "version": env!("CARGO_PKG_VERSION"),
    });
    if let Some(model) = &row.model {
        agent["model_name"] = model.as_str().into();
    }
    if !tools.is_empty() {
        agent["tool_definitions"] = tools.into();
    }
    let settings: Value = serde_json::from_str(&row.model_settings).unwrap_or_default();
    agent["extra"] = json!({ "model_settings": settings });
    let mut totals = json!({ "total_steps": steps.len() });
    if let Some(usage) = row.usage {
        totals["total_prompt_tokens"] = usage.input.into();
        totals["total_completion_tokens"] = usage.output.into();
        totals["total_cached_tokens"] = usage.cached.into();
        totals["extra"] = json!({ "reasoning_tokens": usage.reasoning });
    }
    if let Some(cost) = row.cost {
        totals["total_cost_usd"] = cost.usd().into();
    }
    json!({
        "schema_version": "ATIF-v1.7",
        "session_id": row.id,
        "trajectory_id": row.id,
        "agent": agent,
        "steps": steps,
        "final_metrics": totals,
        "extra": {
            "task": row.task,
            "experiment": row.experiment,
            "repetition": row.k,
            "ended": row.end.as_ref().map(|end| end.kind),
            "outcome": row.outcome,
            "passed": row.passed(),
            "score": row.score(),
            "score_rule": row.score_rule(),
            "bundle": row.task_digest,
            "start": row.world,
            "state": row.state,
            "started_at": moment(row.started_ms),
            "ended_at": row.ended_ms.map(moment),
        },
    })
}

fn step(source: &Source, message: &MessageRow, number: usize) -> Value {
    let text = message.content["text"]
        .as_str()
        .or_else(|| message.content["summary"].as_str())
        .unwrap_or_default();
    let origin = match message.role {
        MessageRole::Assistant => "agent",
        MessageRole::User => "user",
        MessageRole::System | MessageRole::Note | MessageRole::Compaction => "system",
    };
    let mut step = json!({
        "step_id": number,
        "timestamp": moment(message.at_ms),
        "source": origin,
        "message": text,
    });
    if message.role != MessageRole::Assistant {
        if matches!(message.role, MessageRole::Note | MessageRole::Compaction) {
            step["extra"] = json!({ "kind": message.role });
        }
        return step;
    }
    if source.row.model.is_none() {
        // A solution or a random agent does not request a model.
        step["llm_call_count"] = 0.into();
    } else {
        if let Some(reasoning) = message.content["reasoning"].as_str() {
            step["reasoning_content"] = reasoning.into();
        }
        let requests = source.calls.iter();
        let requests =
            requests.filter(|call| call.turn == message.turn && call.purpose == Purpose::Turn);
        step["llm_call_count"] = requests.count().into();
        if let Some(metrics) = metrics(source, message.turn) {
            step["metrics"] = metrics;
        }
    }
    let calls: Vec<&Value> = message.content["calls"]
        .as_array()
        .into_iter()
        .flatten()
        .collect();
    if calls.is_empty() {
        return step;
    }
    let mut results = Vec::new();
    for call in &calls {
        let id = call["id"].as_str().unwrap_or_default();
        if let Some(result) = source.result(message.turn, id) {
            results.push(json!({ "source_call_id": id, "content": result }));
        }
    }
    step["tool_calls"] = calls.into_iter().map(tool_call).collect();
    if !results.is_empty() {
        step["observation"] = json!({ "results": results });
    }
    step
}

fn tool_call(call: &Value) -> Value {
    let arguments = match &call["arguments"] {
        Value::Object(arguments) => arguments.clone(),
        _ => Map::new(),
    };
    let mut value = json!({
        "tool_call_id": call["id"].as_str().unwrap_or_default(),
        "function_name": call["name"].as_str().unwrap_or_default(),
        "arguments": arguments,
    });
    if let Some(malformed) = call["malformed"].as_str() {
        value["extra"] = json!({ "malformed": malformed });
    }
    value
}

/// Returns the usage and cost of the turn's requests, including failed ones.
fn metrics(source: &Source, turn: u32) -> Option<Value> {
    let calls = source
        .calls
        .iter()
        .filter(|call| call.turn == turn && call.purpose == Purpose::Turn);
    let mut metrics = Map::new();
    let mut cost = Some(0.0);
    let mut usage = None;
    for call in calls {
        if let Some(took) = call.usage {
            usage = Some(took + usage.unwrap_or_default());
        }
        if call.usage.is_some() {
            cost = cost.zip(call.cost).map(|(sum, cost)| sum + cost.usd());
        }
    }
    let usage = usage?;
    metrics.insert("prompt_tokens".to_owned(), usage.input.into());
    metrics.insert("completion_tokens".to_owned(), usage.output.into());
    metrics.insert("cached_tokens".to_owned(), usage.cached.into());
    metrics.insert(
        "extra".to_owned(),
        json!({ "reasoning_tokens": usage.reasoning }),
    );
    if let Some(cost) = cost {
        metrics.insert("cost_usd".to_owned(), cost.into());
    }
    Some(Value::Object(metrics))
}
