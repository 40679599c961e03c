//! Errors at the edge: a message, what to do about it, and an exit code.

use std::error::Error;
use std::fmt;

use crate::exit;

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
