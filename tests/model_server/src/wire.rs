//! Requests and replies in the formats of the three APIs.

use std::collections::HashMap;
use std::time::Duration;

use serde_json::{Value, json};

/// API of a model provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Api {
    /// OpenAI's Chat Completions.
    Chat,
    /// OpenAI's Responses.
    Responses,
    /// Anthropic's Messages.
    Messages,
}

/// Request of a client.
#[derive(Debug, Clone)]
pub struct Request {
    /// API of the request.
    pub api: Api,
    /// Name of the model.
    pub model: String,
    /// Text of the first user message.
    pub instruction: String,
    /// Number of replies in the conversation.
    pub turns: usize,
    /// Names of the tools.
    pub tools: Vec<String>,
    /// Sampling seed.
    pub seed: Option<u64>,
    /// API key.
    pub key: Option<String>,
    /// Headers, with names in lower case.
    pub headers: HashMap<String, String>,
    /// Body of the request.
    pub body: Value,
}

/// Reaction of the server to a request.
#[derive(Debug, Clone)]
pub enum Reaction {
    /// Complete reply.
    Say(Saying),
    /// Response with a status and a body, such as an error.
    Status {
        /// HTTP status.
        status: u16,
        /// Additional headers.
        headers: Vec<(String, String)>,
        /// Body of the response.
        body: String,
    },
    /// First half of a reply, after which the connection is closed.
    Truncate(Saying),
    /// Closed connection without a response.
    Drop,
    /// Reaction after a delay.
    After(Duration, Box<Self>),
}

/// Content of a reply.
#[derive(Debug, Clone, Default)]
pub struct Saying {
    /// Text of the reply.
    pub text: String,
    /// Reasoning of the model.
    pub reasoning: Option<String>,
    /// Tool calls: names and arguments, which may be invalid JSON.
    pub calls: Vec<(String, String)>,
    /// Input, cached, output and reasoning tokens. The default is estimated from the lengths of request and reply.
    pub usage: Option<[u64; 4]>,
    /// True if a reply of Chat Completions omits the usage.
    pub no_usage: bool,
    /// True if the reply was cut off at its token limit.
    pub cut: bool,
    /// True if the provider refused to reply.
    pub refused: bool,
}

impl Reaction {
    /// Returns a reply with a text.
    pub fn say(text: impl Into<String>) -> Self {
        Self::Say(Saying {
            text: text.into(),
            ..Saying::default()
        })
    }

    /// Returns a reply with one tool call.
    pub fn call(tool: impl Into<String>, arguments: &Value) -> Self {
        Self::Say(Saying {
            calls: vec![(tool.into(), arguments.to_string())],
            ..Saying::default()
        })
    }

    /// Returns an error in the format that all three APIs share.
    pub fn error(status: u16, code: &str, message: &str) -> Self {
        Self::Status {
            status,
            headers: Vec::new(),
            body:
                json!({"type": "error", "error": {"type": code, "code": code, "message": message}})
                    .to_string(),
        }
    }

    /// Adds a header to a response with a status. Other reactions are unchanged.
    #[must_use]
    pub fn with_header(mut self, name: &str, value: &str) -> Self {
        if let Self::Status { headers, .. } = &mut self {
            headers.push((name.to_owned(), value.to_owned()));
        }
        self
    }
}

