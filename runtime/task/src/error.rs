use std::io;
use std::path::PathBuf;

/// What can be wrong with tasks and worlds on disk.
///
/// Files are named relative to the root of the library.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Neither the directory nor one above it has both `tasks/` and `worlds/`.
    #[error("{}: neither this directory nor one above it has both tasks/ and worlds/", start.display())]
    NoLibrary {
        /// Where the search began.
        start: PathBuf,
    },

    /// The file system refused.
    #[error("{}: cannot be read", file.display())]
    Read {
        /// The file or directory.
        file: PathBuf,
        /// What the file system said.
        source: io::Error,
    },

    /// The file system refused to write.
    #[error("{}: cannot be written", place.display())]
    Write {
        /// The file or directory.
        place: PathBuf,
        /// What the file system said.
        source: io::Error,
    },

    /// A text file is larger than any task needs.
    #[error("{}: is larger than {limit} bytes", file.display())]
    TooLarge {
        /// The file.
        file: PathBuf,
        /// The largest size that is read.
        limit: u64,
    },

    /// A text file is not UTF-8.
    #[error("{}: is not UTF-8 text: byte {offset} begins no character", file.display())]
    NotText {
        /// The file.
        file: PathBuf,
        /// Where the first bad sequence begins.
        offset: usize,
    },

    /// A JSON file cannot be parsed.
    #[error("{}: line {line}, column {column}: {reason}", file.display())]
    Syntax {
        /// The file.
        file: PathBuf,
        /// Counted from 1; 0 for an empty file.
        line: usize,
        /// Counted from 1; 0 for an empty file.
        column: usize,
        /// What the parser expected.
        reason: String,
    },

    /// A key is missing or its value is of no use.
    #[error("{}: key {key:?}: {problem}", file.display())]
    Key {
        /// The file.
        file: PathBuf,
        /// The key, with dots between nested ones.
        key: String,
        /// What is wrong, and what would be right.
        problem: String,
    },

    /// Something that a task or world needs is not there, or is not what it should be.
    #[error("{}: {problem}", place.display())]
    Layout {
        /// The file or directory.
        place: PathBuf,
        /// What is wrong, and what would be right.
        problem: String,
    },

    /// Published tasks start from states that are not there.
    #[error("{}{}", not_there(starts.len()), listed(starts))]
    Missing {
        /// Which, and where each would go, with the number of tasks that start from it.
        starts: Vec<(String, usize)>,
    },

    /// A name that is no task, world or guest name.
    #[error("{text:?} is no {what}: {reason}")]
    Name {
        /// What was given.
        text: String,
        /// What it should have been.
        what: &'static str,
        /// Which rule it breaks.
        reason: String,
    },

    /// No task has this id.
    #[error("no task named {id:?}{}", there_are(known))]
    UnknownTask {
        /// The id that was asked for.
        id: String,
        /// The ids that exist.
        known: Vec<String>,
    },

    /// No world has this id.
    #[error("no world named {id:?}{}", there_are(known))]
    UnknownWorld {
        /// The id that was asked for.
        id: String,
        /// The ids that exist.
        known: Vec<String>,
    },
}

fn not_there(starts: usize) -> String {
    match starts {
        1 => "1 starting state is not there:".to_owned(),
        _ => format!("{starts} starting states are not there:"),
    }
}

/// A line for each.
fn listed(starts: &[(String, usize)]) -> String {
    let lines = starts.iter().map(|(what, tasks)| {
        let word = if *tasks == 1 { "task" } else { "tasks" };
        format!("\n{what} ({tasks} {word})")
    });
    lines.collect()
}

/// `; there are: a, b`, with at most twenty names.
pub(crate) fn there_are(known: &[String]) -> String {
    const SHOWN: usize = 20;
    if known.is_empty() {
        return "; there is none at all".to_owned();
    }
    let rest = known.len().saturating_sub(SHOWN);
    let names = known[..known.len() - rest].join(", ");
    if rest == 0 {
        format!("; there are: {names}")
    } else {
        format!("; there are: {names} and {rest} more")
    }
}
