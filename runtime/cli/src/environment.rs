//! Environment variables. An empty variable counts as unset.

use std::ffi::OsStr;

use crate::error::CommandError;

/// Returns true if a variable is set and not empty.
pub(crate) fn is_set(name: &OsStr) -> bool {
    std::env::var_os(name).is_some_and(|value| !value.is_empty())
}

/// Returns true if a variable is set and empty.
pub(crate) fn is_empty(name: &OsStr) -> bool {
    std::env::var_os(name).is_some_and(|value| value.is_empty())
}

/// Returns the value of a variable, if it is set and not empty.
pub(crate) fn text(name: &str) -> Result<Option<String>, CommandError> {
    match std::env::var(name) {
        Ok(value) => Ok(Some(value).filter(|value| !value.is_empty())),
        Err(std::env::VarError::NotPresent) => Ok(None),
        Err(error) => Err(CommandError::usage(format!("{name}: {error}"))),
    }
}
