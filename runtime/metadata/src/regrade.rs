//! Regrades of attempts.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::grade::ScoreRule;

/// Output of `regrade`: old and new grades.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RegradeReport {
    /// Attempts that were graded again.
    pub attempts: Vec<RegradedAttempt>,
    /// Attempts without a readable final state, without their task, or without a new grade.
    pub not_regraded: Vec<NotRegraded>,
    /// Results of each participant before and after, over the regraded attempts.
    pub models: Vec<RegradedModel>,
    /// Counts of attempts by result.
    pub summary: RegradeCounts,
}

/// Attempt that was graded again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RegradedAttempt {
    /// Id of the attempt.
    pub id: String,
    /// Name of the experiment.
    pub experiment: String,
    /// Id of the task: `<service>/<world>/<task>`.
    pub task: String,
    /// Name of the model; null if no model acts.
    pub model: Option<String>,
    /// Repetition of the attempt, from 1.
    pub k: u32,
    /// Previous grade; null if there was none.
    pub before: Option<RegradeSide>,
    /// New grade.
    pub after: RegradeSide,
    /// True if the attempt started from another state than the current task does.
    pub other_start: bool,
    /// True if outcome, pass, fault and all checks with their details are unchanged.
    pub same: bool,
    /// True if `passed` changed, including from or to no grade.
    pub flipped: bool,
    /// Interfaces of the verifier that servers of two versions answered in the two grades. Absent if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub servers: Vec<ChangedServer>,
    /// Checks that changed.
    pub checks: Vec<ChangedCheck>,
}

/// Previous or new grade of an attempt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RegradeSide {
    /// Outcome, such as `graded` or `verifier-fault`.
    pub outcome: String,
    /// True if all checks passed; false for a state fault; null without a grade.
    pub passed: Option<bool>,
    /// Score from 0 to 1; 0 for a state fault; null without a grade.
    pub score: Option<f64>,
    /// Rule by which the score was computed; null without a verdict.
    pub score_rule: Option<ScoreRule>,
    /// Digest of the verifier.
    pub verifier: String,
    /// Engine profile of the grade.
    pub engine: String,
    /// Servers that answered the verifier, by interface, such as `postgres 15` for `sql`. Absent if there was none.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub interfaces: BTreeMap<String, String>,
    /// Error message; null if there is a verdict.
    pub fault: Option<String>,
}

/// Server that answered an interface of the verifier, before a regrade and in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ChangedServer {
    /// Name of the interface, such as `sql`.
    pub interface: String,
    /// Server of the previous grade, such as `postgres 15`.
    pub before: String,
    /// Server of the new grade.
    pub after: String,
}

/// Check that changed in a regrade.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ChangedCheck {
    /// Name of the check.
    pub name: String,
    /// Previous result; null if the check is new.
    pub before: Option<bool>,
    /// New result; null if the check was removed.
    pub after: Option<bool>,
    /// Expected and found values of the new result.
    pub detail: String,
}

/// Attempt that was not graded again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NotRegraded {
    /// Id of the attempt.
    pub id: String,
    /// Id of the task: `<service>/<world>/<task>`.
    pub task: String,
    /// Reason why there is no new grade.
    pub reason: String,
}

/// Results of a participant before and after a regrade.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RegradedModel {
    /// Name of the experiment.
    pub experiment: String,
    /// Name of the model, or of the agent without a model.
    pub name: String,
    /// Results of the previous grades.
    pub before: RegradeNumbers,
    /// Results of the new grades.
    pub after: RegradeNumbers,
}

/// Results of the attempts of a participant.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RegradeNumbers {
    /// Number of attempts.
    pub attempts: usize,
    /// Number of graded attempts.
    pub graded: usize,
    /// Number of attempts that passed.
    pub passed: usize,
    /// Estimate of pass@1, from 0 to 1; null if nothing was graded.
    pub pass_1: Option<f64>,
}

/// Counts of attempts of a regrade.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RegradeCounts {
    /// Number of attempts that were graded again.
    pub attempts: usize,
    /// Number of attempts whose grade is unchanged.
    pub same: usize,
    /// Number of attempts whose `passed` changed.
    pub flipped: usize,
    /// Number of attempts whose new grade has no verdict.
    pub faults: usize,
    /// Number of attempts that were not graded again.
    pub not_regraded: usize,
    /// Number of attempts that started from another state than the current task does.
    pub other_start: usize,
    /// Number of attempts whose verifier was answered by a server of another version than before. Absent if it is 0.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub other_server: usize,
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}
