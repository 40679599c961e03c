//! Classification of failed attempts by written rules.
//!
//! The classes are those of the published benchmark (arXiv 2509.24002, section 4.2): an
//! [`Implicit`](FailureClass::Implicit) failure ended like a success and was wrong; an explicit failure shows in its
//! end. [`Ending`] contains all inputs of the rules, and [`classify`] returns the class with its [`Evidence`]. The
//! rules do not see the checks of the verdict. They assume that the attempt was graded and failed, or that a limit
//! ended it.
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

/// Class of a failed attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FailureClass {
    /// The attempt ended by itself like a success, and the verifier rejects its final state.
    Implicit,
    /// The conversation no longer fitted the model, or its provider refused it.
    ContextOverflow,
    /// The turn limit was reached.
    TurnLimit,
    /// The limit on wall time was reached.
    TimeLimit,
    /// A limit on tokens, cost or memory was reached.
    BudgetLimit,
    /// The agent gave up: it says that it cannot do the work, called no tool, or is a program that failed.
    Abandoned,
    /// The agent stopped with work left: its last reply asks, announces a step, is empty, or was cut off.
    PrematureStop,
    /// The last tool call was malformed, or was written as text.
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

    /// Returns the name used in reports: `implicit`, `context-overflow`, ….
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

/// End of an attempt, as the input of the rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ending<'a> {
    /// Kind of end of the agent's part.
    pub end: EndKind,
    /// Details of the end.
    pub detail: Option<&'a str>,
    /// Number of replies.
    pub turns: u32,
    /// Number of tool calls, including malformed ones.
    pub tool_calls: u32,
    /// Arguments of the last tool call as the model wrote them, if they are not a JSON object; or a later reply that
    /// cannot be parsed.
    pub last_malformed: Option<&'a str>,
    /// True if the provider reports that the last reply was cut off at its token limit.
    pub truncated: bool,
    /// Text of the last reply.
    pub answer: &'a str,
}

/// Class of a failed attempt with its evidence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Failure {
    /// Class of the failure.
    pub class: FailureClass,
    /// Evidence for the class.
    pub evidence: Evidence,
}

/// Evidence for a class of failure.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Evidence {
    /// Number of the turn that shows the failure: the last turn, or the turn of the last malformed call.
    pub turn: u32,
    /// Description of the rule that matched.
    pub rule: &'static str,
    /// Quote from the model or from the details of the end. Text of the model is hostile.
    pub quote: String,
}
