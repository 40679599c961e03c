//! Errors of dumps and restorations.

use std::fmt;
use std::io;

use mcpmark_snapshot::{InvalidPath, StoreError, TreePath};

/// Error of dumping a database.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DumpError {
    /// Objects that the canonical form cannot represent.
    #[error("the database contains objects that a state cannot represent: {}", list(.objects))]
    Unsupported {
        /// Objects, sorted.
        objects: Vec<Unsupported>,
    },
    /// Failure of the server or of the connection.
    #[error("cannot {doing}: {}", describe(.source))]
    Server {
        /// Step of the dump.
        doing: String,
        /// Cause.
        source: tokio_postgres::Error,
    },
    /// Definition that the server does not return, for example because an object was dropped during the dump.
    #[error("the server returned no definition for an object of {path}")]
    NoDefinition {
        /// File of the object.
        path: String,
    },
    /// Name that does not fit into a path.
    #[error(transparent)]
    Path(#[from] InvalidPath),
    /// Failure to write the state.
    #[error("cannot write {path} of the state")]
    Write {
        /// File of the state.
        path: TreePath,
        /// Cause.
        source: io::Error,
    },
    /// Failure to store the state.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl DumpError {
    pub(super) fn server(doing: impl Into<String>) -> impl FnOnce(tokio_postgres::Error) -> Self {
        let doing = doing.into();
        move |source| Self::Server { doing, source }
    }

    /// Returns true if the host or the server failed, and the content of the database is not the cause.
    #[must_use]
    pub fn is_infrastructure(&self) -> bool {
        match self {
            Self::Unsupported { .. } | Self::Path(_) => false,
            Self::Server { .. }
            | Self::NoDefinition { .. }
            | Self::Write { .. }
            | Self::Store(_) => true,
        }
    }
}

/// Object that the canonical form cannot represent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unsupported {
    /// Kind and name of the object.
    pub object: String,
    /// Reason.
    pub reason: String,
}

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.object, self.reason)
    }
}

fn list(objects: &[Unsupported]) -> String {
    const SHOWN: usize = 10;
    let shown: Vec<String> = objects
        .iter()
        .take(SHOWN)
        .map(Unsupported::to_string)
        .collect();
    let more = objects.len().saturating_sub(SHOWN);
    if more == 0 {
        shown.join(", ")
    } else {
        format!("{} and {more} more", shown.join(", "))
    }
}

/// Error of restoring a database.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RestoreError {
    /// Statement or row that the server rejects.
    #[error("{path}:{line}: {message}")]
    Rejected {
        /// File of the state.
        path: TreePath,
        /// Line in the file, from 1.
        line: usize,
        /// Message of the server, with its detail.
        message: String,
    },
    /// File that is not a part of a state.
    #[error("{path} is not a part of the state of a database: {reason}")]
    UnknownFile {
        /// File of the state.
        path: TreePath,
        /// Reason.
        reason: &'static str,
    },
    /// State without the file `format`, or with an unknown version.
    #[error("expected a state of format {expected:?} in the file \"format\", found {found:?}")]
    Format {
        /// Known format.
        expected: &'static str,
        /// Content of the file.
        found: String,
    },
    /// Connection of a role that cannot restore.
    #[error("a state must be restored by the bootstrap superuser of the cluster")]
    NotSuperuser,
    /// Failure of the server or of the connection.
    #[error("cannot {doing}: {}", describe(.source))]
    Server {
        /// Step of the restoration.
        doing: &'static str,
        /// Cause.
        source: tokio_postgres::Error,
    },
    /// Failure to read the state.
    #[error("cannot read {path} of the state")]
    Read {
        /// File of the state.
        path: TreePath,
        /// Cause.
        source: io::Error,
    },
}

impl RestoreError {
    pub(super) fn server(doing: &'static str) -> impl FnOnce(tokio_postgres::Error) -> Self {
        move |source| Self::Server { doing, source }
    }

    /// Returns true if the host or the server failed, and the state is not the cause.
    #[must_use]
    pub fn is_infrastructure(&self) -> bool {
        match self {
            Self::Rejected { .. } | Self::UnknownFile { .. } | Self::Format { .. } => false,
            // A file that is no text is a part of the state.
            Self::Read { source, .. } => source.kind() != io::ErrorKind::InvalidData,
            Self::NotSuperuser | Self::Server { .. } => true,
        }
    }
}

/// Returns the message of the server with its detail, hint and SQLSTATE, or the error of the client.
pub(super) fn describe(error: &tokio_postgres::Error) -> String {
    let Some(server) = error.as_db_error() else {
        return match std::error::Error::source(error) {
            Some(source) => format!("{error}: {source}"),
            None => error.to_string(),
        };
    };
    let mut text = server.message().to_owned();
    for part in [server.detail(), server.hint()].into_iter().flatten() {
        text.push_str("; ");
        text.push_str(part.trim_end_matches('.'));
    }
    format!("{text} ({})", server.code().code())
}
