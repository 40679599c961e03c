//! Open attempts: finding one, and sending it a request.

use std::fs;
use std::io::{self, BufRead, BufReader, ErrorKind, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;

use mcpmark_experiment::journal::{AttemptRow, AttemptStatus, EndKind, OutcomeKind};
use mcpmark_experiment::{AgentKind, JournalError};

use super::background;
use super::protocol::{Request, Response};
use crate::context::Context;
use crate::error::{CommandError, journal_error};
use crate::output::sanitise;

/// Open attempt with a connection to its process.
pub(super) struct OpenAttempt {
    pub(super) id: String,
    stream: UnixStream,
}

impl OpenAttempt {
    /// Returns the open attempts whose ids begin with `prefix`, sorted by id. Removes the sockets of processes that
    /// were killed.
    pub(super) fn all(context: &Context, prefix: &str) -> Result<Vec<Self>, CommandError> {
        let dir = context.home().sockets_dir();
        let failed = |file: &Path, error: io::Error| {
            CommandError::infrastructure(format!("cannot open {}: {error}", file.display()))
        };
        let entries = match fs::read_dir(&dir) {
            Ok(entries) => entries,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(failed(&dir, error)),
        };
        let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        // A hidden name is that of a socket that does not accept connections yet.
        let mut ids: Vec<String> = names
            .filter(|name| !name.starts_with('.') && name.starts_with(prefix))
            .collect();
        ids.sort();
        let mut open = Vec::new();
        for id in ids {
            let file = dir.join(&id);
            match UnixStream::connect(&file) {
                Ok(stream) => open.push(Self { id, stream }),
                Err(error) if error.kind() == ErrorKind::ConnectionRefused => {
                    background::remove(&file);
                }
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => return Err(failed(&file, error)),
            }
        }
        Ok(open)
    }

    /// Returns the open attempt whose id begins with `prefix`, or without a prefix the only open one.
    pub(super) fn one(context: &Context, prefix: Option<&str>) -> Result<Self, CommandError> {
        // As in the journal, upper-case digits are accepted.
        let prefix = prefix.map(str::to_ascii_lowercase);
        let mut open = Self::all(context, prefix.as_deref().unwrap_or_default())?;
        match (open.pop(), open.is_empty(), prefix.as_deref()) {
            (Some(one), true, _) => Ok(one),
            (Some(last), false, _) => {
                let ids: Vec<&str> = open.iter().chain([&last]).map(|it| &*it.id).collect();
                let message = format!("{} attempts are open: {}", ids.len(), ids.join(", "));
                Err(CommandError::usage(message)
                    .hint("choose one with --attempt; `mcpmark task try status` shows their tasks"))
            }
            (None, _, None) => {
                // The attempt may have been started with another --home.
                let home = context.home().dir().display();
                let message = format!("no attempt is open in the home {home}");
                Err(CommandError::usage(message).hint("`mcpmark task try start TASK` opens one"))
            }
            (None, _, Some(prefix)) => Err(not_open(context, prefix)),
        }
    }

    /// Sends a request and waits for the response. Returns `None` if the process ended without one.
    pub(super) fn ask(&self, request: &Request) -> Result<Option<Response>, CommandError> {
        let unreadable = |error: serde_json::Error| {
            CommandError::infrastructure(format!(
                "the process of attempt {} cannot be understood: {error}",
                self.id
            ))
            .hint("its program may be of another version; it ends by itself, or by SIGTERM")
        };
        let mut line = serde_json::to_vec(request).map_err(unreadable)?;
        line.push(b'\n');
        let mut response = Vec::new();
        let exchanged = (&self.stream)
            .write_all(&line)
            .and_then(|()| BufReader::new(&self.stream).read_until(b'\n', &mut response));
        if exchanged.is_err() || response.last() != Some(&b'\n') {
            return Ok(None);
        }
        serde_json::from_slice(&response)
            .map(Some)
            .map_err(unreadable)
    }
}

/// Returns the error for an attempt that is not open.
pub(super) fn not_open(context: &Context, prefix: &str) -> CommandError {
    let unknown = CommandError::usage(format!("no open attempt has an id like {prefix:?}"))
        .hint("`mcpmark task try status` lists the open attempts");
    // Opening the journal would create it.
    if !context.home().journal_file().exists() {
        return unknown;
    }
    let found = context
        .journal()
        .and_then(|journal| match journal.attempt(prefix) {
            Err(JournalError::Unknown { .. }) => Ok(None),
            found => found.map(Some).map_err(journal_error),
        });
    match found {
        Ok(Some(row)) => closed(&row),
        Ok(None) => unknown,
        Err(error) => error,
    }
}

/// Returns the attempt of `task try` whose id begins with `prefix` if a limit has ended it, so that it has an outcome
/// although `finish` was not called.
pub(super) fn at_limit(context: &Context, prefix: &str) -> Option<AttemptRow> {
    // Opening the journal would create it.
    if !context.home().journal_file().exists() {
        return None;
    }
    let row = context.journal().ok()?.attempt(prefix).ok()?;
    let is_over = row.agent == AgentKind::Manual.as_str() && row.status != AttemptStatus::Running;
    let was_ended = row
        .end
        .as_ref()
        .is_some_and(|end| !matches!(end.kind, EndKind::Completed | EndKind::Cancelled));
    (is_over && was_ended).then_some(row)
}

/// Returns the error for an attempt that is in the journal and not open.
fn closed(row: &AttemptRow) -> CommandError {
    let (id, agent) = (&row.id, sanitise::line(&row.agent));
    if row.agent != AgentKind::Manual.as_str() {
        let message = format!("attempt {id} is one of agent {agent}, not of `mcpmark task try`");
        return CommandError::usage(message)
            .hint("`mcpmark task try status` lists the open attempts");
    }
    if row.status == AttemptStatus::Running {
        return died(row);
    }
    let ended = row.end.as_ref().map(ToString::to_string);
    let outcome = row.outcome.map(OutcomeKind::as_str);
    let ended = ended.as_deref().or(outcome).unwrap_or("-");
    CommandError::usage(format!("attempt {id} has ended: {}", sanitise::line(ended)))
        .hint(format!("`mcpmark show {id}` shows it"))
}

/// Returns the error for an attempt whose process ended before the attempt did.
pub(super) fn died(row: &AttemptRow) -> CommandError {
    let AttemptRow { id, task, .. } = row;
    CommandError::infrastructure(format!(
        "the process of attempt {id} ended before its final state was graded"
    ))
    .hint(format!(
        "`mcpmark task try start {}` opens another attempt",
        sanitise::line(task)
    ))
}
