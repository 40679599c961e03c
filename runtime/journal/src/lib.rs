//! Experiments as data: specifications, plans and outcomes, and the journal that stores them.
//!
//! A [`Spec`] describes an experiment and yields its plan. An [`Outcome`] is the end of an attempt, with a score
//! ([`Scoring`]) if grading took place. The [`Journal`] is a SQLite database with attempts, messages, calls and grades,
//! written as they happen. [`report`] has the data structures that `--json` prints.
//!
//! The database is one file in WAL mode. A process writes through one connection; several processes may share the file.
//! A retry does not delete rows: each new try of an attempt is a new row. The module `durable` documents when rows reach
//! the disk.
//!
//! ```no_run
//! use mcpmark_journal::{Journal, Spec};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let journal = Journal::open("/home/me/.local/share/mcpmark/journal.db".as_ref())?;
//! for experiment in journal.experiments(10)? {
//!     let spec: Spec = serde_json::from_str(&experiment.spec)?;
//!     assert!(experiment.attempts as usize <= spec.planned());
//! }
//! # Ok(())
//! # }
//! ```

mod approval;
mod columns;
mod deaths;
mod durable;
mod grades;
mod needs;
mod outcome;
mod overview;
mod plan;
mod provenance;
mod read;
mod read_only;
mod regrade;
mod remove;
pub mod report;
mod rows;
mod schema;
mod score;
mod spending;
mod sums;
mod survey;
mod texts;
mod transfer;
mod words;
mod write;

use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use mcpmark_snapshot::InvalidDigest;
use rusqlite::Connection;

pub use mcpmark_agent::{CallStatus, End, EndKind, Purpose};
pub use mcpmark_model::{Cost, Usage, decimals};
pub use mcpmark_verdict::{Check, Fault, FaultKind, InterfaceVersions};

pub use crate::approval::{ImportedPlanError, PlanAction};
pub use crate::deaths::{DEATHS_BEFORE_ALONE, Deaths, Interrupted};
pub use crate::needs::{AttemptNeeds, NeededObject};
pub use crate::outcome::{AttemptStatus, Outcome, OutcomeKind, STATE_FAULT};
pub use crate::overview::ExperimentTotals;
pub use crate::plan::{
    Added, AgentKind, AgentSettings, Concurrency, Participant, PlanError, PlanStep, Planned, Spec,
    SpecLimits, TaskSource, TaskVersion,
};
pub use crate::provenance::Provenance;
pub use crate::regrade::RegradeRow;
pub use crate::rows::{
    AttemptRow, CallRow, ExperimentRow, GradeResult, GradeRow, MessageRole, MessageRow,
    ModelCallRow, Trajectory,
};
pub use crate::schema::SUMMARISE;
pub use crate::score::{ScoreRule, Scoring};
pub use crate::spending::ModelSpending;
pub use crate::sums::BadRow;
pub use crate::survey::{Survey, SurveyRow};
pub use crate::texts::Compacted;
pub use crate::transfer::{MAX_PLANNED, Need, RowLimits, RowTransferError};
pub use crate::words::UnknownWord;
pub use crate::write::{AttemptKey, AttemptRecorder, GradeRecord};

/// Database of experiments that persists across processes.
#[derive(Debug)]
pub struct Journal {
    connection: Mutex<Connection>,
    syncer: durable::Syncer,
    read_only: bool,
    /// Temporary copy that is read instead of a read-only journal, if one was necessary.
    _copy: Option<tempfile::TempDir>,
}

/// Errors of reading or writing the journal.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// Error of SQLite.
    #[error(transparent)]
    Sqlite(rusqlite::Error),
    /// The journal is on a read-only file system or belongs to another user.
    #[error("the journal is read-only: its directory or file is not writable")]
    ReadOnly,
    /// Error of copying a read-only journal whose write-ahead log must be read.
    #[error("cannot copy the read-only journal to read its write-ahead log")]
    Copy(#[source] std::io::Error),
    /// Error of compressing a long string.
    #[error("cannot compress a text for the journal")]
    Pack(#[source] std::io::Error),
    /// Malformed JSON in a column.
    #[error("the journal contains malformed JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// Unsupported format: the journal was written by a newer version of this program.
    #[error(
        "the journal has format {found}, but this version of mcpmark reads formats up to {known}; use a newer mcpmark, or set MCPMARK_HOME to another directory"
    )]
    Format {
        /// Format of the file.
        found: i32,
        /// Latest format that this program supports.
        known: i32,
    },
    /// The file is a SQLite database of another program.
    #[error("the file is a SQLite database of another program")]
    Foreign,
    /// A row does not match its check sum.
    #[error(
        "the journal is damaged: {0} does not match its checksum or is missing; `mcpmark store check` lists all damaged rows"
    )]
    Damaged(
        /// Name of the row.
        String,
    ),
    /// A column that contains a digest has another value.
    #[error("the journal is damaged: column {column} of {row} has an {source}")]
    InvalidDigest {
        /// Name of the row.
        row: String,
        /// Name of the column.
        column: &'static str,
        /// Description of the value.
        source: InvalidDigest,
    },
    /// A column has a word that is not one of the expected ones.
    #[error("the journal is damaged: column {column} of {row}: {source}")]
    InvalidWord {
        /// Name of the row.
        row: String,
        /// Name of the column.
        column: &'static str,
        /// Expected words, and the word of the column.
        source: UnknownWord,
    },
    /// The columns of a row exclude each other.
    #[error("the journal is damaged: {row} contradicts itself: {columns}")]
    Contradiction {
        /// Name of the row.
        row: String,
        /// Names and values of the columns.
        columns: String,
    },
    /// No row matches a name or a prefix.
    #[error("{what} {name:?} does not exist")]
    Unknown {
        /// Kind of the row: `attempt` or `experiment`.
        what: &'static str,
        /// Requested name or prefix.
        name: String,
    },
    /// Several attempts match a prefix.
    #[error("{name:?} matches {count} attempts; give more characters")]
    Ambiguous {
        /// Requested prefix.
        name: String,
        /// Number of matching attempts.
        count: usize,
    },
    /// Another experiment has the same name.
    #[error("experiment {0:?} already exists; continue it with `mcpmark resume {0}`")]
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
    /// Returns true if the file is not a database, or is a corrupt one.
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
    /// Opens the journal, and creates it if it does not exist. A journal that cannot be written is opened read-only.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be opened, is not a journal, or has a newer format.
    pub fn open(path: &Path) -> Result<Self, JournalError> {
        let opened = Connection::open(path).map_err(JournalError::from);
        let opened = opened.and_then(|mut connection| {
            schema::prepare(&mut connection)?;
            Ok(connection)
        });
        let (connection, read_only, copy) = match opened {
            Ok(connection) => (connection, false, None),
            Err(error) if path.is_file() && read_only::may_be_missing_permission(&error) => {
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

    /// Returns true if the journal is open read-only.
    pub fn is_read_only(&self) -> bool {
        self.read_only
    }

    fn lock(&self) -> MutexGuard<'_, Connection> {
        // A panic while the lock was held has rolled back its transaction.
        self.connection
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// Maximum number of tokens, nano-dollars or microseconds in a row: 2⁵³, up to which every JSON parser reads integers
/// exactly. Larger reported values are stored as this maximum.
pub(crate) const MAX_AMOUNT: i64 = 1 << 53;

/// Returns the time of the host's clock, in milliseconds since 1970-01-01T00:00:00Z.
pub(crate) fn now_ms() -> i64 {
    let elapsed = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    i64::try_from(elapsed.as_millis()).unwrap_or(i64::MAX)
}
