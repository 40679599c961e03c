//! SQL databases of sites: what statements may do, and how much.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rusqlite::hooks::{AuthAction, AuthContext, Authorization};
use rusqlite::limits::Limit;
use rusqlite::types::{Value, ValueRef};
use rusqlite::{Connection, ErrorCode, StatementStatus, params_from_iter};

/// Size of a page of a database, in bytes.
const PAGE_BYTES: u32 = 4096;
/// Steps of the virtual machine of SQLite between two checks of the limit.
const STEPS: u64 = 10_000;
/// Maximum number of steps of the statements of one request, about one second.
const MAX_STEPS: u64 = 50_000_000;
/// Maximum size of the rows that the statements of one request return, in bytes.
const MAX_ROW_BYTES: u64 = 64 << 20;
/// Maximum length of a statement, in bytes.
const MAX_STATEMENT_BYTES: i32 = 1 << 20;

/// Functions whose results would differ between equal requests, or that leave the database.
const DENIED_FUNCTIONS: [&str; 14] = [
    "current_date",
    "current_time",
    "current_timestamp",
    "date",
    "datetime",
    "julianday",
    "load_extension",
    "random",
    "randomblob",
    "sqlite_log",
    "strftime",
    "time",
    "timediff",
    "unixepoch",
];

/// Value of a column or a parameter.
#[derive(Debug, Clone, PartialEq)]
pub enum SqlValue {
    /// `NULL`.
    Null,
    /// Integer.
    Integer(i64),
    /// Floating-point number.
    Real(f64),
    /// Text.
    Text(String),
    /// Bytes.
    Blob(Vec<u8>),
}

impl SqlValue {
    fn read(value: ValueRef<'_>) -> Result<Self, SqlError> {
        Ok(match value {
            ValueRef::Null => Self::Null,
            ValueRef::Integer(number) => Self::Integer(number),
            ValueRef::Real(number) => Self::Real(number),
            ValueRef::Text(text) => {
                let text = std::str::from_utf8(text).map_err(|_| SqlError::NotUtf8)?;
                Self::Text(text.to_owned())
            }
            ValueRef::Blob(bytes) => Self::Blob(bytes.to_owned()),
        })
    }

    /// Returns the bytes that the value counts for.
    fn size(&self) -> u64 {
        let content = match self {
            Self::Text(text) => text.len(),
            Self::Blob(bytes) => bytes.len(),
            Self::Null | Self::Integer(_) | Self::Real(_) => 0,
        };
        content as u64 + size_of::<Self>() as u64
    }
}

impl From<&SqlValue> for Value {
    fn from(value: &SqlValue) -> Self {
        match value {
            SqlValue::Null => Self::Null,
            SqlValue::Integer(number) => Self::Integer(*number),
            SqlValue::Real(number) => Self::Real(*number),
            SqlValue::Text(text) => Self::Text(text.clone()),
            SqlValue::Blob(bytes) => Self::Blob(bytes.clone()),
        }
    }
}

/// Result of a statement.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SqlResult {
    /// Names of the columns.
    pub columns: Vec<String>,
    /// Rows, each with one value for every column.
    pub rows: Vec<Vec<SqlValue>>,
    /// Number of rows that an `INSERT`, `UPDATE` or `DELETE` has changed.
    pub changes: u64,
    /// Rowid of the row that was inserted last.
    pub last_insert_rowid: i64,
    /// Steps of the virtual machine of SQLite.
    pub steps: u64,
}

/// Errors of statements.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SqlError {
    /// Error of SQLite, such as a violated constraint or a statement that is not allowed.
    #[error("sql: {0}")]
    Sqlite(#[from] rusqlite::Error),
    /// Text that is not UTF-8.
    #[error("sql: a text of the database is not valid UTF-8")]
    NotUtf8,
    /// Rows that exceed the limit.
    #[error("sql: the rows of one request exceed the limit of {MAX_ROW_BYTES} bytes")]
    TooManyRows,
}

impl SqlError {
    /// Reports whether the statement violates a constraint.
    pub fn is_constraint(&self) -> bool {
        self.has_code(ErrorCode::ConstraintViolation)
    }

    /// Reports whether the database has reached its maximum size.
    pub fn is_full(&self) -> bool {
        self.has_code(ErrorCode::DiskFull) || self.has_code(ErrorCode::TooBig)
    }

