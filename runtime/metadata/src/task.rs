//! Tasks of libraries and corpora, and their guests.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Task of a library in the output of `task list`, an array.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TaskSummary {
    /// Id of the task: `<service>/<world>/<task>`.
    pub id: String,
    /// Title.
    pub title: String,
    /// Description; null if there is none.
    pub description: Option<String>,
    /// Difficulty: `L1`, `L2` or `L3`.
    pub tier: String,
    /// Tags by which tasks are selected.
    pub tags: Vec<String>,
    /// Id of the world: `<service>/<world>`.
    pub world: String,
    /// Inputs that the verifier grades: `state`, `answer` or both.
    pub judged_on: Vec<String>,
    /// Directory of the task, relative to the root of the library.
    pub dir: String,
    /// Source of the verifier, relative to the directory of the task; null if the verifier is held back.
    pub verifier: Option<String>,
    /// Digest of the verifier if it is held back; null otherwise.
    pub held_back: Option<String>,
    /// Source of the solution, relative to the directory of the task; null if there is none.
    pub solution: Option<String>,
    /// Names of the cheats.
    pub cheats: Vec<String>,
}

/// Output of `task show` for a task of a library.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TaskDetail {
    /// Task, as in the output of `task list`.
    #[serde(flatten)]
    pub task: TaskSummary,
    /// Stored certificate, whether it still holds or not; null if there is none or it cannot be read.
    pub certificate: Option<TaskCertificate>,
    /// Instruction for the agent.
    pub instruction: String,
    /// Content of `meta.json`.
    pub meta: Map<String, Value>,
}

/// Certificate of a task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TaskCertificate {
    /// Version of the format of the certificate.
    pub format: u32,
    /// Points of the certificate, in a fixed order.
    pub points: Vec<CertificatePoint>,
    /// Counts of near misses.
    pub mutants: MutantCounts,
    /// Scores of agents, from 0 to 1: `nop`, `random`, `greedy` for the best cheat, and `oracle-25` to `oracle-75` for
    /// the solution after a part of its calls. Empty if the certificate does not have them.
    pub scores: BTreeMap<String, f64>,
    /// Number of additional tool calls in each accepted variant of the solution.
    pub variants: BTreeMap<String, u32>,
}

/// Point of a certificate: one way in which a task can be unsound.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CertificatePoint {
    /// Name of the point, such as `near-misses`.
    pub point: String,
    /// Status of the point.
    pub status: PointStatus,
    /// Requirements that do not hold.
    pub failed: Vec<String>,
    /// Requirements that were not examined.
    pub not_examined: Vec<String>,
}

/// Status of a point of a certificate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PointStatus {
    /// All requirements were examined, and hold.
    Passed,
    /// The requirements that were examined hold, but others were not examined.
    InPart,
    /// A requirement does not hold.
    Failed,
    /// No requirement was examined.
    NotExamined,
}

/// Counts of near misses, which are solved worlds with one mistake.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MutantCounts {
    /// Number of near misses.
    pub made: usize,
    /// Number of near misses that the verifier rejected.
    pub rejected: usize,
}

/// Task of a corpus in the output of `task list --tasks CORPUS`, an array.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PublishedTaskSummary {
    /// Id of the task: its path in the corpus.
    pub id: String,
    /// Name of the service.
    pub service: String,
    /// Name of the category; null if there is none.
    pub category: Option<String>,
    /// Name of the world; null if the task has none.
    pub world: Option<String>,
    /// Directory of the starting state; null if there is none or it is missing.
    pub state: Option<String>,
    /// Path of the verifier script; null if the verifier is held back.
    pub verifier: Option<String>,
    /// Digest of the verifier if it is held back; null otherwise.
    pub held_back: Option<String>,
    /// Content of `meta.json`.
    pub metadata: Map<String, Value>,
    /// Warnings, which do not prevent attempts.
    pub warnings: Vec<String>,
}

/// Output of `task show --tasks CORPUS` for a task of a corpus.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PublishedTaskDetail {
    /// Id of the task: its path in the corpus.
    pub id: String,
    /// Difficulty, as written in `meta.json`; null if it has none.
    pub tier: Option<String>,
    /// Name of the world; null if the task has none.
    pub world: Option<String>,
    /// Path of the verifier script, which need not exist if the verifier is held back.
    pub verifier: String,
    /// Content of `meta.json`.
    pub metadata: Map<String, Value>,
    /// Instruction for the agent.
    pub instruction: String,
}

/// Guest in the output of `task build`, an array.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BuiltGuest {
    /// Source of the guest, relative to the root of the library.
    pub source: String,
    /// Path of the component.
    pub component: String,
    /// Digest of the component.
    pub digest: String,
    /// Size of the component in bytes.
    pub size: u64,
}
