//! Attempts that an export leaves out, with the reasons.

use std::collections::BTreeMap;

/// Reason why an export leaves out an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// The attempt has no grade.
    NotGraded,
    /// The attempt was graded and did not pass.
    Failed,
    /// The conversation was replaced by a summary, so it is not one conversation.
    Compacted,
    /// The agent writes calls as text instead of function calls.
    TextCalls,
    /// The agent does not use a model, such as a baseline.
    NoModel,
    /// The attempt has no messages.
    Empty,
    /// The line exceeds the size limit.
    TooLong,
    /// The conversation is equal to an earlier one, except for the ids of calls.
    Duplicate,
}

impl Reason {
    fn text(self) -> &'static str {
        match self {
            Self::NotGraded => "not graded",
            Self::Failed => "did not pass",
            Self::Compacted => "compacted",
            Self::TextCalls => "of an agent that writes calls as text",
            Self::NoModel => "without a model",
            Self::Empty => "without messages",
            Self::TooLong => "too long",
            Self::Duplicate => "the same as another",
        }
    }
}

/// Counts of exported attempts, and of those left out by reason.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Exported {
    /// Number of exported attempts.
    pub attempts: usize,
    left_out: BTreeMap<Reason, usize>,
}

impl Exported {
    pub(super) fn leave_out(&mut self, reason: Reason) {
        *self.left_out.entry(reason).or_default() += 1;
    }

    /// Returns the number of attempts that were left out.
    pub fn left_out(&self) -> usize {
        self.left_out.values().sum()
    }

    /// Returns the number of attempts that were left out for one reason.
    pub fn left_out_for(&self, reason: Reason) -> usize {
        self.left_out.get(&reason).copied().unwrap_or_default()
    }

    /// Formats the reasons with their counts, as in `2 not graded, 1 too long`.
    pub fn reasons(&self) -> String {
        let reasons = self.left_out.iter();
        let reasons: Vec<String> = reasons
            .map(|(reason, number)| format!("{number} {}", reason.text()))
            .collect();
        reasons.join(", ")
    }
}