    /// Reports whether the statements of the request exceed a limit.
    pub fn is_limit(&self) -> bool {
        matches!(self, Self::TooManyRows) || self.has_code(ErrorCode::OperationInterrupted)
    }

    /// Reports whether the host is the cause.
    pub fn is_infrastructure(&self) -> bool {
        self.has_code(ErrorCode::OutOfMemory) || self.has_code(ErrorCode::SystemIoFailure)
    }

    fn has_code(&self, code: ErrorCode) -> bool {
        matches!(self, Self::Sqlite(error) if error.sqlite_error_code() == Some(code))
    }
}

/// Database of a site, with the limits of the current request.
#[derive(Debug)]
pub(crate) struct Database {
    connection: Connection,
    row_bytes: u64,
}

/// Database that a request of a site shares with its host.
#[derive(Debug, Clone)]
pub(crate) struct SharedDatabase(Arc<Mutex<Database>>);

impl SharedDatabase {
    pub(crate) fn new(database: Database) -> Self {
        Self(Arc::new(Mutex::new(database)))
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, Database> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn run(
        &self,
        statement: &str,
        parameters: &[SqlValue],
    ) -> Result<SqlResult, SqlError> {
        self.lock().run(statement, parameters)
    }
}

impl Database {
    /// Creates an empty database in memory of at most `max_bytes` bytes.
    pub(crate) fn new(max_bytes: u64) -> Result<Self, SqlError> {
        let connection = Connection::open_in_memory()?;
        connection.set_limit(Limit::SQLITE_LIMIT_ATTACHED, 0)?;
        connection.set_limit(Limit::SQLITE_LIMIT_SQL_LENGTH, MAX_STATEMENT_BYTES)?;
        let length = i32::try_from(max_bytes).unwrap_or(i32::MAX);
        connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, length)?;
        let pages = i64::try_from(max_bytes / u64::from(PAGE_BYTES))
            .unwrap_or(i64::MAX)
            .max(1);
        connection.pragma_update(None, "page_size", PAGE_BYTES)?;
        connection.pragma_update_and_check(None, "max_page_count", pages, |_| Ok(()))?;
        connection.pragma_update(None, "trusted_schema", false)?;
        // The bundled SQLite has them on by default, but tables are filled in the order of their names.
        connection.pragma_update(None, "foreign_keys", false)?;
        Ok(Self {
            connection,
            row_bytes: 0,
        })
    }

    /// Returns the connection, on which the host is not restricted between requests.
    pub(crate) fn connection(&self) -> &Connection {
        &self.connection
    }

    /// Restricts the following statements, and counts their work from now on.
    pub(crate) fn restrict(&mut self, access: Access) -> Result<(), SqlError> {
        self.row_bytes = 0;
        self.connection
            .authorizer(Some(move |context: AuthContext<'_>| {
                if access.allows(&context) {
                    Authorization::Allow
                } else {
                    Authorization::Deny
                }
            }))?;
        let mut steps = 0;
        let interval = i32::try_from(STEPS).unwrap_or(i32::MAX);
        let is_exceeded = move || {
            steps += STEPS;
            steps > MAX_STEPS
        };
        Ok(self
            .connection
            .progress_handler(interval, Some(is_exceeded))?)
    }

    /// Ends the restrictions.
    pub(crate) fn release(&mut self) -> Result<(), SqlError> {
        self.connection
            .authorizer(None::<fn(AuthContext<'_>) -> Authorization>)?;
        Ok(self.connection.progress_handler(0, None::<fn() -> bool>)?)
    }

    fn run(&mut self, statement: &str, parameters: &[SqlValue]) -> Result<SqlResult, SqlError> {
        let mut prepared = self.connection.prepare_cached(statement)?;
        let columns: Vec<String> = prepared.column_names().map(str::to_owned).collect();
        let before = self.connection.total_changes();
        let mut rows = prepared.query(params_from_iter(parameters.iter().map(Value::from)))?;
        let mut result = SqlResult {
            columns,
            ..SqlResult::default()
        };
        while let Some(row) = rows.next()? {
            let values = (0..result.columns.len())
                .map(|index| SqlValue::read(row.get_ref(index)?))
                .collect::<Result<Vec<_>, _>>()?;
            self.row_bytes += values.iter().map(SqlValue::size).sum::<u64>();
            if self.row_bytes > MAX_ROW_BYTES {
                return Err(SqlError::TooManyRows);
            }
            result.rows.push(values);
        }
        drop(rows);
        // Negative only if the counter overflows, which the limit of a request excludes.
        let steps = prepared.reset_status(StatementStatus::VmStep);
        result.steps = u64::try_from(steps).unwrap_or_default();
        result.changes = self.connection.total_changes().saturating_sub(before);
        result.last_insert_rowid = self.connection.last_insert_rowid();
        Ok(result)
    }
}

/// Rights of statements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    /// Reading and changing rows: the statements of a site.
    Rows,
    /// Creating tables, indexes, views and triggers too: the definitions of a world.
    Definitions,
}

