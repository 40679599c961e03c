//! Why an attempt failed, by written rules.
//!
//! The classes are those of the published benchmark (arXiv 2509.24002, section 4.2): an
//! [`Implicit`](FailureClass::Implicit) failure ended like a success and was wrong; an explicit
//! one shows in how it ended. [`Ending`] holds all that the rules look at, and [`classify`] gives
//! the class with the [`Evidence`] for it. The rules see no verdict but the one: that the attempt
//! was graded and failed, or that a limit kept it from its end.
//!
//! ```
//! use mcpmark_agent::EndKind;
//! use mcpmark_agent::failure::{Ending, FailureClass, classify};
//!
//! let failure = classify(&Ending {
//!     end: EndKind::Completed,
//!     detail: None,
//!     turns: 3,
//!     tool_calls: 5,
//!     last_malformed: None,
//!     truncated: false,
//!     answer: "I found the reports. Next, I will merge them.",
//! })
//! .unwrap();
//! assert_eq!(failure.class, FailureClass::PrematureStop);
//! assert_eq!(failure.evidence.quote, "Next, I will merge them.");
//! ```

mod phrases;
mod rules;

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::EndKind;

pub use self::rules::classify;

/// What kind of failure an attempt is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FailureClass {
    /// It ended by itself like a success, and the verifier rejects what it left.
    Implicit,
    /// Its conversation no longer fitted the model.
    ContextOverflow,
    /// It used up its turns.
    TurnLimit,
    /// It used up its wall time.
    TimeLimit,
    /// It used up its tokens or its money.
    BudgetLimit,
    /// It gave up: it says that it cannot, stopped without trying, or is a program that failed.
    Abandoned,
    /// It stopped with work plainly unfinished: it asks, announces, or was cut off.
    PrematureStop,
    /// Its tool calls could not be read, up to the last one.
    MalformedCalls,
}

impl FailureClass {
    /// All classes, in the order of reports.
    pub const ALL: [Self; 8] = [
        Self::Implicit,
        Self::Abandoned,
        Self::PrematureStop,
        Self::MalformedCalls,
        Self::ContextOverflow,
        Self::TurnLimit,
        Self::TimeLimit,
        Self::BudgetLimit,
    ];

    /// The name used in reports: `implicit`, `context-overflow`, ….
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Implicit => "implicit",
            Self::ContextOverflow => "context-overflow",
            Self::TurnLimit => "turn-limit",
            Self::TimeLimit => "time-limit",
            Self::BudgetLimit => "budget-limit",
            Self::Abandoned => "abandoned",
            Self::PrematureStop => "premature-stop",
            Self::MalformedCalls => "malformed-calls",
        }
    }
}

impl fmt::Display for FailureClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// How an attempt ended, as far as the rules look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ending<'a> {
    /// How the agent's part ended.
    pub end: EndKind,
    /// More about that.
    pub detail: Option<&'a str>,
    /// Its replies.
    pub turns: u32,
    /// Its tool calls, also malformed ones.
    pub tool_calls: u32,
    /// What the model wrote as arguments of its last tool call, where that is no JSON object.
    pub last_malformed: Option<&'a str>,
    /// Whether the provider says that the last reply was cut off at its token limit.
    pub truncated: bool,
    /// The text of the last reply.
    pub answer: &'a str,
}

/// A class and what it rests on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Failure {
    /// The class.
    pub class: FailureClass,
    /// What shows it.
    pub evidence: Evidence,
}

/// What shows a class of failure.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Evidence {
    /// The turn that shows it: the last one, or that of the last malformed call.
    pub turn: u32,
    /// The rule that holds, in words.
    pub rule: &'static str,
    /// What the model or the limit said; the model's own words, so hostile text.
    pub quote: String,
}
