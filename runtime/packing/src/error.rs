//! Errors of packing.

use std::io;
use std::path::PathBuf;

use mcpmark_archive::states::WriteError;
use mcpmark_sandbox::LoadError;
use mcpmark_snapshot::Digest;
use mcpmark_task::{TaskId, WorldId};

/// Errors of packing tasks.
#[derive(Debug, thiserror::Error)]
pub enum PackError {
    /// The verifier of a task is held back, so it cannot be packed.
    #[error("task {task}: verifier {verifier} is held back")]
    HeldBack {
        /// Id of the task.
        task: TaskId,
        /// Digest of the verifier.
        verifier: Digest,
    },
    /// The solution of a task with a Python verifier is source code.
    #[error(
        "task {task}: {}: a task with a Python verifier can be packed only with a compiled solution",
        file.display()
    )]
    SourceSolution {
        /// Id of the task.
        task: TaskId,
        /// Source file of the solution.
        file: PathBuf,
    },
    /// The sources of a task changed after it was prepared.
    #[error("task {0}: changed while it was being packed")]
    Changed(TaskId),
    /// A world of the library is not valid, or a name in it.
    #[error(transparent)]
    Task(#[from] mcpmark_task::Error),
    /// A guest of a task is not a component.
    #[error("task {task}: {role}: {problem}")]
    TaskGuest {
        /// Id of the task.
        task: TaskId,
        /// Role of the guest.
        role: String,
        /// Problem of the component.
        problem: Box<LoadError>,
    },
    /// A guest of a world is not a component.
    #[error("world {world}: {role}: {problem}")]
    WorldGuest {
        /// Id of the world.
        world: WorldId,
        /// Role of the guest.
        role: String,
        /// Problem of the component.
        problem: Box<LoadError>,
    },
    /// The interpreter of Python scripts is not a component.
    #[error("{0}")]
    Interpreter(Box<LoadError>),
    /// A file is not a certificate.
    #[error("{}: {problem}", file.display())]
    Certificate {
        /// Path of the file.
        file: PathBuf,
        /// Error of the parser.
        problem: serde_json::Error,
    },
    /// A file cannot be read.
    #[error("{}: {problem}", file.display())]
    Read {
        /// Path of the file.
        file: PathBuf,
        /// Error of the file system.
        problem: io::Error,
    },
    /// A state in the store cannot be packed.
    #[error(transparent)]
    States(#[from] WriteError),
    /// The clock of a state is outside of the range of timestamps.
    #[error("{0}")]
    Clock(jiff::Error),
    /// The document of a task digest does not have the form that bundles contain.
    #[error("{0}")]
    Parts(serde_json::Error),
    /// A component cannot be compressed.
    #[error("{0}")]
    Compress(io::Error),
}

impl PackError {
    /// Reports whether the host is the cause, and not a task or a world.
    pub fn is_infrastructure(&self) -> bool {
        match self {
            Self::Changed(_)
            | Self::Read { .. }
            | Self::States(_)
            | Self::Clock(_)
            | Self::Parts(_)
            | Self::Compress(_) => true,
            Self::HeldBack { .. }
            | Self::SourceSolution { .. }
            | Self::Task(_)
            | Self::TaskGuest { .. }
            | Self::WorldGuest { .. }
            | Self::Interpreter(_)
            | Self::Certificate { .. } => false,
        }
    }
}
