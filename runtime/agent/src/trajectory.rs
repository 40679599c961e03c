//! Events of an attempt and their recorder.

use std::time::Duration;

use mcpmark_service::ToolOutput;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{Cost, ResultView, Usage};

/// Tool call of an agent.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ToolCall {
    /// Id of the call within the attempt.
    pub id: String,
    /// Name of the tool.
    pub name: String,
    /// Arguments as a JSON object; empty if they are malformed.
    pub arguments: Map<String, Value>,
    /// Arguments as the model wrote them, if they are not a JSON object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub malformed: Option<String>,
}

/// One turn of an agent: its text and its tool calls.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Reply {
    /// Text of the reply; the complete output of the model if it cannot be parsed.
    pub text: String,
    /// True if the reply cannot be parsed, and so has no calls.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unreadable: bool,
    /// Reasoning of the model, if its provider reveals it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<String>,
    /// Tool calls, in the order of their execution.
    pub calls: Vec<ToolCall>,
}

/// Purpose of a request to a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Purpose {
    /// Next turn.
    Turn,
    /// Summary that replaces the conversation so far.
    Compaction,
}

impl Purpose {
    /// Returns the name in the journal.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Turn => "turn",
            Self::Compaction => "compaction",
        }
    }
}

/// Status of one request to a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CallStatus {
    /// Request with a reply.
    Ok,
    /// Error, after which the request is repeated.
    Retry,
    /// Error, after which the request is not repeated.
    Failed,
}

impl CallStatus {
    /// Returns the name in the journal.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Retry => "retry",
            Self::Failed => "failed",
        }
    }
}

/// One request to a model, successful or failed.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelCall {
    /// Number of the turn that is requested, from 1.
    pub turn: u32,
    /// Purpose of the request.
    pub purpose: Purpose,
    /// Number of the try, from 1.
    pub try_number: u32,
    /// Start of the request, in milliseconds since 1970-01-01T00:00:00Z.
    pub started_ms: i64,
    /// Duration.
    pub elapsed: Duration,
    /// Status of the request.
    pub status: CallStatus,
    /// Kind and message of the error, if there is no reply.
    pub error: Option<(&'static str, String)>,
    /// SHA-256 of the request body, in hexadecimal.
    pub request_digest: Option<String>,
    /// Reply as the provider sent it.
    pub raw: Option<Value>,
    /// Token usage that the provider reports.
    pub usage: Option<Usage>,
    /// Cost of the usage, if the price is known.
    pub cost: Option<Cost>,
}

/// Event in an attempt, recorded when it happens.
#[derive(Debug, Clone, PartialEq)]
pub enum Event<'a> {
    /// Instruction of the task.
    Instruction(&'a str),
    /// Setup of the model in addition to the instruction.
    Setup {
        /// System prompt.
        system: &'a str,
        /// Tools as the model sees them: a list of `name`, `description`, `input_schema`, and `server` if the tool
        /// belongs to an external server.
        tools: &'a Value,
        /// Changes to tool schemas that providers require.
        adapted: &'a [String],
        /// View of tool results.
        view: ResultView,
    },
    /// End of a request to a model.
    ModelCall(&'a ModelCall),
    /// Replacement of the conversation by a summary.
    Compaction {
        /// Number of the next turn.
        turn: u32,
        /// Object with `request`, `history`, `summary` and `kept`. `kept` has the messages that the model sees from
        /// here on.
        content: &'a Value,
    },
    /// Text from the agent to the model that is not a tool result.
    Told {
        /// Number of the turn before it.
        turn: u32,
        /// Text for the model.
        text: &'a str,
    },
    /// Note of the host, which neither the agent nor the model sees.
    Note {
        /// Number of the turn before it.
        turn: u32,
        /// Text of the note.
        text: &'a str,
    },
    /// Turn of the agent.
    Reply {
        /// Number of the turn, from 1.
        turn: u32,
        /// Text and calls of the turn.
        reply: &'a Reply,
    },
    /// Start of a tool call.
    CallStarted {
        /// Number of the turn with the call.
        turn: u32,
        /// Tool call.
        call: &'a ToolCall,
    },
    /// End of a tool call.
    CallEnded {
        /// Number of the turn with the call.
        turn: u32,
        /// Tool call.
        call: &'a ToolCall,
        /// Result, or the reason for which there is none.
        result: Result<&'a ToolOutput, &'a str>,
        /// Duration.
        elapsed: Duration,
    },
}

/// Recorder of the events of an attempt.
pub trait Recorder: Send {
    /// Records one event durably: after the return, the end of this process does not lose it.
    ///
    /// # Errors
    ///
    /// Returns an error if the event cannot be recorded. The attempt then ends, because no event may be lost.
    fn record(&mut self, event: Event<'_>) -> Result<(), RecordError>;
}

/// Error of recording an event.
#[derive(Debug, thiserror::Error)]
#[error("cannot record the attempt: {0}")]
pub struct RecordError(pub String);
