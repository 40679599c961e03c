//! One task of a corpus.

use std::path::PathBuf;

use serde_json::{Map, Value};

use crate::{GuestSource, HeldBack, Limits, TaskId};

/// A task of a corpus.
#[derive(Debug, Clone)]
pub struct PublishedTask {
    /// Where it lies.
    pub id: TaskId,
    /// Its directory.
    pub dir: PathBuf,
    /// What the agent is told.
    pub instruction: String,
    /// What judges the final state.
    pub script: PathBuf,
    /// What is known of the script where somebody else has it.
    pub held_back: Option<HeldBack>,
    /// Plays the task as it is meant, where somebody put one beside the script: `solution.wasm`,
    /// or `solution.rs` with a package.
    pub solution: Option<GuestSource>,
    /// All of `meta.json`, keys that nobody here knows among them.
    pub metadata: Map<String, Value>,
    /// The world that it names, where it names one.
    pub world: Option<String>,
    /// Limits of its own, under the key and by the names that our own tasks have.
    pub limits: Limits,
    /// What is odd about it and keeps nothing from working.
    pub warnings: Vec<Oddity>,
}

/// What is odd about a task of a corpus.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Oddity {
    /// Its file names it otherwise than its directory.
    OtherName {
        /// What the file says.
        task_id: String,
        /// What the directory says, which counts.
        directory: String,
    },
    /// Its file names it as those of others name them.
    SharedName {
        /// The others.
        others: String,
    },
}

impl std::fmt::Display for Oddity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::OtherName { task_id, directory } => write!(
                f,
                "its task_id is {task_id:?}, and its directory {directory:?}, which counts"
            ),
            Self::SharedName { others } => write!(f, "its task_id is also that of {others}"),
        }
    }
}

impl PublishedTask {
    /// A text of `meta.json`.
    pub fn text(&self, key: &str) -> Option<&str> {
        self.metadata.get(key).and_then(Value::as_str)
    }

    /// How hard it is said to be.
    pub fn tier(&self) -> Option<&str> {
        self.text("difficulty").or_else(|| self.text("tier"))
    }
}
