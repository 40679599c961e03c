//! End of the agent's part in an attempt.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Kind of end of the agent's part in an attempt.
///
/// The world is then graded, except after [`ModelError`](Self::ModelError) and [`Cancelled`](Self::Cancelled), because
/// it is unknown what the agent would have done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EndKind {
    /// The agent ended by itself, in general with a message without a tool call.
    Completed,
    /// The turn limit was reached.
    TurnLimit,
    /// The limit on wall time was reached.
    TimeLimit,
    /// A token limit was reached.
    TokenLimit,
    /// The cost limit was reached.
    CostLimit,
    /// The tool calls, the conversation or a reply exceeded a memory limit.
    MemoryLimit,
    /// The conversation no longer fits the model, the provider refuses it, or it could not be summarised.
    ContextOverflow,
    /// The agent's program failed: its exit code was not 0, or a signal ended it.
    AgentError,
    /// A request to the model failed.
    ModelError,
    /// The attempt was cancelled, by the operator or by a limit of the experiment.
    Cancelled,
}

impl EndKind {
    /// Returns the name used in reports: `completed`, `turn-limit`, ….
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::TurnLimit => "turn-limit",
            Self::TimeLimit => "time-limit",
            Self::TokenLimit => "token-limit",
            Self::CostLimit => "cost-limit",
            Self::MemoryLimit => "memory-limit",
            Self::ContextOverflow => "context-overflow",
            Self::AgentError => "agent-error",
            Self::ModelError => "model-error",
            Self::Cancelled => "cancelled",
        }
    }
}

impl fmt::Display for EndKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// End of the agent's part: an [`EndKind`] and optional details.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct End {
    /// Kind of the end.
    pub kind: EndKind,
    /// Details, such as the limit that was reached or the error.
    pub detail: Option<String>,
}

impl End {
    /// Creates an end without details.
    pub fn new(kind: EndKind) -> Self {
        Self { kind, detail: None }
    }

    /// Creates an end with details.
    pub fn with(kind: EndKind, detail: impl Into<String>) -> Self {
        Self {
            kind,
            detail: Some(detail.into()),
        }
    }
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.detail {
            Some(detail) => write!(f, "{}: {detail}", self.kind),
            None => self.kind.fmt(f),
        }
    }
}