impl Access {
    fn allows(self, context: &AuthContext<'_>) -> bool {
        let defines = self == Self::Definitions;
        match context.action {
            AuthAction::Select | AuthAction::Recursive | AuthAction::Read { .. } => true,
            AuthAction::Insert { table_name }
            | AuthAction::Delete { table_name }
            | AuthAction::Update { table_name, .. } => defines || !is_internal(table_name),
            AuthAction::Function { function_name } => !DENIED_FUNCTIONS
                .iter()
                .any(|denied| denied.eq_ignore_ascii_case(function_name)),
            AuthAction::CreateTable { .. }
            | AuthAction::CreateIndex { .. }
            | AuthAction::CreateView { .. }
            | AuthAction::CreateTrigger { .. }
            | AuthAction::Reindex { .. } => defines,
            _ => false,
        }
    }
}

/// Reports whether SQLite maintains a table itself.
pub(crate) fn is_internal(table: &str) -> bool {
    table.len() >= 7 && table.as_bytes()[..7].eq_ignore_ascii_case(b"sqlite_")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn database() -> Database {
        let mut database = Database::new(1 << 20).unwrap();
        let schema = "CREATE TABLE t (n INTEGER PRIMARY KEY AUTOINCREMENT, x TEXT)";
        database.connection.execute_batch(schema).unwrap();
        database.restrict(Access::Rows).unwrap();
        database
    }

    #[test]
    fn statements_read_and_change_rows() {
        let mut database = database();
        let text = |text: &str| SqlValue::Text(text.to_owned());
        let added = database
            .run(
                "INSERT INTO t (x) VALUES (?1), (?2)",
                &[text("a"), text("b")],
            )
            .unwrap();
        assert_eq!((added.changes, added.last_insert_rowid), (2, 2));
        let found = database
            .run(
                "SELECT n, upper(x) AS y FROM t WHERE n > ?1",
                &[SqlValue::Integer(1)],
            )
            .unwrap();
        assert_eq!(found.columns, ["n", "y"]);
        assert_eq!(found.rows, [[SqlValue::Integer(2), text("B")]]);
        assert_eq!(found.changes, 0);
        assert!(found.steps > 0);
    }

    #[test]
    fn statements_that_leave_the_database_or_differ_between_runs_are_refused() {
        let mut database = database();
        for statement in [
            "SELECT random()",
            "SELECT datetime('now')",
            "SELECT CURRENT_TIMESTAMP",
            "SELECT load_extension('x')",
            "ATTACH '/tmp/x' AS x",
            "PRAGMA writable_schema = 1",
            "CREATE TABLE u (x)",
            "DROP TABLE t",
            "DELETE FROM sqlite_sequence",
            "VACUUM INTO '/tmp/x'",
            "COMMIT",
            "SAVEPOINT s",
        ] {
            assert!(database.run(statement, &[]).is_err(), "{statement}");
        }
    }

    #[test]
    fn work_rows_and_space_are_bounded() {
        let mut database = database();
        let endless = "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c)";
        let error = database.run(&format!("{endless} SELECT count(*) FROM c"), &[]);
        let error = error.unwrap_err();
        assert!(error.to_string().contains("interrupted") && error.is_limit());
        database.restrict(Access::Rows).unwrap();
        let wide = format!("{endless} SELECT zeroblob(500000) FROM c");
        assert!(matches!(
            database.run(&wide, &[]),
            Err(SqlError::TooManyRows)
        ));
        database.restrict(Access::Rows).unwrap();
        let full = (0..100)
            .map(|_| database.run("INSERT INTO t (x) VALUES (zeroblob(100000))", &[]))
            .find_map(Result::err);
        assert!(full.unwrap().is_full());
    }
}