impl Request {
    pub(crate) fn read(path: &str, headers: HashMap<String, String>, body: Value) -> Option<Self> {
        let path = path.split('?').next().unwrap_or_default();
        let api = match path {
            path if path.ends_with("/chat/completions") => Api::Chat,
            path if path.ends_with("/responses") => Api::Responses,
            path if path.ends_with("/messages") => Api::Messages,
            _ => return None,
        };
        let list = match api {
            Api::Responses => &body["input"],
            Api::Chat | Api::Messages => &body["messages"],
        };
        let items = list.as_array().map(Vec::as_slice).unwrap_or_default();
        let first = items.iter().find(|item| item["role"] == "user");
        let turns = match api {
            // The parts of a reply are separate items, so count only the first item of each reply.
            Api::Responses => {
                let of_model = |item: &Value| {
                    item["role"] == "assistant"
                        || item["type"] == "function_call"
                        || item["type"] == "reasoning"
                };
                let begins = |pair: &[Value]| !of_model(&pair[0]) && of_model(&pair[1]);
                items.windows(2).filter(|pair| begins(pair)).count()
            }
            Api::Chat | Api::Messages => items
                .iter()
                .filter(|item| item["role"] == "assistant")
                .count(),
        };
        let tools = body["tools"]
            .as_array()
            .map(Vec::as_slice)
            .unwrap_or_default();
        let name = |tool: &Value| {
            let name = tool["name"].as_str().or(tool["function"]["name"].as_str());
            name.map(str::to_owned)
        };
        Some(Self {
            api,
            model: body["model"].as_str().unwrap_or_default().to_owned(),
            instruction: first.map(|item| text(&item["content"])).unwrap_or_default(),
            turns,
            tools: tools.iter().filter_map(name).collect(),
            seed: body["seed"].as_u64(),
            key: key(&headers),
            headers,
            body,
        })
    }

    /// Returns a reply as a stream of events if the request asks for one. Only Responses supports it.
    pub(crate) fn events(&self, reply: &Value) -> Option<String> {
        if self.api != Api::Responses || self.body["stream"] != true {
            return None;
        }
        let mut begun = reply.clone();
        begun["status"] = "in_progress".into();
        begun["output"] = json!([]);
        let mut events = vec![json!({"type": "response.created", "response": begun})];
        let items = reply["output"].as_array().map(Vec::as_slice);
        for (index, item) in items.unwrap_or_default().iter().enumerate() {
            let done =
                json!({"type": "response.output_item.done", "output_index": index, "item": item});
            events.push(done);
        }
        events.push(json!({"type": "response.completed", "response": reply}));
        let events = events.iter().map(|event| {
            let kind = event["type"].as_str().unwrap_or_default();
            format!("event: {kind}\ndata: {event}\n\n")
        });
        Some(events.collect())
    }

