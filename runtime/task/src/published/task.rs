//! Task of a corpus.

use std::path::PathBuf;

use serde_json::{Map, Value};

use crate::{GuestSource, HeldBack, Limits, TaskId};

/// Task of a corpus.
#[derive(Debug, Clone)]
pub struct PublishedTask {
    /// Id: the path below `tasks/`.
    pub id: TaskId,
    /// Directory of the task.
    pub dir: PathBuf,
    /// Instruction for the agent.
    pub instruction: String,
    /// Path of the verifier script, which need not exist if the verifier is held back.
    pub script: PathBuf,
    /// Digests of the script if it is held back.
    pub held_back: Option<HeldBack>,
    /// Solution that the oracle plays, if the directory has a `solution.wasm`, or a `solution.rs` with a package.
    pub solution: Option<GuestSource>,
    /// Content of `meta.json`, including unknown keys.
    pub metadata: Map<String, Value>,
    /// Name of the task's world, if `meta.json` has one.
    pub world: Option<String>,
    /// Limits of the task, under the same key and with the same names as in tasks of a library.
    pub limits: Limits,
    /// Warnings, which do not prevent attempts.
    pub warnings: Vec<TaskWarning>,
}

/// Warning about a task of a corpus.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TaskWarning {
    /// `task_id` differs from the name of the directory.
    OtherName {
        /// `task_id` in `meta.json`.
        task_id: String,
        /// Name of the directory, which is part of the id.
        directory: String,
    },
    /// Other tasks have the same `task_id`.
    SharedName {
        /// Ids of these tasks.
        others: String,
    },
}

impl std::fmt::Display for TaskWarning {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::OtherName { task_id, directory } => write!(
                f,
                "its task_id is {task_id:?}, but the name of its directory, {directory:?}, is used"
            ),
            Self::SharedName { others } => write!(f, "its task_id is also used by {others}"),
        }
    }
}

impl PublishedTask {
    /// Returns the value of a key of `meta.json`, if it is a string.
    pub fn text(&self, key: &str) -> Option<&str> {
        self.metadata.get(key).and_then(Value::as_str)
    }

    /// Returns the declared difficulty: key `difficulty`, or else `tier`.
    pub fn tier(&self) -> Option<&str> {
        self.text("difficulty").or_else(|| self.text("tier"))
    }
}
