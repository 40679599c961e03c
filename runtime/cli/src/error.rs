//! Errors at the edge: a message, what to do about it, and an exit code.

use std::error::Error;
use std::fmt;

use mcpmark_experiment::JournalError;

use crate::exit;
use crate::output::sanitise;

/// Why a command ends early.
#[derive(Debug)]
pub(crate) struct CommandError {
    pub(crate) code: u8,
    pub(crate) message: String,
    pub(crate) hint: Option<String>,
}

impl CommandError {
    fn new(code: u8, message: impl fmt::Display) -> Self {
        Self {
            code,
            message: message.to_string(),
            hint: None,
        }
    }

    /// The command line asks for something that is not there.
    pub(crate) fn usage(message: impl fmt::Display) -> Self {
        Self::new(exit::USAGE, message)
    }

    /// A task, a world or a component is not valid.
    pub(crate) fn invalid(message: impl fmt::Display) -> Self {
        Self::new(exit::INVALID, message)
    }

    /// The host failed.
    pub(crate) fn infrastructure(message: impl fmt::Display) -> Self {
        Self::new(exit::INFRASTRUCTURE, message)
    }

    /// Adds the way out.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

/// What an error of the journal means for a command.
pub(crate) fn journal_error(error: JournalError) -> CommandError {
    use JournalError as E;
    // What is damaged may say anything.
    let message = sanitise::line(&chain(&error)).into_owned();
    match error {
        E::Unknown {
            what: "attempt", ..
        } => CommandError::usage(message).hint("`mcpmark runs EXPERIMENT` names the attempts"),
        E::Unknown { .. } => {
            CommandError::usage(message).hint("`mcpmark runs` names the experiments")
        }
        E::Ambiguous { .. } | E::NameTaken(_) => CommandError::usage(message),
        E::ReadOnly => CommandError::infrastructure(message).hint(
            "copy the home to where it can be written to, or name another one with --home (or MCPMARK_HOME)",
        ),
        _ => CommandError::infrastructure(message),
    }
}

/// An error and its causes in one line, without saying the same thing twice.
pub(crate) fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let cause_text = cause.to_string();
        if !text.ends_with(&cause_text) {
            text.push_str(": ");
            text.push_str(&cause_text);
        }
        source = cause.source();
    }
    text
}
