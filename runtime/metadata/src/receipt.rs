//! Receipts and their verification.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::grade::Check;

/// Output of `receipt verify`: a receipt compared with a repeated grade.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReceiptVerification {
    /// True if there are no differences.
    pub same: bool,
    /// Differences between the verdicts, or the reason why the repeated grade has no verdict.
    pub differences: Vec<String>,
    /// Task digest.
    #[serde(rename = "bundle")]
    pub task_digest: ReceiptTaskDigest,
    /// Starting state.
    pub start: ReceiptStart,
    /// Engine that ran the verifier.
    pub engine: ReceiptEngine,
    /// Servers that answered the verifier in either grade, by interface. Absent if there was none.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub interfaces: BTreeMap<String, ReceiptServer>,
}

/// Comparison of the task of a receipt with that of the library.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReceiptTaskDigest {
    /// Task digest of the receipt.
    pub receipt: String,
    /// True if the task of the library has this digest, so that it was compared.
    pub compared: bool,
    /// Reason why the task was not compared; null if it was.
    pub reason: Option<String>,
}

/// Starting states of a receipt and of its task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReceiptStart {
    /// Digest of the starting state of the receipt.
    pub receipt: String,
    /// Digest of the starting state of the task; null if the task was not compared.
    pub task: Option<String>,
}

/// Engine profiles of a receipt and of the repeated grade.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReceiptEngine {
    /// Engine profile of the receipt.
    pub receipt: String,
    /// Engine profile of the repeated grade.
    pub here: String,
}

/// Servers that answered an interface of the verifier.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReceiptServer {
    /// Server in the grade of the receipt, such as `postgres 15`; null if the receipt names none.
    pub receipt: Option<String>,
    /// Server in the repeated grade; null if the verifier did not use the interface.
    pub here: Option<String>,
}

/// Output of `receipt show`, one in each line: a statement of the inputs and the verdict of a grade, in the form of
/// in-toto with the test-result predicate. With `--sign`, the statement is the payload of a DSSE envelope.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReceiptStatement {
    /// Type of the statement.
    #[serde(rename = "_type")]
    pub statement_type: String,
    /// Graded final state, named by its task.
    pub subject: Vec<NamedDigest>,
    /// Type of the predicate.
    #[serde(rename = "predicateType")]
    pub predicate_type: String,
    /// Verdict with its inputs.
    pub predicate: ReceiptPredicate,
}

/// Verdict of a receipt with its inputs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReceiptPredicate {
    /// `PASSED` or `FAILED`.
    pub result: String,
    /// Inputs of the verdict: `bundle`, `start`, `verifier`, and `answer` if it was judged.
    pub configuration: Vec<NamedDigest>,
    /// Names of the checks that passed.
    pub passed_tests: Vec<String>,
    /// Names of the checks that failed.
    pub failed_tests: Vec<String>,
    /// All inputs and the checks, from which the other keys are derived.
    pub mcpmark: ReceiptDetail,
}

/// Name with a digest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NamedDigest {
    /// Name of the input.
    pub name: String,
    /// Digests by algorithm: `sha256`, in hexadecimal.
    pub digest: BTreeMap<String, String>,
}

/// Inputs and checks of a receipt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReceiptDetail {
    /// Version of this object: 3 with interfaces; otherwise 2 with a fault, and 1 without.
    pub schema: u32,
    /// Id of the task: `<service>/<world>/<task>`.
    pub task: String,
    /// Task digest.
    #[serde(rename = "bundle")]
    pub task_digest: String,
    /// Digest of the starting state.
    pub start: String,
    /// Digest of the final state.
    pub state: String,
    /// Digest of the agent's last message; null if it was not judged or is absent.
    pub answer: Option<String>,
    /// Terms of the grade: verifier, parameters, limits and clock.
    pub terms: Value,
    /// Engine profile: wasmtime version, settings and processor.
    pub engine: String,
    /// Checks, in their order; empty for a state fault.
    pub checks: Vec<Check>,
    /// Kind of the fault that the final state causes in the verifier. Absent if there is a verdict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<String>,
    /// Servers that answered the verifier, by interface, such as `postgres 15` for `sql`. Absent if there was none.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub interfaces: BTreeMap<String, String>,
}
