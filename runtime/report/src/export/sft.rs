//! Export of conversations for supervised fine-tuning, with one JSON object in each line.
//!
//! `messages` contains roles, texts and tool calls in the format of Chat Completions, as they were exchanged with the
//! model, and `tools` contains the function definitions. Results have the form in which they were shown to the model.
//! The reasoning of the model is `reasoning_content`. Notes of the host are left out, because the model did not see
//! them. Published corpora describe the tools in the system message instead; use [`SftOptions::tools_in_prompt`] for
//! that form.

use std::collections::HashSet;
use std::path::Path;

use mcpmark_journal::{Journal, MessageRole, ScoreRule};
use mcpmark_snapshot::Digest;
use serde_json::{Value, json};

use super::signature::{full_name, signatures};
use super::{ExportError, Exported, Lines, Reason, Source};

/// JSON Schema of a line.
pub const SFT_SCHEMA: &str = include_str!("schemas/sft.json");

/// Name of the agent whose model writes calls as text.
const TEXT_AGENT: &str = "react";

/// Options of the export for supervised fine-tuning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SftOptions {
    /// Includes graded attempts that did not pass.
    pub include_failures: bool,
    /// Adds `passed`, `score` and `score_rule` to each line.
    pub rewards: bool,
    /// Maximum size of a line, in bytes. `None` means no limit.
    pub max_bytes: Option<u64>,
    /// Uses the form of published corpora: signatures of the tools in the system message, and tool names with the
    /// prefix of the server.
    pub tools_in_prompt: bool,
}

impl SftOptions {
    /// Default of `max_bytes`: 1 MiB, about 250,000 tokens.
    pub const DEFAULT_MAX_BYTES: u64 = 1 << 20;
}

impl Default for SftOptions {
    fn default() -> Self {
        Self {
            include_failures: false,
            rewards: false,
            max_bytes: Some(Self::DEFAULT_MAX_BYTES),
            tools_in_prompt: false,
        }
    }
}

pub(super) fn write<'a>(
    journal: &Journal,
    ids: impl Iterator<Item = &'a str>,
    target: &Path,
    options: SftOptions,
) -> Result<Exported, ExportError> {
    let mut exported = Exported::default();
    let mut lines = Lines::create(target)?;
    let mut seen = HashSet::new();
    for id in ids {
        let source = Source::read(journal, id)?;
        if let Some(reason) = unfit(&source, options) {
            exported.leave_out(reason);
            continue;
        }
        let line = line(&source, options);
        let text = line.to_string();
        let is_long = options
            .max_bytes
            .is_some_and(|most| text.len() as u64 > most);
        if is_long {
            exported.leave_out(Reason::TooLong);
        } else if seen.insert(identity(&line)) {
            lines.push_text(&text)?;
            exported.attempts += 1;
        } else {
            exported.leave_out(Reason::Duplicate);
        }
    }
    lines.finish_unless(exported.attempts == 0)?;
    Ok(exported)
}

/// Returns the reason why an attempt is not suitable for training, if there is one.
fn unfit(source: &Source, options: SftOptions) -> Option<Reason> {
    let messages = &source.trajectory.messages;
    if source.row.model.is_none() {
        return Some(Reason::NoModel);
    }
    match source.row.passed() {
        None => return Some(Reason::NotGraded),
        Some(false) if !options.include_failures => return Some(Reason::Failed),
        Some(_) => {}
    }
    if source.row.agent == TEXT_AGENT {
        return Some(Reason::TextCalls);
    }
    if messages
        .iter()
        .any(|message| message.role == MessageRole::Compaction)
    {
        return Some(Reason::Compacted);
    }
    let is_empty = !messages
        .iter()
        .any(|message| message.role == MessageRole::Assistant);
    is_empty.then_some(Reason::Empty)
}

fn line(source: &Source, options: SftOptions) -> Value {
    let mut line = json!({
        "task": source.row.task,
        "attempt": source.row.id,
        "model": source.row.model,
        "agent": source.row.agent,
    });
    if options.rewards {
        line["passed"] = source.row.passed().into();
        line["score"] = source.row.score().into();
        line["score_rule"] = source.row.score_rule().map(ScoreRule::as_str).into();
    }
    let mut messages = messages(source);
    if options.tools_in_prompt {
        put_tools_in_prompt(source, &mut messages);
    } else {
        line["tools"] = source.functions().into();
    }
    line["messages"] = messages.into();
    line
}

/// Adds the signatures of the tools to the system message, and the prefix of the server to the names in calls.
fn put_tools_in_prompt(source: &Source, messages: &mut Vec<Value>) {
    let (service, _, _) = source.task();
    if !source.tools.is_empty() {
        if messages
            .first()
            .is_none_or(|first| first["role"] != "system")
        {
            messages.insert(0, json!({ "role": "system", "content": "" }));
        }
        let before = messages[0]["content"].as_str().unwrap_or_default();
        let gap = if before.is_empty() { "" } else { "\n\n" };
        let signatures = signatures(&source.tools, service);
        messages[0]["content"] = format!("{before}{gap}Tools:\n{signatures}").into();
    }
    let calls = messages
        .iter_mut()
        .filter_map(|message| message.get_mut("tool_calls")?.as_array_mut())
        .flatten();
    for call in calls {
        let name = &mut call["function"]["name"];
        let full = full_name(&source.tools, service, name.as_str().unwrap_or_default());
        *name = full.into();
    }
}

fn messages(source: &Source) -> Vec<Value> {
    let mut messages = Vec::new();
    for message in source.messages() {
        let text = message.content["text"].as_str().unwrap_or_default();
        match message.role {
            role @ (MessageRole::System | MessageRole::User) => {
                messages.push(json!({ "role": role, "content": text }));
            }
            MessageRole::Assistant => {
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
                    said["tool_calls"] = calls.iter().map(|call| tool_call(call)).collect();
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
            MessageRole::Note | MessageRole::Compaction => {}
        }
    }
    messages
}

fn tool_call(call: &Value) -> Value {
    let arguments = call["malformed"]
        .as_str()
        .map_or_else(|| call["arguments"].to_string(), str::to_owned);
    json!({
        "id": call["id"],
        "type": "function",
        "function": { "name": call["name"], "arguments": arguments },
    })
}

/// Returns a digest that identifies an example: tools and messages without the ids of calls.
fn identity(line: &Value) -> Digest {
    let mut messages = line["messages"].clone();
    for message in messages.as_array_mut().into_iter().flatten() {
        if let Some(id) = message.get_mut("tool_call_id") {
            *id = Value::Null;
        }
        let calls = message.get_mut("tool_calls").and_then(Value::as_array_mut);
        for call in calls.into_iter().flatten() {
            call["id"] = Value::Null;
        }
    }
    Digest::of(json!([line["tools"], messages]).to_string().as_bytes())
}
