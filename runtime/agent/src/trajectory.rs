use std::time::Duration;

use mcpmark_service::ToolOutput;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A tool call that an agent asks for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolCall {
    /// Names the call within the attempt.
    pub id: String,
    /// The tool.
    pub name: String,
    /// A JSON object.
    pub arguments: Map<String, Value>,
}

/// One turn of an agent: what it says and the tools it calls.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Reply {
    /// What it says.
    pub text: String,
    /// The calls, in the order in which they run.
    pub calls: Vec<ToolCall>,
}

/// Something that happened in an attempt, recorded when it does.
#[derive(Debug, Clone, PartialEq)]
pub enum Event<'a> {
    /// What the agent was asked to do.
    Instruction(&'a str),
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
    /// Keeps one event, durably, before it returns.
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
