//! What is said between an agent and a model.

use rig_core::completion::CompletionResponse;
use rig_core::message::{
    AssistantContent, CallId, DocumentSourceKind, Image, ImageMediaType, Message, MimeType as _,
    StopReason, ToolName, ToolResult, ToolResultContent, UserContent,
};
use serde_json::{Map, Value};

use crate::Usage;

/// The messages so far, in the form in which they go back to the provider: its own items, such
/// as signed reasoning, go back as they came.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Conversation {
    messages: Vec<Message>,
}

/// A call that a model asks for.
#[derive(Debug, Clone, PartialEq)]
pub struct AskedCall {
    /// The provider's id, or one made here.
    pub id: String,
    /// The tool.
    pub name: String,
    /// The arguments; what could be read of them where they are malformed.
    pub arguments: Map<String, Value>,
    /// What the model wrote, where that is no JSON object.
    pub malformed: Option<String>,
    handle: CallId,
}

/// What one call came to, for the model.
#[derive(Debug, Clone, PartialEq)]
pub struct CallResult {
    /// What it says.
    pub text: String,
    /// Images: media type and base64.
    pub images: Vec<(String, String)>,
    /// Whether the call failed.
    pub is_error: bool,
}

/// How a reply ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Finish {
    /// By itself, or to call tools.
    Stop,
    /// At its token limit.
    Length,
    /// The provider or the model refused to go on.
    Refused(String),
}

/// A reply of a model.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// What it says.
    pub text: String,
    /// What it thought, as far as it shows.
    pub reasoning: Option<String>,
    /// The calls that it asks for, in order.
    pub calls: Vec<AskedCall>,
    /// How it ended.
    pub finish: Finish,
    /// The tokens that it took; none where the provider does not say.
    pub usage: Option<Usage>,
    message: Option<Message>,
}

impl Conversation {
    /// A conversation that begins with what a model is told.
    pub fn new(system: &str, user: &str) -> Self {
        Self {
            messages: vec![Message::system(system), Message::user(user)],
        }
    }

    /// Adds a reply.
    pub fn push_answer(&mut self, answer: &Answer) {
        self.messages.extend(answer.message.clone());
    }

    /// Adds something that the user says.
    pub fn push_user(&mut self, text: &str) {
        self.messages.push(Message::user(text));
    }

    /// Adds what the calls of the last reply came to, in their order.
    pub fn push_results(&mut self, results: &[(&AskedCall, CallResult)]) {
        let mut content = Vec::new();
        let mut images = Vec::new();
        for (call, result) in results {
            let Ok(name) = ToolName::new(call.name.clone()) else {
                // A reply with a nameless call is not read as a reply.
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
        self.messages.push(Message::User { content });
    }

    /// Forgets all but the first messages.
    pub fn keep_first(&mut self, count: usize) {
        self.messages.truncate(count);
    }

    /// How many messages there are.
    pub fn len(&self) -> usize {
        self.messages.len()
    }

    /// Whether nothing was said.
    pub fn is_empty(&self) -> bool {
        self.messages.is_empty()
    }

    /// The messages as JSON, to be read and to be kept.
    pub fn to_json(&self) -> Value {
        serde_json::to_value(&self.messages).unwrap_or(Value::Null)
    }

    pub(crate) fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// The messages as they are sent: texts of the user in a row are one text. Otherwise they would become one message
    /// with several parts, which strict servers refuse.
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

/// The text of a message of the user that consists of one.
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
    /// A failure in words.
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
        // Without both there is nothing to reckon with.
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
