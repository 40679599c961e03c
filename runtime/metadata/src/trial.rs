//! Attempts that a person or a program makes call by call (`task try`).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Open attempt: the output of `task try start`, and an entry of the output of `task try status`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OpenAttempt {
    /// Id of the attempt.
    pub attempt: String,
    /// Name of its experiment.
    pub experiment: String,
    /// Id of the task.
    pub task: String,
    /// Instruction for the agent.
    pub instruction: String,
    /// Number of calls so far.
    pub calls: u32,
    /// Maximum number of calls.
    pub call_limit: u32,
    /// Remaining wall time in seconds; null without a limit.
    pub seconds_left: Option<u64>,
    /// Id of the process that holds the attempt.
    pub process: u32,
}

/// Tool of an open attempt, as MCP lists it: the output of `task try tools TOOL`, and an entry of the output of
/// `task try tools`. The server may add further keys.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Tool {
    /// Name of the tool.
    pub name: String,
    /// Description for the model. Absent if the server gives none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// JSON Schema of the arguments.
    pub input_schema: Value,
    /// Further keys of the server.
    #[serde(flatten)]
    pub others: serde_json::Map<String, Value>,
}

/// Output of `task try call`: the result of a tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolResult {
    /// Content blocks, in the form of MCP.
    pub content: Vec<Value>,
    /// Structured form of the result. Absent if the tool returns none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub structured_content: Option<Value>,
    /// True if the tool reported an error.
    pub is_error: bool,
}

/// Output of `task try abandon`: an attempt that ended without a grade.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AbandonedAttempt {
    /// Id of the attempt.
    pub attempt: String,
    /// Outcome: `cancelled`.
    pub outcome: String,
}
