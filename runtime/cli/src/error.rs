//! Errors of commands: message, hint and exit code.

use std::fmt;

use mcpmark_experiment::JournalError;
use mcpmark_metadata::ExitCode;
use mcpmark_report::sanitise;
pub(crate) use mcpmark_service::error_chain;
use mcpmark_snapshot::Digest;
use mcpmark_task::TaskId;

/// Error of a command.
#[derive(Debug)]
pub(crate) struct CommandError {
    pub(crate) code: ExitCode,
    pub(crate) message: String,
    pub(crate) hint: Option<String>,
    /// Message without its list of existing names, if it has one.
    pub(crate) brief: Option<String>,
}

impl CommandError {
    fn new(code: ExitCode, message: impl fmt::Display) -> Self {
        Self {
            code,
            message: message.to_string(),
            hint: None,
            brief: None,
        }
    }

    /// Error of the command line, such as a wrong option or a missing file.
    pub(crate) fn usage(message: impl fmt::Display) -> Self {
        Self::new(ExitCode::Usage, message)
    }

    /// Error of an invalid task, world or component.
    pub(crate) fn invalid(message: impl fmt::Display) -> Self {
        Self::new(ExitCode::Invalid, message)
    }

    /// Error of the host.
    pub(crate) fn infrastructure(message: impl fmt::Display) -> Self {
        Self::new(ExitCode::Infrastructure, message)
    }

    /// Returns the message, without its list of existing names if it has one.
    pub(crate) fn into_brief(self) -> String {
        self.brief.unwrap_or(self.message)
    }

    /// Adds a hint.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

/// Converts an error of the journal.
pub(crate) fn journal_error(error: JournalError) -> CommandError {
    use JournalError as E;
    // Messages may quote a damaged journal, so they are sanitised.
    let message = sanitise::line(&error_chain(&error)).into_owned();
    match error {
        E::Unknown {
            what: "attempt", ..
        } => CommandError::usage(message).hint("`mcpmark runs EXPERIMENT` lists the attempts"),
        E::Unknown { .. } => {
            CommandError::usage(message).hint("`mcpmark runs` lists the experiments")
        }
        E::Ambiguous { .. } | E::NameTaken(_) => CommandError::usage(message),
        E::ReadOnly => CommandError::infrastructure(message).hint(
            "copy the home directory to a writable location, or name another one with --home (or MCPMARK_HOME)",
        ),
        _ => CommandError::infrastructure(message),
    }
}

/// Returns the error for a task whose verifier is held back.
pub(crate) fn held_back(task: &TaskId, verifier: &Digest) -> CommandError {
    let message = format!("task {task}: verifier {verifier} is held back");
    CommandError::invalid(message).hint(HELD_BACK_HINT)
}

/// Hint for a held-back verifier.
pub(crate) const HELD_BACK_HINT: &str = "pass the verifier with --held-back FILE";
