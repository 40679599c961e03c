use std::time::Duration;

use mcpmark_service::ToolOutput;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{Cost, ResultView, Usage};

/// A tool call that an agent asks for.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ToolCall {
    /// Names the call within the attempt.
    pub id: String,
    /// The tool.
    pub name: String,
    /// A JSON object; empty where the arguments are malformed.
    pub arguments: Map<String, Value>,
    /// What a model wrote for its arguments, where that is no JSON object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub malformed: Option<String>,
}

/// One turn of an agent: what it says and the tools it calls.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Reply {
    /// What it says; all that it wrote where it cannot be read.
    pub text: String,
    /// Whether it is in none of the forms that it may have, and so calls nothing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unreadable: bool,
    /// What a model thought before, as far as its provider shows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<String>,
    /// The calls, in the order in which they run.
    pub calls: Vec<ToolCall>,
}

/// What a model was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// The next turn.
    Turn,
    /// A summary that takes the place of the conversation so far.
    Compaction,
}

impl Purpose {
    /// The name in the journal.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Turn => "turn",
            Self::Compaction => "compaction",
        }
    }
}

/// What came of one request to a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallStatus {
    /// A reply.
    Ok,
    /// An error, and the request is made again.
    Retry,
    /// An error that ends it.
    Failed,
}

impl CallStatus {
    /// The name in the journal.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Retry => "retry",
            Self::Failed => "failed",
        }
    }
}

/// One request to a model, also one that failed.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelCall {
    /// The turn that it was to give, from 1.
    pub turn: u32,
    /// What it was for.
    pub purpose: Purpose,
    /// Which try, from 1.
    pub try_number: u32,
    /// When it began, in milliseconds since 1970-01-01T00:00:00Z.
    pub started_ms: i64,
    /// How long it took.
    pub elapsed: Duration,
    /// What came of it.
    pub status: CallStatus,
    /// The kind of error and its message, where it gave no reply.
    pub error: Option<(&'static str, String)>,
    /// The SHA-256 of the request's body, in hexadecimal.
    pub request_digest: Option<String>,
    /// The reply as the provider sent it.
    pub raw: Option<Value>,
    /// What the provider says it took.
    pub usage: Option<Usage>,
    /// What that costs, where the price is known.
    pub cost: Option<Cost>,
}

/// Something that happened in an attempt, recorded when it does.
#[derive(Debug, Clone, PartialEq)]
pub enum Event<'a> {
    /// What the agent was asked to do.
    Instruction(&'a str),
    /// What a model is told beside the instruction.
    Setup {
        /// The system prompt.
        system: &'a str,
        /// The tools as the model sees them: a list of `name`, `description`, `input_schema`,
        /// and `server` where it is not one of the world's.
        tools: &'a Value,
        /// Where a tool's schema was changed for the provider, and how.
        adapted: &'a [String],
        /// How it is shown results.
        view: ResultView,
    },
    /// A request to a model is over.
    ModelCall(&'a ModelCall),
    /// The conversation was replaced by a summary.
    Compaction {
        /// The turn that comes next.
        turn: u32,
        /// `request`, `summary` and `kept`: the messages that the model sees from here on.
        content: &'a Value,
    },
    /// Something that the agent told the model, and that is no result of a tool.
    Told {
        /// The turn that it follows.
        turn: u32,
        /// What it said.
        text: &'a str,
    },
    /// Something that the host noted, and that nobody was told.
    Note {
        /// The turn that it follows.
        turn: u32,
        /// What it says.
        text: &'a str,
    },
    /// A turn of the agent; turns count from 1.
    Reply {
        /// Which turn.
        turn: u32,
        /// What it said and called.
        reply: &'a Reply,
    },
    /// A tool is about to run.
    CallStarted {
        /// The turn that asked for it.
        turn: u32,
        /// The call.
        call: &'a ToolCall,
    },
    /// A tool has run.
    CallEnded {
        /// The turn that asked for it.
        turn: u32,
        /// The call.
        call: &'a ToolCall,
        /// Its result, or why there is none.
        result: Result<&'a ToolOutput, &'a str>,
        /// How long it took.
        elapsed: Duration,
    },
}

/// Keeps what happens in an attempt.
pub trait Recorder: Send {
    /// Keeps one event before it returns: the end of this process does not undo it.
    ///
    /// # Errors
    ///
    /// When it cannot be kept; the attempt then ends, since nothing may be lost.
    fn record(&mut self, event: Event<'_>) -> Result<(), RecordError>;
}

/// An event could not be kept.
#[derive(Debug, thiserror::Error)]
#[error("cannot record the attempt: {0}")]
pub struct RecordError(pub String);
