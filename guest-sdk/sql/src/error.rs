//! Errors of the database.

use std::fmt;

use crate::bindings::mcpmark::sql::database;

/// Error of a statement. Parts that the database does not name are `None`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    /// SQLSTATE, such as `23505` for a duplicate key.
    pub code: String,
    /// Message.
    pub message: String,
    /// Detail of the message.
    pub detail: Option<String>,
    /// Hint.
    pub hint: Option<String>,
    /// Schema of the object.
    pub schema: Option<String>,
    /// Table that the error is about.
    pub table: Option<String>,
    /// Column that the error is about.
    pub column: Option<String>,
    /// Constraint that was violated.
    pub constraint: Option<String>,
}

impl From<database::Error> for Error {
    fn from(error: database::Error) -> Self {
        Self {
            code: error.code,
            message: error.message,
            detail: error.detail,
            hint: error.hint,
            schema: error.schema,
            table: error.table,
            column: error.column,
            constraint: error.constraint,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.message, self.code)?;
        match &self.detail {
            Some(detail) => write!(f, ": {detail}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Error {}
