//! Variables of the environment. One that is empty counts as one that is not set.

use std::ffi::OsStr;

use crate::error::CommandError;

/// Whether a variable has a value.
pub(crate) fn is_set(name: &OsStr) -> bool {
    std::env::var_os(name).is_some_and(|value| !value.is_empty())
}

/// Whether a variable is there without a value.
pub(crate) fn is_empty(name: &OsStr) -> bool {
    std::env::var_os(name).is_some_and(|value| value.is_empty())
}

/// The value of a variable.
pub(crate) fn text(name: &str) -> Result<Option<String>, CommandError> {
    match std::env::var(name) {
        Ok(value) => Ok(Some(value).filter(|value| !value.is_empty())),
        Err(std::env::VarError::NotPresent) => Ok(None),
        Err(error) => Err(CommandError::usage(format!("{name}: {error}"))),
    }
}
