//! Issues that no commit closed: questions, wishes, and what is still open.

use crate::work::Report;

/// How an issue ended that no pull request closed.
#[derive(Clone, Debug)]
pub struct Closing {
    /// Days after it was opened.
    pub after: i64,
    pub by: &'static str,
    /// `completed`, `not_planned` or `duplicate`.
    pub reason: &'static str,
    /// The `id` of the talk that it repeats.
    pub repeats: &'static str,
}

/// Texts may have `{issue:id}` for the number of another talk.
#[derive(Clone, Debug)]
pub struct Talk {
    pub id: &'static str,
    pub day: i64,
    pub report: Report,
    pub closing: Option<Closing>,
}

impl Talk {
    pub fn new(day: i64, report: Report) -> Self {
        Self {
            id: "",
            day,
            report,
            closing: None,
        }
    }

    #[must_use]
    pub fn id(mut self, id: &'static str) -> Self {
        self.id = id;
        self
    }

    #[must_use]
    pub fn closed(mut self, after: i64, by: &'static str, reason: &'static str) -> Self {
        self.closing = Some(Closing {
            after,
            by,
            reason,
            repeats: "",
        });
        self
    }

    /// Closed as a duplicate of another talk.
    #[must_use]
    pub fn repeats(mut self, after: i64, by: &'static str, id: &'static str) -> Self {
        self.closing = Some(Closing {
            after,
            by,
            reason: "duplicate",
            repeats: id,
        });
        self
    }
}
