//! Statuses and outcomes of attempts. An outcome is a verdict, or the reason why there is none.

use std::fmt;

use mcpmark_metadata::FaultReport;
use mcpmark_snapshot::Digest;
use mcpmark_task::ScoreSettings;
use mcpmark_verdict::{Check, Fault, FaultKind, Verdict};

use crate::{ScoreRule, Scoring};

use crate::words::words;

words! {
    /// Status of an attempt.
    #[derive(Default)]
    pub enum AttemptStatus {
        /// The attempt is recorded as running.
        #[default]
        Running = "running",
        /// The attempt has an outcome.
        Finished = "finished",
        /// The process ended before the attempt did, and the attempt is repeated or given up.
        Abandoned = "abandoned",
        /// The attempt is recorded as running, but no process runs its experiment. The journal never stores it.
        CutOff = "cut off",
    }
}

words! {
    /// Kind of an [`Outcome`].
    pub enum OutcomeKind {
        /// [`Outcome::Graded`].
        Graded = "graded",
        /// [`Outcome::StateFault`].
        StateFault = "state-fault",
        /// [`Outcome::VerifierFault`].
        VerifierFault = "verifier-fault",
        /// [`Outcome::InfraError`].
        InfraError = "infra-error",
        /// [`Outcome::InvalidTask`].
        InvalidTask = "invalid-task",
        /// [`Outcome::HeldBack`].
        HeldBack = "held-back",
        /// [`Outcome::Cancelled`].
        Cancelled = "cancelled",
    }
}

/// Name of [`OutcomeKind::StateFault`] in the journal and in reports.
pub const STATE_FAULT: &str = OutcomeKind::StateFault.as_str();

/// Outcome of an attempt. It contains a score only if grading took place.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// The verifier judged the final state.
    Graded {
        /// Verdict of the verifier.
        verdict: Verdict,
        /// Inputs of the score apart from the verdict.
        scoring: Scoring,
    },
    /// The final state makes the verifier fault, although the starting state does not. The attempt failed.
    StateFault(Fault),
    /// The verifier is broken.
    VerifierFault(Fault),
    /// The host failed, for example because of a full disk or a lost server.
    InfraError(String),
    /// The task cannot be attempted.
    InvalidTask(String),
    /// The verifier with this digest is held back. Its owner can grade the final state.
    HeldBack(Digest),
    /// The attempt was cancelled.
    Cancelled,
}

impl Outcome {
    /// Returns the kind.
    pub fn kind(&self) -> OutcomeKind {
        match self {
            Self::Graded { .. } => OutcomeKind::Graded,
            Self::StateFault(_) => OutcomeKind::StateFault,
            Self::VerifierFault(_) => OutcomeKind::VerifierFault,
            Self::InfraError(_) => OutcomeKind::InfraError,
            Self::InvalidTask(_) => OutcomeKind::InvalidTask,
            Self::HeldBack(_) => OutcomeKind::HeldBack,
            Self::Cancelled => OutcomeKind::Cancelled,
        }
    }

    /// Returns the name used in reports, such as `graded` or `verifier-fault`.
    pub fn as_str(&self) -> &'static str {
        self.kind().as_str()
    }

    /// Returns whether the attempt passed; none without a grade.
    pub fn passed(&self) -> Option<bool> {
        match self {
            Self::StateFault(_) => Some(false),
            other => other.verdict().map(Verdict::passed),
        }
    }

    /// Returns the score from 0 to 1; 0 for a state fault, none without a grade.
    pub fn score(&self) -> Option<f64> {
        match self {
            Self::Graded { verdict, scoring } => Some(scoring.score(verdict.checks())),
            Self::StateFault(_) => Some(0.0),
            _ => None,
        }
    }

    /// Returns the inputs of the score apart from the verdict; none without a verdict.
    pub fn scoring(&self) -> Option<&Scoring> {
        match self {
            Self::Graded { scoring, .. } => Some(scoring),
            _ => None,
        }
    }

    /// Returns the rule by which the score was computed; none without a verdict.
    pub fn score_rule(&self) -> Option<ScoreRule> {
        self.scoring().map(|scoring| scoring.rule)
    }

    /// Returns the outcome with the weights and gates of its task.
    pub fn weighed(mut self, settings: &ScoreSettings) -> Self {
        if let Self::Graded { scoring, .. } = &mut self
            && scoring.rule == ScoreRule::Earned
        {
            scoring.settings = settings.clone();
        }
        self
    }

    /// Reports whether a verifier ran on the final state, so that the journal stores a grade.
    pub fn is_grade(&self) -> bool {
        matches!(
            self,
            Self::Graded { .. } | Self::StateFault(_) | Self::VerifierFault(_)
        )
    }

    /// Returns the checks of the verdict; empty without a verdict.
    pub fn checks(&self) -> &[Check] {
        self.verdict().map_or(&[], Verdict::checks)
    }

    /// Returns the fault; none for verdicts and cancelled attempts.
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
