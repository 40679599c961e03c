//! Verification of receipts.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Output of `receipt verify`: a receipt compared with a repeated grade.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReceiptVerification {
    /// True if there are no differences.
    pub same: bool,
    /// Differences between the verdicts, or the reason why the repeated grade has no verdict.
    pub differences: Vec<String>,
    /// Task digest.
    pub bundle: ReceiptBundle,
    /// Starting state.
    pub start: ReceiptStart,
    /// Engine that ran the verifier.
    pub engine: ReceiptEngine,
}

/// Comparison of the task of a receipt with that of the library.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReceiptBundle {
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
