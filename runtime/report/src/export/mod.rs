//! Attempts in the formats of others.
//!
//! [`Layout::Mcpmark`] is the results directory that the published benchmark writes;
//! [`Layout::Sft`] is one conversation a line for training; [`Layout::Atif`] is the Agent
//! Trajectory Interchange Format, version 1.7, one file an attempt; [`Layout::Tables`] is everything
//! as tables of JSON Lines.

mod atif;
mod left_out;
mod mcpmark;
mod sft;
mod signature;
mod tables;

use std::collections::HashMap;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use mcpmark_agent::ResultView;
use mcpmark_experiment::journal::{AttemptRow, CallRow, MessageRow, ModelCallRow, Trajectory};
use mcpmark_experiment::{Journal, JournalError};
use serde_json::{Value, json};

pub use self::left_out::{Exported, Reason};
pub use self::sft::{SFT_SCHEMA, SftOptions};
pub use self::tables::TABLES;

/// A format of others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// The published results directory: `meta.json`, `messages.json` and `summary.json`.
    Mcpmark,
    /// Conversations for training, one a line.
    Sft(SftOptions),
    /// ATIF 1.7, one file an attempt.
    Atif,
    /// Tables of JSON Lines: attempts, turns, calls, requests and checks.
    Tables,
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
    /// The tools that it saw: a list of `name`, `description`, `input_schema`, and `server` where
    /// it is one of another server than the world's.
    tools: Vec<Value>,
    /// How the model was shown results; not known of older attempts.
    view: Option<ResultView>,
    /// Where the call of a turn and an id is in the trajectory.
    places: HashMap<(u32, String), usize>,
}

impl Source {
    fn read(journal: &Journal, id: &str) -> Result<Self, JournalError> {
        let row = journal.attempt(id)?;
        let trajectory = journal.trajectory(id)?;
        let told = trajectory
            .messages
            .iter()
            .find(|message| message.role == "system");
        let digest = told.and_then(|message| message.content["tools"].as_str());
        let tools = match digest {
            Some(digest) => journal.tool_set(digest)?,
            None => Value::Null,
        };
        let view = told.and_then(|message| message.content.get("results"));
        let mut places = HashMap::new();
        for (place, call) in trajectory.calls.iter().enumerate() {
            let key = (call.turn, call.call_id.clone());
            places.entry(key).or_insert(place);
        }
        Ok(Self {
            places,
            view: view.and_then(|view| serde_json::from_value(view.clone()).ok()),
            calls: journal.model_calls(id)?,
            tools: match tools {
                Value::Array(tools) => tools,
                _ => Vec::new(),
            },
            row,
            trajectory,
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

    /// The messages as the model was sent them: the system message comes first.
    fn messages(&self) -> Vec<&MessageRow> {
        let mut messages: Vec<&MessageRow> = self.trajectory.messages.iter().collect();
        // It is recorded after the instruction.
        messages.sort_by_key(|message| message.role != "system");
        messages
    }

    /// The tools as function definitions of Chat Completions.
    fn functions(&self) -> Vec<Value> {
        let functions = self.tools.iter().map(|tool| {
            json!({
                "type": "function",
                "function": {
                    "name": tool["name"],
                    "description": tool["description"],
                    "parameters": tool["input_schema"],
                },
            })
        });
        functions.collect()
    }

    /// The result of a call of a turn as the model was shown it.
    fn result(&self, turn: u32, id: &str) -> Option<String> {
        let place = self.places.get(&(turn, id.to_owned()))?;
        Some(self.shown(self.trajectory.calls.get(*place)?))
    }

    /// The result of a call as the model was shown it.
    fn shown(&self, call: &CallRow) -> String {
        match (&call.result, &call.error) {
            (Some(result), _) => {
                let shown = self.view.and_then(|view| view.kept(result));
                shown.unwrap_or_else(|| crate::trajectory::result_text(result))
            }
            (None, Some(error)) => match self.view {
                Some(view) => view.error(error).text,
                None => error.clone(),
            },
            (None, None) => String::new(),
        }
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
        Layout::Sft(options) => sft::write(journal, ids, target, options),
        Layout::Tables => {
            empty(target)?;
            tables::write(journal, &survey, target)
        }
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
        self.push_text(&value.to_string())
    }

    fn push_text(&mut self, line: &str) -> Result<(), ExportError> {
        writeln!(self.file, "{line}").map_err(|source| failed(&self.path, source))
    }

    /// Finishes the file, or removes it where nothing was written.
    fn finish_unless(self, is_empty: bool) -> Result<(), ExportError> {
        let path = self.path.clone();
        self.finish()?;
        if is_empty {
            fs::remove_file(&path).map_err(|source| failed(&path, source))
        } else {
            Ok(())
        }
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
