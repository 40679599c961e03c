use std::fmt;

use serde::{Deserialize, Serialize};

/// How an agent's part in an attempt ended. The world is graded all the same, but not
/// after [`ModelError`](Self::ModelError) and [`Cancelled`](Self::Cancelled): there nobody
/// knows what the agent would have done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EndKind {
    /// It gave a last message without a tool call.
    Completed,
    /// It used up its turns.
    TurnLimit,
    /// It used up its wall time.
    TimeLimit,
    /// It used up its tokens.
    TokenLimit,
    /// It used up its money.
    CostLimit,
    /// Its tool calls took more memory than the process may use.
    MemoryLimit,
    /// Its conversation no longer fits the model.
    ContextOverflow,
    /// The agent's program failed: its exit status was another than 0, or a signal ended it.
    AgentError,
    /// The model failed.
    ModelError,
    /// Somebody stopped the attempt.
    Cancelled,
}

impl EndKind {
    /// The name used in reports: `completed`, `turn-limit`, ….
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

/// An [`EndKind`] and, where there is more to say, what happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct End {
    /// How it ended.
    pub kind: EndKind,
    /// The limit that was reached, or the error.
    pub detail: Option<String>,
}

impl End {
    /// An end that says it all.
    pub fn new(kind: EndKind) -> Self {
        Self { kind, detail: None }
    }

    /// An end with its circumstances.
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
