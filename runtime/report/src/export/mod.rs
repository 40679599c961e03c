//! Export of attempts to formats of other projects.
//!
//! [`Layout::Mcpmark`] is the results directory of the published benchmark. [`Layout::Sft`] has one conversation in
//! each line, for training. [`Layout::Atif`] is the Agent Trajectory Interchange Format, version 1.7, with one file for
//! each attempt. [`Layout::Tables`] contains all data as tables in JSON Lines.

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
use mcpmark_journal::{
    AttemptRow, CallRow, Journal, JournalError, MessageRole, MessageRow, ModelCallRow, Trajectory,
};
use serde_json::{Value, json};

pub use self::left_out::{Exported, Reason};
pub use self::sft::{SFT_SCHEMA, SftOptions};
pub use self::tables::TABLES;

/// Format of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// Results directory of the published benchmark: `meta.json`, `messages.json` and `summary.json`.
    Mcpmark,
    /// Conversations for training, one in each line.
    Sft(SftOptions),
    /// ATIF 1.7, one file for each attempt.
    Atif,
    /// Tables in JSON Lines: attempts, turns, calls, requests and checks.
    Tables,
}

/// Errors of an export.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The journal cannot be read.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The specification of the experiment cannot be parsed.
    #[error("cannot read the settings of the experiment: {0}")]
    Spec(#[from] serde_json::Error),
    /// A file or directory cannot be written.
    #[error("cannot write {path}: {source}")]
    Write {
        /// Path of the file or directory.
        path: PathBuf,
        /// Error of the file system.
        source: io::Error,
    },
    /// The target directory is not empty.
    #[error("{0} already exists and is not empty; choose a new directory")]
    NotEmpty(PathBuf),
    /// The target file exists already.
    #[error("{0} already exists; choose a new file")]
    Exists(PathBuf),
}

/// Attempt with all rows that the formats need.
struct Source {
    row: AttemptRow,
    trajectory: Trajectory,
    calls: Vec<ModelCallRow>,
    /// Tools that were offered to the model, as objects with `name`, `description`, `input_schema`, and `server` if the
    /// tool belongs to an external server.
    tools: Vec<Value>,
    /// Form in which results were shown to the model. Unknown for older attempts.
    view: Option<ResultView>,
    /// Index of a call in the trajectory, by turn and id.
    places: HashMap<(u32, String), usize>,
}

impl Source {
    fn read(journal: &Journal, id: &str) -> Result<Self, JournalError> {
        let row = journal.attempt(id)?;
        let trajectory = journal.trajectory(id)?;
        let told = trajectory
            .messages
            .iter()
            .find(|message| message.role == MessageRole::System);
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

    /// Splits the id of the task into service, world and task name.
    fn task(&self) -> (&str, &str, &str) {
        let mut parts = self.row.task.splitn(3, '/');
        let mut next = || parts.next().unwrap_or_default();
        (next(), next(), next())
    }

    /// Returns the messages in the order in which the model received them, with the system message first.
    fn messages(&self) -> Vec<&MessageRow> {
        let mut messages: Vec<&MessageRow> = self.trajectory.messages.iter().collect();
        // The system message is recorded after the instruction.
        messages.sort_by_key(|message| message.role != MessageRole::System);
        messages
    }

    /// Returns the tools as function definitions of Chat Completions.
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

    /// Returns the result of a call, by turn and id, as it was shown to the model.
    fn result(&self, turn: u32, id: &str) -> Option<String> {
        let place = self.places.get(&(turn, id.to_owned()))?;
        Some(self.shown(self.trajectory.calls.get(*place)?))
    }

    /// Returns the result of a call as it was shown to the model.
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

/// Exports an experiment's attempts to `target`, which must be a new file for [`Layout::Sft`], and a new or empty
/// directory for the other formats.
///
/// # Errors
///
/// Returns an error if the experiment does not exist, if the target exists, or if it cannot be written.
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
        // Two attempts have the same path in this layout, and neither may be overwritten.
        io::ErrorKind::AlreadyExists => ExportError::Exists(path.to_owned()),
        _ => failed(path, source),
    })
}

/// New file that is written line by line.
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

    /// Finishes the file, or removes it if it is empty.
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

/// Converts a name to a valid path component of all systems. Names are untrusted because a journal may come from
/// another machine.
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
