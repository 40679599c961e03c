//! Statements in transactions, as the published server runs them.

use std::collections::VecDeque;
use std::time::Duration;

use tokio_postgres::Config;

use super::error_text;
use super::failure::Failure;
use super::restricted;
use super::rows::Table;
use super::wire::{Connection, Ignored, QueryError, Sink, Transaction};
use super::{AccessMode, ToolLimits};

/// Time limit of a query in restricted mode.
const RESTRICTED_TIMEOUT: Duration = Duration::from_secs(30);

/// Comment that the published server puts before queries in restricted mode.
const RESTRICTED_PREFIX: &str = "/* crystaldba */ ";

/// Number of connections.
const CONNECTIONS: usize = 2;

/// Database of a session.
///
/// The published server has a pool. The pool opens a second connection because the first is not ready when it is first
/// needed, uses the two in turn, and is replaced by a new one after any error. So settings, temporary tables and locks of
/// a session are seen by every second query until the next error.
pub(crate) struct Database {
    config: Config,
    access: AccessMode,
    limits: ToolLimits,
    /// Open connections; the first is used next.
    idle: VecDeque<Connection>,
    /// Connection of the running query.
    current: Option<Connection>,
    /// Major version of the server.
    version: Option<u32>,
}

impl Database {
    pub(crate) fn new(config: Config, access: AccessMode, limits: ToolLimits) -> Self {
        Self {
            config,
            access,
            limits,
            idle: VecDeque::new(),
            current: None,
            version: None,
        }
    }

    pub(crate) fn disconnect(&mut self) {
        self.idle.clear();
        self.current = None;
    }

    pub(crate) fn limits(&self) -> &ToolLimits {
        &self.limits
    }

    /// Runs statements of the model. In restricted mode they are checked first.
    pub(crate) async fn run(&mut self, sql: &str, sink: &mut dyn Sink) -> Result<(), Failure> {
        if self.access == AccessMode::Restricted {
            self.check(sql).await?;
        }
        self.execute(sql, sink).await
    }

    /// Runs a query of a tool and returns its rows.
    pub(crate) async fn query(&mut self, sql: &str) -> Result<Table, Failure> {
        let mut table = Table::new(self.limits.max_result_bytes);
        self.execute(sql, &mut table).await?;
        Ok(table)
    }

    /// Runs a query of a tool that contains a query of the model, which is checked first in restricted mode.
    pub(crate) async fn checked_query(
        &mut self,
        sql: &str,
        of_model: &str,
    ) -> Result<Table, Failure> {
        if self.access == AccessMode::Restricted {
            self.check(of_model).await?;
        }
        self.query(sql).await
    }

    /// Returns the major version of the server.
    pub(crate) async fn version(&mut self) -> Result<u32, Failure> {
        if let Some(version) = self.version {
            return Ok(version);
        }
        let table = self.query("SHOW server_version").await;
        let table = table.map_err(|failure| match failure {
            Failure::Error(_) => Failure::Error("Error determining PostgreSQL version".to_owned()),
            other => other,
        })?;
        let major = table.value().and_then(|version| version.split('.').next());
        let version = major
            .and_then(|major| major.parse().ok())
            .unwrap_or_default();
        self.version = Some(version);
        Ok(version)
    }

    /// Ends a query whose future was dropped because the call was cancelled.
    pub(crate) async fn interrupt(&mut self) {
        if let Some(mut connection) = self.current.take()
            && connection.cancel().await.is_ok()
            && roll_back(&mut connection).await.is_ok()
        {
            self.idle.push_back(connection);
        }
    }

    async fn connection(&mut self) -> Result<&mut Connection, Failure> {
        let connection = match self.current.take() {
            Some(connection) => connection,
            None => self.next_connection().await.map_err(|error| {
                self.disconnect();
                let problem = error_text::describe(&error, "");
                Failure::Error(format!("Connection attempt failed: {problem}"))
            })?,
        };
        Ok(self.current.insert(connection))
    }

