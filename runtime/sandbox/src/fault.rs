use std::fmt;

use serde::{Deserialize, Serialize};

/// Why a guest gave no result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// What stopped it.
    pub kind: FaultKind,
    /// What happened, with the limit and its value where one was reached.
    pub message: String,
}

/// What stopped a guest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FaultKind {
    /// It panicked, or broke a rule of WebAssembly or of the interface.
    Trap,
    /// It used up its instructions.
    Fuel,
    /// It asked for more memory or table space than it may have.
    Memory,
    /// It ran longer than the host lets it.
    Time,
    /// It waited longer than its virtual time lasts. Unlike [`Time`](Self::Time), this is the same on every machine.
    Wait,
    /// It had the host copy more bytes than it may.
    Copy,
    /// Its result is too large or not well-formed.
    Output,
    /// It could not be instantiated; a script asked for something that the sandbox does not have.
    Link,
    /// Two engines came to different results.
    Disagreement,
    /// It asked for a part of a state that cannot be read: an object of a damaged repository.
    Unreadable,
}

impl FaultKind {
    /// The name used in reports: `trap`, `fuel`, ….
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
        }
    }

    /// Whether the guest and its input alone decide that it ends like this, on every machine with
    /// the same engine profile. A clock depends on the machine; a failed instantiation says
    /// something about the guest, and a script that needs what the sandbox lacks about the sandbox;
    /// a disagreement is a bug of an engine.
    pub fn follows_from_input(self) -> bool {
        match self {
            Self::Trap
            | Self::Fuel
            | Self::Memory
            | Self::Wait
            | Self::Copy
            | Self::Output
            | Self::Unreadable => true,
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

/// Why a run of a guest has no result.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The guest is to blame.
    #[error("{0}")]
    Fault(Fault),
    /// The world is to blame: a repository that is damaged.
    #[error("{0}")]
    World(String),
    /// The host is to blame: a damaged blob, a full disk.
    #[error("{0}")]
    Host(String),
}
