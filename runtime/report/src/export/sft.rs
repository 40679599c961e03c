//! Conversations for training: the attempts that passed, one JSON object a line.
//!
//! The system message holds the system prompt and the signatures of the tools, whose names carry
//! their service (`filesystem_read_text_file`) or that of the server that they were put beside from. What the model thought is `reasoning_content`.
//! Notes of the host are not in it, for the model did not see them. An
//! attempt whose conversation was compacted is no single conversation, and is left out.

use std::path::Path;

use mcpmark_experiment::Journal;
use serde_json::{Value, json};

use super::{ExportError, Exported, Lines, Source};

pub(super) fn write<'a>(
    journal: &Journal,
    ids: impl Iterator<Item = &'a str>,
    target: &Path,
) -> Result<Exported, ExportError> {
    let mut exported = Exported::default();
    let mut lines = Lines::create(target)?;
    for id in ids {
        let source = Source::read(journal, id)?;
        let compacted = source
            .trajectory
            .messages
            .iter()
            .any(|message| message.role == "compaction");
        if source.passed() != Some(true) || compacted {
            exported.left_out += 1;
            continue;
        }
        lines.push(&conversation(&source))?;
        exported.attempts += 1;
    }
    lines.finish()?;
    Ok(exported)
}

fn conversation(source: &Source) -> Value {
    let mut messages = Vec::new();
    let mut system = source.system.clone().unwrap_or_default();
    if !source.tools.is_empty() {
        let signatures: Vec<String> = source
            .tools
            .iter()
            .map(|tool| signature(source, tool))
            .collect();
        let gap = if system.is_empty() { "" } else { "\n\n" };
        system.push_str(&format!("{gap}Tools:\n{}", signatures.join("\n")));
    }
    if !system.is_empty() {
        messages.push(json!({ "role": "system", "content": system }));
    }
    for message in &source.trajectory.messages {
        let text = message.content["text"].as_str().unwrap_or_default();
        match message.role.as_str() {
            "user" => messages.push(json!({ "role": "user", "content": text })),
            "assistant" => {
                let mut said = json!({ "role": "assistant", "content": text });
                if let Some(reasoning) = message.content["reasoning"].as_str() {
                    said["reasoning_content"] = reasoning.into();
                }
                let calls: Vec<&Value> = message.content["calls"]
                    .as_array()
                    .into_iter()
                    .flatten()
                    .collect();
                if !calls.is_empty() {
                    said["tool_calls"] = calls.iter().map(|call| tool_call(source, call)).collect();
                }
                messages.push(said);
                for call in calls {
                    let id = call["id"].as_str().unwrap_or_default();
                    if let Some(result) = source.result(message.turn, id) {
                        messages.push(json!({
                            "role": "tool", "tool_call_id": id, "content": result
                        }));
                    }
                }
            }
            _ => {}
        }
    }
    json!({
        "task": source.row.task,
        "attempt": source.row.id,
        "model": source.row.model,
        "agent": source.row.agent,
        "messages": messages,
    })
}

/// A tool's name with that of its server: the world's service, or another.
fn full_name(source: &Source, name: &str) -> String {
    let tool = source.tools.iter().find(|tool| tool["name"] == name);
    let server = tool.and_then(|tool| tool["server"].as_str());
    let (service, _, _) = source.task();
    format!("{}_{name}", server.unwrap_or(service))
}

fn tool_call(source: &Source, call: &Value) -> Value {
    let name = call["name"].as_str().unwrap_or_default();
    let arguments = call["malformed"]
        .as_str()
        .map_or_else(|| call["arguments"].to_string(), str::to_owned);
    json!({
        "id": call["id"],
        "type": "function",
        "function": { "name": full_name(source, name), "arguments": arguments },
    })
}

/// `filesystem_read_text_file(path: string, tail?: number): what it does`
fn signature(source: &Source, tool: &Value) -> String {
    let schema = &tool["input_schema"];
    let required: Vec<&str> = schema["required"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let parameters: Vec<String> = schema["properties"]
        .as_object()
        .into_iter()
        .flatten()
        .map(|(name, property)| {
            let optional = if required.contains(&name.as_str()) {
                ""
            } else {
                "?"
            };
            format!("{name}{optional}: {}", kind(property))
        })
        .collect();
    let description = tool["description"].as_str().unwrap_or_default();
    let description: Vec<&str> = description.split_whitespace().collect();
    format!(
        "{}({}): {}",
        full_name(source, tool["name"].as_str().unwrap_or_default()),
        parameters.join(", "),
        description.join(" ")
    )
}

/// The type of a property: its JSON type, that of a list's items, or `any`.
fn kind(property: &Value) -> String {
    match (&property["type"], &property["items"]) {
        (Value::String(kind), items) if kind == "array" && items.is_object() => {
            format!("{}[]", self::kind(items))
        }
        (Value::String(kind), _) => kind.clone(),
        (Value::Array(kinds), _) => {
            let kinds: Vec<&str> = kinds.iter().filter_map(Value::as_str).collect();
            kinds.join("|")
        }
        _ => "any".to_owned(),
    }
}
