//! The journal: what happened, written when it happens.
//!
//! One SQLite file in WAL mode. A process writes through one connection; several
//! processes may share the file. Rows are never deleted to try again: a new try of an
//! attempt is a new row. What is on the disk at which moment says [`durable`].

mod carry;
mod columns;
mod deaths;
mod durable;
mod needs;
mod overview;
mod provenance;
mod read;
mod read_only;
mod regrade;
mod remove;
mod schema;
mod spending;
mod sums;
mod survey;
mod texts;
mod write;

use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use rusqlite::Connection;

pub use self::carry::{CarryError, Need};
pub(crate) use self::carry::{Most, PLANNED};
pub(crate) use self::deaths::DEATHS_BEFORE_ALONE;
pub use self::deaths::Interrupted;
pub use self::needs::AttemptNeeds;
pub use self::overview::ExperimentTotals;
pub use self::provenance::Provenance;
pub use self::read::{
    AttemptRow, CallRow, ExperimentRow, GradeRow, MessageRow, ModelCallRow, Trajectory,
};
pub use self::regrade::RegradeRow;
pub use self::schema::SUMMARISE;
pub use self::spending::ModelSpending;
pub use self::sums::BadRow;
pub use self::survey::{Survey, SurveyRow};
pub use self::texts::Compacted;
pub use self::write::{AttemptKey, AttemptRecorder, GradeRecord};

/// Everything about experiments that outlives the process.
#[derive(Debug)]
pub struct Journal {
    connection: Mutex<Connection>,
    syncer: durable::Syncer,
    read_only: bool,
    /// What is read in the place of a journal that cannot be.
    _copy: Option<tempfile::TempDir>,
}

/// Why the journal cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// SQLite says no.
    #[error(transparent)]
    Sqlite(rusqlite::Error),
    /// The journal lies where nothing can be written.
    #[error("the journal can only be read: its directory or file cannot be written to")]
    ReadOnly,
    /// A journal that can only be read must be copied to be read, and cannot be.
    #[error("the journal can only be read, and cannot be copied to read its log")]
    Copy(#[source] std::io::Error),
    /// A text cannot be compressed.
    #[error("a text cannot be compressed for the journal")]
    Pack(#[source] std::io::Error),
    /// A row does not hold what it should.
    #[error("the journal holds malformed JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// Written by another version of this program.
    #[error(
        "the journal has format {found}, and this mcpmark knows format {known}; use a newer mcpmark, or set MCPMARK_HOME to another directory"
    )]
    Format {
        /// What the file says.
        found: i32,
        /// What this program knows.
        known: i32,
    },
    /// Some other program's file.
    #[error("the file is a SQLite database of some other program")]
    Foreign,
    /// A row is not as it was written.
    #[error(
        "the journal is damaged: {0} is not as it was written; `mcpmark store check` names every such row"
    )]
    Damaged(
        /// Which row it is.
        String,
    ),
    /// No row fits a name or prefix.
    #[error("no {what} is named {name:?}")]
    Unknown {
        /// `attempt` or `experiment`.
        what: &'static str,
        /// What was asked for.
        name: String,
    },
    /// More than one row fits a prefix.
    #[error("{name:?} fits {count} attempts; give more characters")]
    Ambiguous {
        /// What was asked for.
        name: String,
        /// How many fit.
        count: usize,
    },
    /// The name of an experiment is taken.
    #[error("an experiment named {0:?} is there already; `mcpmark resume {0}` goes on with it")]
    NameTaken(String),
}

impl From<rusqlite::Error> for JournalError {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(rusqlite::ErrorCode::ReadOnly) => Self::ReadOnly,
            _ => Self::Sqlite(error),
        }
    }
}

impl JournalError {
    /// Whether the file is there, can be read, and is no sound journal.
    pub fn is_malformed(&self) -> bool {
        use rusqlite::ErrorCode::{DatabaseCorrupt, NotADatabase};
        match self {
            Self::Sqlite(error) => {
                matches!(
                    error.sqlite_error_code(),
                    Some(DatabaseCorrupt | NotADatabase)
                )
            }
            _ => false,
        }
    }
}

impl Journal {
    /// Opens the journal, and makes it where it is not there yet. One that cannot be written to is opened to be read.
    ///
    /// # Errors
    ///
    /// When the file cannot be opened, is not a journal, or has a newer format.
    pub fn open(path: &Path) -> Result<Self, JournalError> {
        let opened = Connection::open(path).map_err(JournalError::from);
        let opened = opened.and_then(|mut connection| {
            schema::prepare(&mut connection)?;
            Ok(connection)
        });
        let (connection, read_only, copy) = match opened {
            Ok(connection) => (connection, false, None),
            Err(error) if path.is_file() && read_only::may_be_due_to_place(&error) => {
                let (connection, copy) = read_only::open(path)?;
                (connection, true, copy)
            }
            Err(error) => return Err(error),
        };
        Ok(Self {
            connection: Mutex::new(connection),
            syncer: durable::Syncer::of(path),
            read_only,
            _copy: copy,
        })
    }

    /// Whether it can only be read.
    pub fn is_read_only(&self) -> bool {
        self.read_only
    }

    fn lock(&self) -> MutexGuard<'_, Connection> {
        // A panic while the lock was held rolled its transaction back.
        self.connection
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// The largest amount of tokens, nano-dollars or microseconds that a row has: 2⁵³, up to which all who read JSON
/// read the same number. What is said to be more is kept as this.
pub(crate) const MOST: i64 = 1 << 53;

/// Milliseconds since 1970-01-01T00:00:00Z, of the host's clock.
pub(crate) fn now_ms() -> i64 {
    let elapsed = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    i64::try_from(elapsed.as_millis()).unwrap_or(i64::MAX)
}