    async fn next_connection(&mut self) -> Result<Connection, QueryError> {
        if let Some(connection) = self.idle.pop_front() {
            return Ok(connection);
        }
        for _ in 1..CONNECTIONS {
            let connection = Connection::open(&self.config).await?;
            self.idle.push_back(connection);
        }
        Connection::open(&self.config).await
    }

    /// Checks that statements are allowed in restricted mode.
    async fn check(&mut self, sql: &str) -> Result<(), Failure> {
        match self.connection().await?.parses(sql).await {
            Ok(true) if restricted::is_allowed(sql) => Ok(()),
            Ok(true) => Err(Failure::Error(format!("Error validating query: {sql}"))),
            Ok(false) => Err(Failure::Error("Failed to parse SQL statement".to_owned())),
            Err(error) => {
                self.disconnect();
                Err(failure(&error, sql))
            }
        }
    }

    /// Runs statements of a tool, which need no check.
    pub(crate) async fn execute(&mut self, sql: &str, sink: &mut dyn Sink) -> Result<(), Failure> {
        if self.access == AccessMode::Unrestricted {
            return self.transaction(sql, false, sink).await;
        }
        let sql = format!("{RESTRICTED_PREFIX}{sql}");
        let running = self.transaction(&sql, true, sink);
        if let Ok(done) = tokio::time::timeout(RESTRICTED_TIMEOUT, running).await {
            return done;
        }
        self.interrupt().await;
        Err(Failure::Error(format!(
            "Query execution timed out after {} seconds in restricted mode. Consider simplifying your query or increasing the timeout.",
            RESTRICTED_TIMEOUT.as_secs()
        )))
    }

    async fn transaction(
        &mut self,
        sql: &str,
        is_read_only: bool,
        sink: &mut dyn Sink,
    ) -> Result<(), Failure> {
        let connection = self.connection().await?;
        let done = exchange(connection, sql, is_read_only, sink).await;
        match done {
            Ok(()) => {
                self.idle.extend(self.current.take());
                Ok(())
            }
            Err(error) => {
                self.disconnect();
                Err(failure(&error, sql))
            }
        }
    }
}

/// Runs statements between `BEGIN` and `COMMIT`. In a read-only transaction, `ROLLBACK` ends it.
async fn exchange(
    connection: &mut Connection,
    sql: &str,
    is_read_only: bool,
    sink: &mut dyn Sink,
) -> Result<(), QueryError> {
    let begin = if is_read_only {
        "BEGIN TRANSACTION READ ONLY"
    } else {
        "BEGIN"
    };
    connection.query(begin, &mut Ignored).await?;
    connection.query(sql, sink).await?;
    sink.check()?;
    // The statements may have ended the transaction themselves.
    if connection.transaction() == Transaction::Idle {
        return Ok(());
    }
    let end = if is_read_only { "ROLLBACK" } else { "COMMIT" };
    connection.query(end, &mut Ignored).await
}

async fn roll_back(connection: &mut Connection) -> Result<(), QueryError> {
    if connection.transaction() == Transaction::Idle {
        return Ok(());
    }
    connection.query("ROLLBACK", &mut Ignored).await
}

fn failure(error: &QueryError, sql: &str) -> Failure {
    match error {
        QueryError::TooLarge(limit) => Failure::TooLarge(*limit),
        QueryError::Interrupted(interrupted) => Failure::Interrupted(*interrupted),
        error => Failure::Error(error_text::describe(error, sql)),
    }
}

/// Returns a string as an SQL literal.
///
/// # Errors
///
/// Returns the message of psycopg if the string contains a NUL.
pub(crate) fn literal(text: &str) -> Result<String, Failure> {
    if text.contains('\0') {
        return Err(Failure::Error(
            "PostgreSQL text fields cannot contain NUL (0x00) bytes".to_owned(),
        ));
    }
    let quoted = text.replace('\'', "''");
    Ok(if text.contains('\\') {
        format!(" E'{}'", quoted.replace('\\', "\\\\"))
    } else {
        format!("'{quoted}'")
    })
}
