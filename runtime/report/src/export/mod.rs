//! Attempts in the formats of others.
//!
//! [`Layout::Mcpmark`] is the results directory that the published benchmark writes;
//! [`Layout::Sft`] is one conversation a line for training; [`Layout::Atif`] is the Agent
//! Trajectory Interchange Format, version 1.7, one file an attempt.

mod atif;
mod mcpmark;
mod sft;

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use mcpmark_agent::ResultView;
use mcpmark_experiment::journal::{AttemptRow, ModelCallRow, Trajectory};
use mcpmark_experiment::{Journal, JournalError};
use serde_json::Value;

/// A format of others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// The published results directory: `meta.json`, `messages.json` and `summary.json`.
    Mcpmark,
    /// Conversations for training, one a line.
    Sft,
    /// ATIF 1.7, one file an attempt.
    Atif,
}

/// What was written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Exported {
    /// Attempts that were written.
    pub attempts: usize,
    /// Attempts that have no place in the format: not graded, not passed, or compacted.
    pub left_out: usize,
}

/// Why an export fails.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The journal cannot be read.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// What the experiment runs cannot be read.
    #[error("the experiment's settings cannot be read: {0}")]
    Spec(#[from] serde_json::Error),
    /// Something cannot be written.
    #[error("cannot write {path}: {source}")]
    Write {
        /// What.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// There are files in the way.
    #[error("{0} is there already and not empty; name a new directory")]
    NotEmpty(PathBuf),
    /// There is a file in the way.
    #[error("{0} is there already; name a new file")]
    Exists(PathBuf),
}

/// One attempt with all that the formats take from it.
struct Source {
    row: AttemptRow,
    trajectory: Trajectory,
    calls: Vec<ModelCallRow>,
    /// What the model was told beside the instruction.
    system: Option<String>,
    /// The tools that it saw: a list of `name`, `description`, `input_schema`, and `server` where
    /// it is one of another server than the world's.
    tools: Vec<Value>,
    /// How the model was shown results; not known of older attempts.
    view: Option<ResultView>,
}

impl Source {
    fn read(journal: &Journal, id: &str) -> Result<Self, JournalError> {
        let row = journal.attempt(id)?;
        let trajectory = journal.trajectory(id)?;
        let told = trajectory
            .messages
            .iter()
            .find(|message| message.role == "system");
        let system = told.and_then(|message| Some(message.content["text"].as_str()?.to_owned()));
        let digest = told.and_then(|message| message.content["tools"].as_str());
        let tools = match digest {
            Some(digest) => journal.tool_set(digest)?,
            None => None,
        };
        let view = told.and_then(|message| message.content.get("results"));
        Ok(Self {
            view: view.and_then(|view| serde_json::from_value(view.clone()).ok()),
            calls: journal.model_calls(id)?,
            tools: match tools {
                Some(Value::Array(tools)) => tools,
                _ => Vec::new(),
            },
            row,
            trajectory,
            system,
        })
    }

    fn passed(&self) -> Option<bool> {
        self.row.grade.as_ref().and_then(|grade| grade.passed)
    }

    /// The parts of the task's id.
    fn task(&self) -> (&str, &str, &str) {
        let mut parts = self.row.task.splitn(3, '/');
        let mut next = || parts.next().unwrap_or_default();
        (next(), next(), next())
    }

    /// The result of a call as the model saw it.
    fn result(&self, turn: u32, id: &str) -> Option<String> {
        let call = self
            .trajectory
            .calls
            .iter()
            .find(|call| call.turn == turn && call.call_id == id)?;
        Some(match (&call.result, &call.error) {
            (Some(result), _) => {
                let shown = self.view.and_then(|view| view.kept(result));
                shown.unwrap_or_else(|| crate::trajectory::result_text(result))
            }
            (None, Some(error)) => match self.view {
                Some(view) => view.error(error).text,
                None => error.clone(),
            },
            (None, None) => String::new(),
        })
    }
}

/// Writes an experiment's attempts to `target`: a new or empty directory, for
/// [`Layout::Sft`] a new file.
///
/// # Errors
///
/// When there is no such experiment, something is in the way, or it cannot be written.
pub fn export(
    journal: &Journal,
    experiment: &str,
    layout: Layout,
    target: &Path,
) -> Result<Exported, ExportError> {
    let survey = journal.survey(experiment)?;
    let ids = survey.rows.iter().map(|row| row.id.as_str());
    match layout {
        Layout::Mcpmark => {
            empty(target)?;
            mcpmark::write(journal, experiment, &survey, target)
        }
        Layout::Sft => sft::write(journal, ids, target),
        Layout::Atif => {
            empty(target)?;
            atif::write(journal, ids, target)
        }
    }
}

fn empty(dir: &Path) -> Result<(), ExportError> {
    fs::create_dir_all(dir).map_err(|source| failed(dir, source))?;
    let mut entries = fs::read_dir(dir).map_err(|source| failed(dir, source))?;
    match entries.next() {
        None => Ok(()),
        Some(_) => Err(ExportError::NotEmpty(dir.to_owned())),
    }
}

fn failed(path: &Path, source: io::Error) -> ExportError {
    ExportError::Write {
        path: path.to_owned(),
        source,
    }
}

fn write_json(path: &Path, value: &Value) -> Result<(), ExportError> {
    let write = || -> io::Result<()> {
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        let mut text = serde_json::to_string_pretty(value)?;
        text.push('\n');
        fs::File::create_new(path)?.write_all(text.as_bytes())
    };
    write().map_err(|source| match source.kind() {
        // Two things that have one name in this layout: neither is to be lost.
        io::ErrorKind::AlreadyExists => ExportError::Exists(path.to_owned()),
        _ => failed(path, source),
    })
}

/// A file that is not there yet, written line by line.
struct Lines {
    path: PathBuf,
    file: io::BufWriter<fs::File>,
}

impl Lines {
    fn create(path: &Path) -> Result<Self, ExportError> {
        let file = fs::File::create_new(path).map_err(|source| match source.kind() {
            io::ErrorKind::AlreadyExists => ExportError::Exists(path.to_owned()),
            _ => failed(path, source),
        })?;
        Ok(Self {
            path: path.to_owned(),
            file: io::BufWriter::new(file),
        })
    }

    fn push(&mut self, value: &Value) -> Result<(), ExportError> {
        writeln!(self.file, "{value}").map_err(|source| failed(&self.path, source))
    }

    fn finish(mut self) -> Result<(), ExportError> {
        self.file
            .flush()
            .map_err(|source| failed(&self.path, source))
    }
}

/// A name that is one part of a path on every system: what comes from a journal may be from
/// somebody else's machine.
fn file_name(name: &str) -> String {
    let safe: String = name
        .chars()
        .map(|c| match c {
            '-' | '_' => c,
            c if c.is_ascii_alphanumeric() => c,
            _ => '-',
        })
        .collect();
    if safe.is_empty() {
        "-".to_owned()
    } else {
        safe
    }
}
