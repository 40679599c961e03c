//! Row types of experiments, attempts, grades and trajectories.

use mcpmark_agent::{CallStatus, End, Purpose};
use mcpmark_model::{Cost, Usage};
use mcpmark_snapshot::{BlobDigest, Digest, TreeDigest};
use mcpmark_task::TaskDigest;
use mcpmark_verdict::{Check, Fault, InterfaceVersions};
use serde_json::Value;

use crate::words::words;
use crate::{AttemptStatus, OutcomeKind, ScoreRule, Scoring};

/// Experiment with its progress.
#[derive(Debug, Clone, PartialEq)]
pub struct ExperimentRow {
    /// Id of the experiment.
    pub id: String,
    /// Name of the experiment.
    pub name: String,
    /// Time of creation, in milliseconds since 1970-01-01T00:00:00Z.
    pub created_ms: i64,
    /// Time of the import, in milliseconds since 1970-01-01T00:00:00Z; none if the experiment was created in this
    /// journal.
    pub imported_ms: Option<i64>,
    /// Time at which a user of this journal accepted the specification of an imported experiment.
    pub accepted_ms: Option<i64>,
    /// Specification of the experiment, as JSON.
    pub spec: String,
    /// Number of attempts that were started, each counted once.
    pub attempts: u32,
    /// Number of graded attempts, including state faults, which are failures.
    pub graded: u32,
    /// Number of passed attempts.
    pub passed: u32,
}

impl ExperimentRow {
    /// Returns true if the experiment was imported and no user of this journal has accepted its specification.
    pub fn is_foreign(&self) -> bool {
        self.imported_ms.is_some() && self.accepted_ms.is_none()
    }
}

/// Attempt with its last grade.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AttemptRow {
    /// Id of the attempt.
    pub id: String,
    /// Name of the experiment.
    pub experiment: String,
    /// Position in the experiment's plan.
    pub position: usize,
    /// Id of the task: `<service>/<world>/<task>`.
    pub task: String,
    /// Name of the agent.
    pub agent: String,
    /// Settings of the agent, as canonical JSON.
    pub agent_settings: String,
    /// Model, if the agent uses one.
    pub model: Option<String>,
    /// Settings of the model, as canonical JSON.
    pub model_settings: String,
    /// Number of the repetition, from 1.
    pub k: u32,
    /// Number of the try, from 1.
    pub try_number: u32,
    /// Task digest.
    pub task_digest: Option<TaskDigest>,
    /// Digest of the starting state.
    pub world: Option<TreeDigest>,
    /// Status.
    pub status: AttemptStatus,
    /// Start time, in milliseconds since 1970-01-01T00:00:00Z.
    pub started_ms: i64,
    /// End time, in milliseconds since 1970-01-01T00:00:00Z.
    pub ended_ms: Option<i64>,
    /// End of the agent's part; none until it has ended.
    pub end: Option<End>,
    /// Last message of the agent.
    pub answer: Option<String>,
    /// Number of replies of the agent.
    pub turns: u32,
    /// Number of tool calls of the agent.
    pub tool_calls: u32,
    /// Number of calls whose arguments are not a JSON object, plus replies that cannot be parsed.
    pub malformed_calls: u32,
    /// Tokens of all requests; none without a model, or if a reply does not report its usage.
    pub usage: Option<Usage>,
    /// Cost of all requests; none if it is unknown.
    pub cost: Option<Cost>,
    /// Wall time of the agent's part, in microseconds; none until it has ended.
    pub agent_us: Option<i64>,
    /// Part of the wall time that was spent waiting for the model, in microseconds.
    pub model_us: Option<i64>,
    /// Part of the wall time that was spent waiting for tools, in microseconds.
    pub tool_us: Option<i64>,
    /// Digest of the final state.
    pub state: Option<TreeDigest>,
    /// Kind of the outcome; none until there is one.
    pub outcome: Option<OutcomeKind>,
    /// Error, if the attempt has no grade.
    pub error: Option<String>,
    /// Last grade.
    pub grade: Option<GradeRow>,
}