    /// Splits a tool name into the namespace that it is offered in, if any, and its name there.
    fn placed<'a>(&self, tool: &'a str) -> (Option<&'a str>, &'a str) {
        let is_offered = |namespace: &str| {
            let mut offered = self.body["tools"].as_array().into_iter().flatten();
            offered.any(|it| it["type"] == "namespace" && it["name"] == namespace)
        };
        match tool.split_once('/') {
            Some((namespace, name)) if is_offered(namespace) => (Some(namespace), name),
            _ => (None, tool),
        }
    }

    /// Returns a reply in the format of the request's API.
    pub(crate) fn reply(&self, saying: &Saying) -> Value {
        let [input, cached, output, reasoning] = saying.usage.unwrap_or_else(|| {
            let tokens = |text: &str| (text.len() as u64).div_ceil(4);
            let calls: String = saying.calls.iter().map(|call| call.1.as_str()).collect();
            let thought = tokens(saying.reasoning.as_deref().unwrap_or_default());
            let output = tokens(&saying.text) + tokens(&calls) + thought + 1;
            [tokens(&self.body.to_string()), 0, output, thought]
        });
        let id = |index: usize| format!("call_{}_{index}", self.turns + 1);
        let calls = saying.calls.iter().enumerate();
        match self.api {
            Api::Chat => {
                let calls: Vec<Value> = calls
                    .map(|(index, (name, arguments))| {
                        json!({"id": id(index), "type": "function",
                               "function": {"name": name, "arguments": arguments}})
                    })
                    .collect();
                let finish = match (saying.refused, saying.cut, calls.is_empty()) {
                    (true, ..) => "content_filter",
                    (_, true, _) => "length",
                    (.., false) => "tool_calls",
                    _ => "stop",
                };
                // As in OpenAI's API, empty text is null if the reply has calls.
                let content =
                    Some(&saying.text).filter(|text| !text.is_empty() || calls.is_empty());
                let mut message = json!({"role": "assistant", "content": content});
                if let Some(reasoning) = &saying.reasoning {
                    message["reasoning_content"] = reasoning.as_str().into();
                }
                if !calls.is_empty() {
                    message["tool_calls"] = calls.into();
                }
                let mut reply = json!({
                    "id": "chatcmpl-scripted", "object": "chat.completion", "created": 0,
                    "model": self.model,
                    "choices": [{"index": 0, "message": message, "finish_reason": finish}],
                });
                if !saying.no_usage {
                    reply["usage"] = json!({
                        "prompt_tokens": input, "completion_tokens": output,
                        "total_tokens": input + output,
                        "prompt_tokens_details": {"cached_tokens": cached},
                        "completion_tokens_details": {"reasoning_tokens": reasoning},
                    });
                }
                reply
            }
            Api::Responses => {
                let mut items = Vec::new();
                if let Some(reasoning) = &saying.reasoning {
                    items.push(
                        json!({"type": "reasoning", "id": format!("rs_{}", self.turns + 1),
                        "summary": [{"type": "summary_text", "text": reasoning}]}),
                    );
                }
                if !saying.text.is_empty() || saying.calls.is_empty() {
                    items.push(json!({"type": "message", "id": format!("msg_{}", self.turns + 1),
                        "role": "assistant", "status": "completed",
                        "content": [{"type": "output_text", "text": saying.text, "annotations": []}]}));
                }
                items.extend(calls.map(|(index, (name, arguments))| {
                    let (namespace, name) = self.placed(name);
                    let mut call = json!({"type": "function_call",
                        "id": format!("fc_{}_{index}", self.turns + 1),
                        "call_id": id(index), "name": name, "arguments": arguments,
                        "status": "completed"});
                    if let Some(namespace) = namespace {
                        call["namespace"] = namespace.into();
                    }
                    call
                }));
                let (status, why) = match (saying.refused, saying.cut) {
                    (true, _) => ("incomplete", json!({"reason": "content_filter"})),
                    (_, true) => ("incomplete", json!({"reason": "max_output_tokens"})),
                    _ => ("completed", Value::Null),
                };
                json!({
                    "id": "resp_scripted", "object": "response", "created_at": 0,
                    "status": status, "incomplete_details": why, "error": null,
                    "model": self.model, "output": items, "tools": [],
                    "usage": {"input_tokens": input, "output_tokens": output,
                        "total_tokens": input + output,
                        "input_tokens_details": {"cached_tokens": cached},
                        "output_tokens_details": {"reasoning_tokens": reasoning}},
                })
            }
            Api::Messages => {
                let mut content = Vec::new();
                if let Some(reasoning) = &saying.reasoning {
                    content.push(json!({"type": "thinking", "thinking": reasoning,
                        "signature": "c2lnbmVk"}));
                }
                if !saying.text.is_empty() {
                    content.push(json!({"type": "text", "text": saying.text}));
                }
                content.extend(calls.map(|(index, (name, arguments))| {
                    // In Messages the input is a JSON value, so invalid JSON is sent as a string.
                    let input: Value = serde_json::from_str(arguments)
                        .unwrap_or_else(|_| arguments.as_str().into());
                    json!({"type": "tool_use", "id": id(index), "name": name, "input": input})
                }));
                let stop = match (saying.refused, saying.cut, saying.calls.is_empty()) {
                    (true, ..) => "refusal",
                    (_, true, _) => "max_tokens",
                    (.., false) => "tool_use",
                    _ => "end_turn",
                };
                json!({
                    "id": "msg_scripted", "type": "message", "role": "assistant",
                    "model": self.model, "content": content, "stop_reason": stop,
                    "stop_sequence": null,
                    "usage": {"input_tokens": input.saturating_sub(cached),
                        "cache_read_input_tokens": cached, "cache_creation_input_tokens": 0,
                        "output_tokens": output},
                })
            }
        }
    }
}

/// Returns the API key from any of the headers that can contain it.
fn key(headers: &HashMap<String, String>) -> Option<String> {
    let bearer = headers
        .get("authorization")
        .and_then(|value| value.strip_prefix("Bearer "));
    let own = ["x-api-key", "x-goog-api-key"]
        .iter()
        .find_map(|name| headers.get(*name));
    bearer.or(own.map(String::as_str)).map(str::to_owned)
}

/// Returns the text of a message's content, in either format.
fn text(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let texts = parts.iter().filter_map(|part| part["text"].as_str());
            texts.collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}
