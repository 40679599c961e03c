//! Attempts that have no place in a format, and why.

use std::collections::BTreeMap;

/// Why an attempt is not in an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// It has no grade.
    NotGraded,
    /// It was graded and did not pass.
    Failed,
    /// Its conversation was replaced by a summary, so it is not one conversation.
    Compacted,
    /// Its agent writes calls as text instead of calling functions.
    TextCalls,
    /// It is of an agent that asks no model, such as a baseline.
    NoModel,
    /// It has no messages.
    Empty,
    /// It is longer than the limit.
    TooLong,
    /// It is the same as one before, except for the ids of calls.
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

/// How many attempts an export wrote, and how many it left out for which reason.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Exported {
    /// Attempts that were written.
    pub attempts: usize,
    left_out: BTreeMap<Reason, usize>,
}

impl Exported {
    pub(super) fn leave_out(&mut self, reason: Reason) {
        *self.left_out.entry(reason).or_default() += 1;
    }

    /// The number of attempts that were left out.
    pub fn left_out(&self) -> usize {
        self.left_out.values().sum()
    }

    /// The number of attempts that were left out for one reason.
    pub fn left_out_for(&self, reason: Reason) -> usize {
        self.left_out.get(&reason).copied().unwrap_or_default()
    }

    /// The reasons with their numbers: `2 not graded, 1 too long`.
    pub fn reasons(&self) -> String {
        let reasons = self.left_out.iter();
        let reasons: Vec<String> = reasons
            .map(|(reason, number)| format!("{number} {}", reason.text()))
            .collect();
        reasons.join(", ")
    }
}