impl AttemptRow {
    /// Returns the name of the outcome, or of the status if there is no outcome.
    pub fn standing(&self) -> &'static str {
        self.outcome
            .map_or(self.status.as_str(), OutcomeKind::as_str)
    }

    /// Returns whether the attempt passed; none without a verdict or state fault.
    pub fn passed(&self) -> Option<bool> {
        self.grade.as_ref().and_then(|grade| grade.result.passed())
    }

    /// Returns the score from 0 to 1; none without a verdict or state fault.
    pub fn score(&self) -> Option<f64> {
        self.grade.as_ref().and_then(|grade| grade.result.score())
    }

    /// Returns the rule by which the score was computed; none without a verdict.
    pub fn score_rule(&self) -> Option<ScoreRule> {
        self.grade
            .as_ref()
            .and_then(|grade| grade.result.score_rule())
    }

    /// Returns the checks of the verdict; empty without a verdict.
    pub fn checks(&self) -> &[Check] {
        self.grade
            .as_ref()
            .map_or(&[], |grade| grade.result.checks())
    }

    /// Returns true if the process of the attempt died so often that the attempt is not retried.
    pub fn died(&self) -> bool {
        self.status == AttemptStatus::Abandoned && self.outcome == Some(OutcomeKind::InfraError)
    }
}

/// Grade of an attempt.
#[derive(Debug, Clone, PartialEq)]
pub struct GradeRow {
    /// Digest of the verifier.
    pub verifier: BlobDigest,
    /// Profile of the engine.
    pub engine: String,
    /// Digest of the grading terms in the store; none for grades of journal formats before 4.
    pub terms: Option<BlobDigest>,
    /// Digest of the task whose verifier graded; none for grades of journal formats before 5.
    pub task_digest: Option<TaskDigest>,
    /// Log of the verifier.
    pub log: String,
    /// Servers that answered the verifier; empty if there was none, and for grades of journal formats before 11.
    pub interfaces: InterfaceVersions,
    /// Verdict, or the fault that prevented it.
    pub result: GradeResult,
}

/// Result of a grade.
#[derive(Debug, Clone, PartialEq)]
pub enum GradeResult {
    /// The verifier judged the final state.
    Verdict {
        /// True if all checks passed.
        passed: bool,
        /// Score from 0 to 1: the part of the task that was done.
        score: f64,
        /// Inputs of the score apart from the checks.
        scoring: Scoring,
        /// Checks of the verdict.
        checks: Vec<Check>,
    },
    /// The final state makes the verifier fault, although the starting state does not. The attempt failed.
    StateFault(Fault),
    /// The verifier is broken.
    VerifierFault(Fault),
}

impl GradeResult {
    /// Returns the kind of the outcome.
    pub fn outcome(&self) -> OutcomeKind {
        match self {
            Self::Verdict { .. } => OutcomeKind::Graded,
            Self::StateFault(_) => OutcomeKind::StateFault,
            Self::VerifierFault(_) => OutcomeKind::VerifierFault,
        }
    }

    /// Returns true if all checks passed, false also for a state fault, and none for a verifier fault.
    pub fn passed(&self) -> Option<bool> {
        match self {
            Self::Verdict { passed, .. } => Some(*passed),
            Self::StateFault(_) => Some(false),
            Self::VerifierFault(_) => None,
        }
    }

    /// Returns the score from 0 to 1; 0 for a state fault, none for a verifier fault.
    pub fn score(&self) -> Option<f64> {
        match self {
            Self::Verdict { score, .. } => Some(*score),
            Self::StateFault(_) => Some(0.0),
            Self::VerifierFault(_) => None,
        }
    }

    /// Returns the rule by which the score was computed; none without a verdict.
    pub fn score_rule(&self) -> Option<ScoreRule> {
        match self {
            Self::Verdict { scoring, .. } => Some(scoring.rule),
            Self::StateFault(_) | Self::VerifierFault(_) => None,
        }
    }

