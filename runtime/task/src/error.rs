//! Errors of loading tasks and worlds.

use std::io;
use std::path::PathBuf;

/// Errors of loading tasks and worlds from disk.
///
/// Paths of files are relative to the root of the library.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Neither the directory nor one of its ancestors contains both `tasks/` and `worlds/`.
    #[error("no library found: neither {} nor a directory above it contains tasks/ and worlds/", start.display())]
    NoLibrary {
        /// Directory in which the search started.
        start: PathBuf,
    },

    /// A file or directory cannot be read.
    #[error("cannot read {}", file.display())]
    Read {
        /// Path of the file or directory.
        file: PathBuf,
        /// Error of the file system.
        source: io::Error,
    },

    /// A file or directory cannot be written.
    #[error("cannot write {}", place.display())]
    Write {
        /// Path of the file or directory.
        place: PathBuf,
        /// Error of the file system.
        source: io::Error,
    },

    /// A text file exceeds the size limit.
    #[error("{}: exceeds the limit of {limit} bytes", file.display())]
    TooLarge {
        /// Path of the file.
        file: PathBuf,
        /// Maximum size, in bytes.
        limit: u64,
    },

    /// A text file is not UTF-8.
    #[error("{}: not valid UTF-8: invalid character at byte {offset}", file.display())]
    NotText {
        /// Path of the file.
        file: PathBuf,
        /// Offset of the first invalid byte.
        offset: usize,
    },

    /// A JSON file cannot be parsed.
    #[error("{}: line {line}, column {column}: {reason}", file.display())]
    Syntax {
        /// Path of the file.
        file: PathBuf,
        /// Line of the error, from 1; 0 if the file is empty.
        line: usize,
        /// Column of the error, from 1; 0 if the file is empty.
        column: usize,
        /// Message of the JSON parser.
        reason: String,
    },

    /// A key is missing or has an invalid value.
    #[error("{}: key {key:?}: {problem}", file.display())]
    Key {
        /// Path of the file.
        file: PathBuf,
        /// Key, with dots between nested keys.
        key: String,
        /// The problem, with the expected value.
        problem: String,
    },

    /// A file or directory of a task or world is missing or invalid.
    #[error("{}: {problem}", place.display())]
    Layout {
        /// Path of the file or directory.
        place: PathBuf,
        /// The problem, with the expected content.
        problem: String,
    },

    /// Starting states of published tasks are missing.
    #[error("{}{}", not_there(starts.len()), listed(starts))]
    Missing {
        /// Each missing state with the paths at which it is expected, and the number of tasks that start from it.
        starts: Vec<(String, usize)>,
    },

    /// Invalid name of a task, world, mutation, tier or selector.
    #[error("invalid {what} {text:?}: {reason}")]
    Name {
        /// The invalid text.
        text: String,
        /// Kind of name that was expected.
        what: &'static str,
        /// Rule that the text violates.
        reason: String,
    },

    /// No task has this id.
    #[error("unknown task {id:?}{}", available(known))]
    UnknownTask {
        /// Requested id.
        id: String,
        /// Ids of the existing tasks.
        known: Vec<String>,
    },

    /// No world has this id.
    #[error("unknown world {id:?}{}", available(known))]
    UnknownWorld {
        /// Requested id.
        id: String,
        /// Ids of the existing worlds.
        known: Vec<String>,
    },
}

fn not_there(starts: usize) -> String {
    match starts {
        1 => "1 starting state is missing:".to_owned(),
        _ => format!("{starts} starting states are missing:"),
    }
}

/// Formats one line for each missing state.
fn listed(starts: &[(String, usize)]) -> String {
    let lines = starts.iter().map(|(what, tasks)| {
        let word = if *tasks == 1 { "task" } else { "tasks" };
        format!("\n{what} ({tasks} {word})")
    });
    lines.collect()
}

/// Formats a list of names as `; available: a, b`.
fn available(known: &[String]) -> String {
    if known.is_empty() {
        return "; none are available".to_owned();
    }
    format!("; available: {}", enumeration(known))
}

/// Joins the first twenty names, and counts the others.
pub(crate) fn enumeration(names: &[String]) -> String {
    const SHOWN: usize = 20;
    let rest = names.len().saturating_sub(SHOWN);
    let shown = names[..names.len() - rest].join(", ");
    if rest == 0 {
        shown
    } else {
        format!("{shown} and {rest} more")
    }
}
