use std::fmt;

use mcpmark_sandbox::{Check, Fault, FaultKind, Verdict};
use mcpmark_snapshot::Digest;
use mcpmark_task::ScoreSettings;
use serde::Serialize;

use crate::{ScoreRule, Scoring};

/// The name of [`Outcome::StateFault`] in the journal and in reports.
pub const STATE_FAULT: &str = "state-fault";

/// What came of an attempt. A number exists only where grading happened.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// The verifier judged the final state.
    Graded {
        /// Its verdict.
        verdict: Verdict,
        /// What the score follows from beside the verdict.
        scoring: Scoring,
    },
    /// What the agent left stops the verifier, which judges the starting state without a fault: the
    /// attempt failed.
    StateFault(Fault),
    /// The verifier broke.
    VerifierFault(Fault),
    /// The host failed: a full disk, a lost server.
    InfraError(String),
    /// The task cannot be attempted as it is.
    InvalidTask(String),
    /// Somebody else has the verifier of this digest, and can grade what the agent left.
    HeldBack(Digest),
    /// Somebody stopped it.
    Cancelled,
}

impl Outcome {
    /// The name used in reports: `graded`, `verifier-fault`, ….
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Graded { .. } => "graded",
            Self::StateFault(_) => STATE_FAULT,
            Self::VerifierFault(_) => "verifier-fault",
            Self::InfraError(_) => "infra-error",
            Self::InvalidTask(_) => "invalid-task",
            Self::HeldBack(_) => "held-back",
            Self::Cancelled => "cancelled",
        }
    }

    /// Whether the attempt passed; none unless there is a grade.
    pub fn passed(&self) -> Option<bool> {
        match self {
            Self::StateFault(_) => Some(false),
            other => other.verdict().map(Verdict::passed),
        }
    }

    /// How much of the task is done, from 0 to 1; 0 where the state stops the verifier; none unless
    /// there is a grade.
    pub fn score(&self) -> Option<f64> {
        match self {
            Self::Graded { verdict, scoring } => Some(scoring.score(verdict.checks())),
            Self::StateFault(_) => Some(0.0),
            _ => None,
        }
    }

    /// What the score follows from beside the verdict; none without one.
    pub fn scoring(&self) -> Option<&Scoring> {
        match self {
            Self::Graded { scoring, .. } => Some(scoring),
            _ => None,
        }
    }

    /// The rule by which the score was computed; none without a verdict.
    pub fn score_rule(&self) -> Option<ScoreRule> {
        self.scoring().map(|scoring| scoring.rule)
    }

    /// The same outcome with the weights and gates of its task.
    pub fn weighed(mut self, settings: &ScoreSettings) -> Self {
        if let Self::Graded { scoring, .. } = &mut self
            && scoring.rule == ScoreRule::Earned
        {
            scoring.settings = settings.clone();
        }
        self
    }

    /// Whether a verifier ran on the final state, so that the journal keeps a grade.
    pub fn is_grade(&self) -> bool {
        matches!(
            self,
            Self::Graded { .. } | Self::StateFault(_) | Self::VerifierFault(_)
        )
    }

    /// The verifier's checks; empty unless graded.
    pub fn checks(&self) -> &[Check] {
        self.verdict().map_or(&[], Verdict::checks)
    }

    /// What went wrong where there is no verdict.
    pub fn fault(&self) -> Option<FaultReport> {
        let (kind, message) = match self {
            Self::Graded { .. } | Self::Cancelled => return None,
            Self::StateFault(Fault { kind, message })
            | Self::VerifierFault(Fault { kind, message }) => {
                (FaultKind::as_str(*kind), message.clone())
            }
            Self::InfraError(message) => ("infra", message.clone()),
            Self::InvalidTask(message) => ("invalid", message.clone()),
            Self::HeldBack(digest) => ("held-back", format!("the verifier {digest} is held back")),
        };
        Some(FaultReport {
            kind: kind.to_owned(),
            message,
        })
    }

    fn verdict(&self) -> Option<&Verdict> {
        match self {
            Self::Graded { verdict, .. } => Some(verdict),
            _ => None,
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Graded { verdict, .. } if verdict.passed() => f.write_str("passed"),
            Self::Graded { .. } => f.write_str("failed"),
            Self::StateFault(fault) => {
                write!(f, "failed: the state stops the verifier ({})", fault.kind)
            }
            other => f.write_str(other.as_str()),
        }
    }
}

/// Why there is no verdict, in the form of `--json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FaultReport {
    /// The kind of a verifier's fault, or `infra`, `invalid` or `held-back`.
    pub kind: String,
    /// What happened.
    pub message: String,
}
