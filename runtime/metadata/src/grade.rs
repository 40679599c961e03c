//! Grades of final states.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Output of `grade`: the grade of one state.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GradeReport {
    /// Outcome: `graded`, `state-fault`, `verifier-fault`, `infra-error`, `invalid-task` or `held-back`.
    pub outcome: String,
    /// True if all checks passed; false for a state fault; null without a grade.
    pub passed: Option<bool>,
    /// Score from 0 to 1; 0 for a state fault; null without a grade.
    pub score: Option<f64>,
    /// Rule by which the score was computed; null without a verdict.
    pub score_rule: Option<ScoreRule>,
    /// Checks of the verdict; empty without a verdict.
    pub checks: Vec<Check>,
    /// Reason why there is no verdict; null if there is one.
    pub fault: Option<FaultReport>,
    /// Digest of the graded state.
    pub state: String,
    /// Digest of the verifier.
    pub verifier: String,
    /// Digest of the interpreter that ran the verifier. Absent unless the verifier is a Python script.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interpreter: Option<String>,
    /// Output of the verifier. Absent unless the verifier is a Python script that was started.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<ScriptOutput>,
    /// Servers that answered the verifier, by interface, such as `postgres 15` for `sql`. Absent if there was none.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub interfaces: BTreeMap<String, String>,
    /// Limits above the ceiling of this host, by name, with the values that were granted. Absent if there are none.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub lowered: BTreeMap<String, u64>,
}

/// Rule by which a score is computed.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum ScoreRule {
    /// Share of all checks that passed. The rule of old grades, and of grades whose baseline is unknown.
    Share,
    /// Weighted share of earned checks among those that can be earned; 0 if a check that passed at the start, or a
    /// gate, fails; 1 if all checks pass.
    Earned,
}

/// Named condition that a verifier has checked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Check {
    /// Name, unique within the verdict.
    pub name: String,
    /// True if the condition holds.
    pub passed: bool,
    /// Expected and actual value.
    pub detail: String,
}

/// Reason why there is no verdict.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FaultReport {
    /// Kind of the verifier's fault, or `infra`, `invalid` or `held-back`.
    pub kind: String,
    /// Error message.
    pub message: String,
}

/// Output of a script, or of a component that imports WASI. Invalid UTF-8 is replaced.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ScriptOutput {
    /// Text that the script wrote to standard output.
    pub stdout: String,
    /// Text that the script wrote to standard error.
    pub stderr: String,
    /// Exit code of the script or command; null if it did not exit.
    pub exit_code: Option<u8>,
}

/// Line of `grade --batch` for a request that was graded. Each line is one JSON document.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GradedLine {
    /// Number of the line of the request, from 1.
    pub line: u64,
    /// Key `id` of the request. Absent if the request has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<Value>,
    /// Grade.
    #[serde(flatten)]
    pub report: GradeReport,
}

/// Line of `grade --batch` for a request that was not graded. Each line is one JSON document.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RefusedLine {
    /// Number of the line of the request, from 1; null if it is unknown.
    pub line: Option<u64>,
    /// Key `id` of the request. Absent if the request has none or cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<Value>,
    /// Error of the request.
    pub error: RequestError,
}

/// Error of a request of a batch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RequestError {
    /// Key of the request that is wrong; null if the error concerns the whole line.
    pub key: Option<String>,
    /// Error message.
    pub message: String,
    /// Suggested correction; null if there is none.
    pub hint: Option<String>,
}
