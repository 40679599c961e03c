//! Messages between an agent and a model.

use rig_core::completion::CompletionResponse;
use rig_core::message::{
    AssistantContent, CallId, DocumentSourceKind, Image, ImageMediaType, Message, MimeType as _,
    StopReason, ToolName, ToolResult, ToolResultContent, UserContent,
};
use serde_json::{Map, Value};

use crate::Usage;

/// Messages so far, in the form that is sent to the provider. Items of the provider, such as signed reasoning, are sent
/// back unchanged.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Conversation {
    messages: Vec<Message>,
    memory: u64,
}

/// Tool call in a reply of a model.
#[derive(Debug, Clone, PartialEq)]
pub struct AskedCall {
    /// Id from the provider, or a generated one.
    pub id: String,
    /// Name of the tool.
    pub name: String,
    /// Arguments; the part that could be parsed if they are malformed.
    pub arguments: Map<String, Value>,
    /// Arguments as the model wrote them, if they are not a JSON object.
    pub malformed: Option<String>,
    handle: CallId,
}

/// Result of one tool call, for the model.
#[derive(Debug, Clone, PartialEq)]
pub struct CallResult {
    /// Text.
    pub text: String,
    /// Images, as media type and base64 data.
    pub images: Vec<(String, String)>,
    /// True if the call failed.
    pub is_error: bool,
}

/// Reason for the end of a reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Finish {
    /// End by the model itself, or for tool calls.
    Stop,
    /// Token limit of the reply.
    Length,
    /// Refusal or error of the provider or the model, with its reason.
    Refused(String),
}

/// Reply of a model.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// Text.
    pub text: String,
    /// Reasoning, if the provider reveals it.
    pub reasoning: Option<String>,
    /// Tool calls, in order.
    pub calls: Vec<AskedCall>,
    /// Reason for the end of the reply.
    pub finish: Finish,
    /// Token usage; `None` if the provider does not report it.
    pub usage: Option<Usage>,
    message: Option<Message>,
}

impl Conversation {
    /// Creates a conversation from a system prompt and a message of the user.
    pub fn new(system: &str, user: &str) -> Self {
        let mut conversation = Self::default();
        conversation.push(Message::system(system));
        conversation.push(Message::user(user));
        conversation
    }

    /// Appends a reply.
    pub fn push_answer(&mut self, answer: &Answer) {
        if let Some(message) = &answer.message {
            self.push(message.clone());
        }
    }

    /// Appends a message of the user.
    pub fn push_user(&mut self, text: &str) {
        self.push(Message::user(text));
    }

    fn push(&mut self, message: Message) {
        self.memory = self.memory.saturating_add(memory_of(&message));
        self.messages.push(message);
    }

    /// Returns the estimated memory of the messages, in bytes: their JSON, and the overhead of its parsed values.
    pub fn memory(&self) -> u64 {
        self.memory
    }

    /// Appends the results of the calls of the last reply, in their order. Images follow all texts.
    pub fn push_results(&mut self, results: &[(&AskedCall, CallResult)]) {
        let mut content = Vec::new();
        let mut images = Vec::new();
        for (call, result) in results {
            let Ok(name) = ToolName::new(call.name.clone()) else {
                // A reply with a nameless call is not accepted as a reply.
                continue;
            };
            content.push(UserContent::ToolResult(ToolResult {
                call: call.handle.clone(),
                name,
                content: vec![ToolResultContent::text(result.text.clone())],
                is_error: result.is_error,
            }));
            images.extend(result.images.iter().filter_map(|(kind, data)| {
                Some(UserContent::Image(Image {
                    data: DocumentSourceKind::base64(data),
                    media_type: Some(ImageMediaType::from_mime_type(kind)?),
                    ..Image::default()
                }))
            }));
        }
        content.extend(images);
        self.push(Message::User { content });
    }

    /// Removes all messages but the first `count`.
    pub fn keep_first(&mut self, count: usize) {
        self.messages.truncate(count);
        self.memory = self.messages.iter().map(memory_of).sum();
    }

    /// Returns the number of messages.
    pub fn len(&self) -> usize {
        self.messages.len()
    }

    /// Reports whether there are no messages.
    pub fn is_empty(&self) -> bool {
        self.messages.is_empty()
    }

    /// Returns the messages as JSON, for the journal.
    pub fn to_json(&self) -> Value {
        serde_json::to_value(&self.messages).unwrap_or(Value::Null)
    }

    pub(crate) fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// Returns the messages in the form that is sent: consecutive texts of the user are joined into one text. Otherwise
    /// they would become one message with several parts, which strict servers refuse.
    pub(crate) fn to_send(&self) -> Vec<Message> {
        let mut sent: Vec<Message> = Vec::new();
        for message in &self.messages {
            let mut message = message.clone();
            if let (Some(last), Some(text)) =
                (sent.last_mut().and_then(only_text), only_text(&mut message))
            {
                last.push_str("\n\n");
                last.push_str(text);
            } else {
                sent.push(message);
            }
        }
        sent
    }
}

/// Memory of a parsed JSON value in addition to its text, in bytes.
const VALUE_BYTES: u64 = 128;

fn memory_of(message: &Message) -> u64 {
    // Messages consist of texts, so their serialisation does not fail.
    let json = serde_json::to_vec(message).unwrap_or_default();
    let marks = json.iter().filter(|byte| matches!(byte, b',' | b':'));
    json.len() as u64 + VALUE_BYTES * marks.count() as u64
}

/// Returns the text of a user message that consists of one text.
fn only_text(message: &mut Message) -> Option<&mut String> {
    match message {
        Message::User { content } => match content.as_mut_slice() {
            [UserContent::Text(text)] => Some(&mut text.text),
            _ => None,
        },
        _ => None,
    }
}

impl CallResult {
    /// Returns the memory of the result, in bytes.
    pub fn memory(&self) -> u64 {
        let images = self
            .images
            .iter()
            .map(|(kind, data)| kind.len() + data.len());
        (self.text.len() + images.sum::<usize>()) as u64
    }

    /// Creates a failed result with an error message.
    pub fn error(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            images: Vec::new(),
            is_error: true,
        }
    }
}

impl Answer {
    pub(crate) fn read(response: &CompletionResponse) -> Self {
        let finish = match response.stop() {
            StopReason::Length => Finish::Length,
            StopReason::Error(reason) | StopReason::Aborted(reason) => Finish::Refused(reason),
            _ => Finish::Stop,
        };
        let calls = response
            .choice
            .iter()
            .filter_map(|part| match part {
                AssistantContent::ToolCall(call) => Some(AskedCall {
                    id: call.id.wire().into_owned(),
                    name: call.function.name.to_string(),
                    arguments: call.function.arguments.clone(),
                    malformed: call.function.invalid_arguments.clone(),
                    handle: call.id.clone(),
                }),
                _ => None,
            })
            .collect();
        let reasoning = Some(response.reasoning()).filter(|text| !text.is_empty());
        let usage = &response.usage;
        // Costs and limits need both counts.
        let usage = usage.input_tokens.zip(usage.output_tokens);
        let usage = usage.map(|(input, output)| Usage {
            input,
            cached: response.usage.cached_input_tokens.unwrap_or(0),
            output,
            reasoning: response.usage.reasoning_tokens.unwrap_or(0),
        });
        Self {
            text: response.text(),
            reasoning,
            calls,
            finish,
            usage,
            message: response.message(),
        }
    }
}
