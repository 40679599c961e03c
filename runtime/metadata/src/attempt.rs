//! One attempt in detail.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::experiment::{AttemptReport, Usage};
use crate::state::StateChange;

/// Output of `show`: an attempt with its trajectory and the changes to its world.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AttemptDetail {
    /// Attempt, as in the output of `runs EXPERIMENT`.
    #[serde(flatten)]
    pub attempt: AttemptReport,
    /// Name of the experiment.
    pub experiment: String,
    /// Settings of the agent; null if they cannot be read.
    pub agent_settings: Value,
    /// Digest of the starting state; null if none was created.
    pub start: Option<String>,
    /// Details of the end of the agent's part; null if there are none.
    pub ended_detail: Option<String>,
    /// Last message of the agent; null if there is none.
    pub answer: Option<String>,
    /// Start of the attempt, in RFC 3339 (UTC, whole seconds).
    pub started: String,
    /// Duration of the attempt in seconds; null if it has not ended.
    pub seconds: Option<f64>,
    /// Messages of the conversation, in chronological order.
    pub messages: Vec<Message>,
    /// Tool calls of the agent, in chronological order.
    pub calls: Vec<ToolCall>,
    /// Differences between the starting state and the final state; null if a state is missing.
    pub changes: Option<Vec<StateChange>>,
    /// Requests to the model, including failed ones, in chronological order.
    pub requests: Vec<ModelRequest>,
    /// Tokens, cost and time of each turn.
    pub by_turn: Vec<TurnUsage>,
    /// Failure class with its evidence; null unless the attempt failed.
    pub failure: Option<Failure>,
    /// Explanations of the failed checks. Absent without `--explain`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explained: Option<Vec<CheckExplanation>>,
}

/// Message of a conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Message {
    /// Number of the turn; 0 for the instruction.
    pub turn: u32,
    /// Role: `system`, `user`, `assistant`, `note` or `compaction`.
    pub role: String,
    /// Content of the message: an object with `text`, or with `summary` for a compaction, and further keys by role.
    pub content: Value,
}

/// Tool call of an agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ToolCall {
    /// Number of the turn that contains the call.
    pub turn: u32,
    /// Id of the call within the attempt.
    pub id: String,
    /// Name of the tool.
    pub name: String,
    /// Arguments: an object, or a string with the text that was sent if it is not a JSON object.
    pub arguments: Value,
    /// Result of the tool; null if there is none.
    pub result: Option<Value>,
    /// True if the tool reported an error.
    pub is_error: bool,
    /// Reason why there is no result; null if there is one.
    pub error: Option<String>,
    /// Wall time of the call, in microseconds; null if the call did not return.
    pub elapsed_us: Option<i64>,
}

/// Request to a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ModelRequest {
    /// Number of the turn that was requested.
    pub turn: u32,
    /// Purpose of the request: `turn`, or `compaction` before that turn.
    pub purpose: String,
    /// Number of the try, from 1.
    #[serde(rename = "try")]
    pub try_number: u32,
    /// Start of the request, in RFC 3339 (UTC, whole seconds).
    pub started: String,
    /// Wall time of the request, in microseconds.
    pub elapsed_us: i64,
    /// Status of the request: `ok`, `retry` or `failed`.
    pub status: String,
    /// Kind of the error; null if the request succeeded.
    pub error_kind: Option<String>,
    /// Error message; null if the request succeeded.
    pub error: Option<String>,
    /// SHA-256 of the body of the request, in hexadecimal; null if it was not recorded.
    pub request_digest: Option<String>,
    /// Tokens of the request; null if they are unknown.
    pub usage: Option<Usage>,
    /// Cost in US dollars; null if it is unknown.
    pub cost_usd: Option<f64>,
}

/// Tokens, cost and time of a turn, or of the compaction before it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TurnUsage {
    /// Number of the turn.
    pub turn: u32,
    /// Purpose of the requests: `turn`, or `compaction` before that turn.
    pub purpose: String,
    /// Number of requests to the model, including retries.
    pub requests: usize,
    /// Tokens, as far as the replies report them; null if no reply does.
    pub usage: Option<Usage>,
    /// Cost in US dollars, as far as it is known; null if no cost is known.
    pub cost_usd: Option<f64>,
    /// Wall time of the requests, in microseconds.
    pub model_us: u64,
    /// Wall time of the tool calls, in microseconds.
    pub tool_us: u64,
}

/// Class of a failed attempt with its evidence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Failure {
    /// Class of the failure.
    pub class: FailureClass,
    /// Evidence for the class.
    pub evidence: FailureEvidence,
}

/// Class of a failed attempt.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum FailureClass {
    /// The attempt ended by itself like a success, and the verifier rejects its final state.
    Implicit,
    /// The conversation no longer fitted the model, or its provider refused it.
    ContextOverflow,
    /// The turn limit was reached.
    TurnLimit,
    /// The limit on wall time was reached.
    TimeLimit,
    /// A limit on tokens, cost or memory was reached.
    BudgetLimit,
    /// The agent gave up: it says that it cannot do the work, called no tool, or is a program that failed.
    Abandoned,
    /// The agent stopped with work left: its last reply asks, announces a step, is empty, or was cut off.
    PrematureStop,
    /// The last tool call was malformed, or was written as text.
    MalformedCalls,
}

/// Evidence for a class of failure.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FailureEvidence {
    /// Number of the turn that shows the failure: the last turn, or the turn of the last malformed call.
    pub turn: u32,
    /// Description of the rule that matched.
    pub rule: String,
    /// Quote from the model or from the details of the end.
    pub quote: String,
}

/// Explanation of a failed check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CheckExplanation {
    /// Name of the check.
    pub check: String,
    /// Detail that the verifier reported.
    pub detail: String,
    /// Minimal set of differences to a passing state that must be undone for the check to pass. Null if the check fails
    /// even with all differences undone, or if the limit on grades ended the search.
    pub differences: Option<Vec<StateDifference>>,
}

/// Difference between a failed state and a passing state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StateDifference {
    /// Path of the entry, or `answer`.
    pub place: String,
    /// Kind of the difference.
    pub kind: DifferenceKind,
    /// Content in the failed state, or a description of it if it is not text.
    pub found: String,
    /// Content in the passing state, or a description of it if it is not text.
    pub wanted: String,
    /// First line of the difference in the failed state, from 1; null if the difference is a whole entry or the answer.
    pub line: Option<usize>,
}

/// Kind of a difference to a passing state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum DifferenceKind {
    /// The entry does not exist, but should.
    Missing,
    /// The entry exists, but should not.
    Stray,
    /// The entry has another content.
    Other,
}