    /// Returns the checks of the verdict; empty without a verdict.
    pub fn checks(&self) -> &[Check] {
        match self {
            Self::Verdict { checks, .. } => checks,
            Self::StateFault(_) | Self::VerifierFault(_) => &[],
        }
    }

    /// Returns the fault; none for a verdict.
    pub fn fault(&self) -> Option<&Fault> {
        match self {
            Self::Verdict { .. } => None,
            Self::StateFault(fault) | Self::VerifierFault(fault) => Some(fault),
        }
    }
}

words! {
    /// Role of a message.
    pub enum MessageRole {
        /// Prompt of the host, with the tools that the model saw.
        System = "system",
        /// Instruction, or a later message to the model.
        User = "user",
        /// Reply of the agent.
        Assistant = "assistant",
        /// Note of the host, which the model does not see.
        Note = "note",
        /// Summary that replaces the conversation so far.
        Compaction = "compaction",
    }
}

/// Message of a trajectory.
#[derive(Debug, Clone, PartialEq)]
pub struct MessageRow {
    /// Number of the turn; 0 for the instruction.
    pub turn: u32,
    /// Role.
    pub role: MessageRole,
    /// Content of the message, as a JSON object. It has `text`, and
    /// - for `system`: `tools`, the digest of the tools that the model saw; `adapted`, a list of changes to their
    ///   schemas for the provider; `results`, the form in which the model sees results;
    /// - for `assistant`: `reasoning` if there is any, `unreadable` if the reply cannot be parsed, and `calls`, each
    ///   with `id`, `name`, `arguments`, and `malformed` if the model did not write a JSON object;
    /// - for `compaction`, instead of `text`: `request` with `system` and `text`; `history`, the summarised messages;
    ///   `summary`; and `kept`, the messages that the model sees from there on.
    pub content: Value,
    /// Time of recording, in milliseconds since 1970-01-01T00:00:00Z.
    pub at_ms: i64,
}

/// Request to a model, successful or failed.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelCallRow {
    /// Number of the turn that was requested.
    pub turn: u32,
    /// Purpose.
    pub purpose: Purpose,
    /// Number of the try, from 1.
    pub try_number: u32,
    /// Start time, in milliseconds since 1970-01-01T00:00:00Z.
    pub started_ms: i64,
    /// Duration, in microseconds.
    pub elapsed_us: i64,
    /// Status.
    pub status: CallStatus,
    /// Kind of the error.
    pub error_kind: Option<String>,
    /// Message of the error.
    pub error: Option<String>,
    /// Digest of the body of the request.
    pub request_digest: Option<Digest>,
    /// Raw reply of the provider.
    pub raw: Option<Value>,
    /// Token usage that the provider reported.
    pub usage: Option<Usage>,
    /// Cost, if it is known.
    pub cost: Option<Cost>,
}

/// Tool call of a trajectory.
#[derive(Debug, Clone, PartialEq)]
pub struct CallRow {
    /// Number of the turn that contains the call.
    pub turn: u32,
    /// Id of the call within the attempt.
    pub call_id: String,
    /// Name of the tool.
    pub name: String,
    /// Arguments: an object, or a string if the model did not write a JSON object.
    pub arguments: Value,
    /// Start time, in milliseconds since 1970-01-01T00:00:00Z.
    pub started_ms: i64,
    /// Duration, in microseconds; none if the call did not return.
    pub elapsed_us: Option<i64>,
    /// Result of the tool.
    pub result: Option<Value>,
    /// True if the tool reported an error.
    pub is_error: bool,
    /// Error, if there is no result.
    pub error: Option<String>,
}

/// Messages and tool calls of an attempt.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Trajectory {
    /// Messages, in order.
    pub messages: Vec<MessageRow>,
    /// Tool calls, in order.
    pub calls: Vec<CallRow>,
}
