//! Errors of running a guest.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Reason why a guest returned no result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// Kind of the fault.
    pub kind: FaultKind,
    /// Message, with the limit and its value if one was reached.
    pub message: String,
}

/// Kinds of faults of a guest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FaultKind {
    /// Panic, or violation of a rule of WebAssembly or of the interface.
    Trap,
    /// Fuel limit reached.
    Fuel,
    /// Limit on memory, table elements, handles or open files reached.
    Memory,
    /// Limit on wall-clock time reached.
    Time,
    /// Virtual time used up by waiting. Unlike [`Time`](Self::Time), this is the same on every machine.
    Wait,
    /// Limit on bytes copied by the host reached.
    Copy,
    /// Result that is too large or malformed.
    Output,
    /// Failed instantiation, or a script that asks for something that the sandbox does not have.
    Link,
    /// Different results from the two engines of a cross-check.
    Disagreement,
    /// Access to a part of a state that cannot be read: an object of a damaged repository.
    Unreadable,
    /// Statements on a database that do not end within their time, such as calls of a function that never ends.
    Statement,
}

impl FaultKind {
    /// Returns the name used in reports: `trap`, `fuel` and so on.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Trap => "trap",
            Self::Fuel => "fuel",
            Self::Memory => "memory",
            Self::Time => "time",
            Self::Wait => "wait",
            Self::Copy => "copy",
            Self::Output => "output",
            Self::Link => "link",
            Self::Disagreement => "disagreement",
            Self::Unreadable => "unreadable",
            Self::Statement => "statement",
        }
    }

    /// Reports whether the guest and its input alone determine the fault, on every machine with the same engine
    /// profile. This does not hold for `time`, which depends on the machine, for `link`, which says something about the
    /// guest or about what the sandbox lacks, and for `disagreement`, which is a bug of an engine. `statement` counts as
    /// determined, although a slow machine can cause it: its limit is far above the time of useful statements, and a
    /// state with endless ones must not escape its grade.
    pub fn follows_from_input(self) -> bool {
        match self {
            Self::Trap
            | Self::Fuel
            | Self::Memory
            | Self::Wait
            | Self::Copy
            | Self::Output
            | Self::Unreadable
            | Self::Statement => true,
            Self::Time | Self::Link | Self::Disagreement => false,
        }
    }
}

impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Fault {
    pub(crate) fn new(kind: FaultKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind, self.message)
    }
}

/// Errors of a run, by cause.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The guest is the cause.
    #[error("{0}")]
    Fault(Fault),
    /// The world is the cause: a damaged repository.
    #[error("{0}")]
    World(String),
    /// The host is the cause: a damaged blob, a full disk, or a cancelled run.
    #[error("{0}")]
    Host(String),
}
