//! Sessions of an inspected database.

use std::collections::HashMap;
use std::time::Duration;

use tokio::runtime::Handle;
use tokio_postgres::Config;
use tokio_postgres::types::Type;

use super::answer::{Answer, Collected, Column, Refusal};
use super::runtime::Background;
use crate::Cluster;
use crate::golden::{self, DATABASE};
use crate::tools::wire::{self, Connection, Ignored, QueryError, Transaction};

/// Settings that determine how values are written, and which would make answers depend on what the agent has set for
/// its database or roles.
const PINNED: &str = " -c TimeZone=UTC -c DateStyle=ISO,MDY -c IntervalStyle=postgres -c bytea_output=hex \
     -c extra_float_digits=1 -c client_min_messages=error -c statement_timeout=0 \
     -c idle_in_transaction_session_timeout=0";
/// Settings of sessions that change their copy. The search path is that of a new cluster. Nobody releases a lock while a
/// statement waits for it.
const CHANGING: &str = " -c search_path=\"$user\",public -c lock_timeout=1s -c row_security=on";
/// Settings of the session for queries.
const READING: &str = " -c row_security=on -c lock_timeout=1s";

/// Beginning of the session for queries. The first query takes the snapshot.
const BEGIN: &str = "BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY; SELECT";
const SAVE: &str = "SAVEPOINT mcpmark";
const RESTORE: &str = "ROLLBACK TO SAVEPOINT mcpmark";

/// SQLSTATE of an invalid text.
const INVALID_TEXT: &str = "22021";
/// SQLSTATE of a query that ends its transaction.
const INVALID_TRANSACTION: &str = "2D000";
/// SQLSTATE of a statement that was cancelled.
const CANCELED: &str = "57014";
/// SQLSTATE of a session that has ended.
const NO_CONNECTION: &str = "08003";
/// Maximum number of parameters, which the protocol counts in 16 bits.
const MAX_PARAMETERS: usize = 65_535;

/// Session of a role. It ends when the value is dropped, and its open transaction is rolled back.
#[derive(Debug)]
pub struct Session {
    open: Option<Open>,
    config: Config,
    is_reader: bool,
    background: Background,
}

/// Connection with the names of types that it has seen.
struct Open {
    connection: Connection,
    types: HashMap<u32, String>,
}

impl std::fmt::Debug for Open {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Open").finish_non_exhaustive()
    }
}

/// Way in which the server gets a statement.
#[derive(Debug, Clone)]
enum Protocol {
    /// One statement with values for `$1`, `$2` and so on.
    Extended(Vec<Option<String>>),
    /// Any number of statements, of which the last result counts.
    Simple,
}

/// Error of a statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StatementError {
    /// Error of the server or of the connection.
    Refused(Refusal),
    /// Session that the server has ended, with the error.
    Ended(Refusal),
    /// Statement that was cancelled because it did not end in time.
    TimedOut,
}

impl Session {
    /// Opens the session for queries.
    pub(super) fn reader(cluster: &Cluster, background: &Background) -> Result<Self, Refusal> {
        let mut config = cluster.config(cluster.administrator(), DATABASE);
        config.options(format!("{}{PINNED}{READING}", golden::options(cluster)));
        Self::open(config, true, background)
    }

    /// Opens a session that changes its copy.
    pub(super) fn log_in(
        cluster: &Cluster,
        background: &Background,
        role: Option<&str>,
    ) -> Result<Self, Refusal> {
        if role.is_some_and(|role| role.contains('\0')) {
            return Err(Refusal::new(
                INVALID_TEXT,
                "the name of a role contains a NUL",
            ));
        }
        let mut config = cluster.config(role.unwrap_or(cluster.administrator()), DATABASE);
        config.options(format!("{PINNED}{CHANGING}"));
        Self::open(config, false, background)
    }

    fn open(config: Config, is_reader: bool, background: &Background) -> Result<Self, Refusal> {
        let mut session = Self {
            open: None,
            config,
            is_reader,
            background: background.clone(),
        };
        session.connect()?;
        Ok(session)
    }

    fn connect(&mut self) -> Result<(), Refusal> {
        let (config, is_reader) = (self.config.clone(), self.is_reader);
        let opened = self.background.run(move |runtime| {
            runtime.block_on(async move {
                let mut connection = Connection::open(&config).await?;
                if is_reader {
                    connection.query(BEGIN, &mut Ignored).await?;
                }
                Ok::<_, QueryError>(connection)
            })
        });
        let connection = opened.ok_or_else(stopped)?;
        let connection = connection.map_err(|error| Refusal::of(&error).0)?;
        self.open = Some(Open {
            connection,
            types: HashMap::new(),
        });
        Ok(())
    }

    /// Runs one statement with values for its parameters, and returns at most `max_bytes` of rows.
    ///
    /// # Errors
    ///
    /// Returns the error of the server, or an error if the statement does not end within `time`.
    pub fn execute(
        &mut self,
        text: &str,
        parameters: &[Option<String>],
        time: Duration,
        max_bytes: u64,
    ) -> Result<Answer, StatementError> {
        let refused = |code, message| Err(StatementError::Refused(Refusal::new(code, message)));
        if parameters.len() > MAX_PARAMETERS {
            let message = format!("a statement can have {MAX_PARAMETERS} parameters");
            return refused(INVALID_TEXT, message);
        }
        let mut texts = parameters.iter().flatten().map(String::as_str);
        if text.contains('\0') || texts.any(|text| text.contains('\0')) {
            let message = "a statement or a parameter contains a NUL".to_owned();
            return refused(INVALID_TEXT, message);
        }
        let protocol = Protocol::Extended(parameters.to_vec());
        self.run(text, protocol, time, max_bytes)
    }

    /// Runs statements without parameters, and returns the last result.
    ///
    /// # Errors
    ///
    /// As [`execute`](Self::execute).
    pub fn execute_all(
        &mut self,
        text: &str,
        time: Duration,
        max_bytes: u64,
    ) -> Result<Answer, StatementError> {
        self.run(text, Protocol::Simple, time, max_bytes)
    }

    fn run(
        &mut self,
        text: &str,
        protocol: Protocol,
        time: Duration,
        max_bytes: u64,
    ) -> Result<Answer, StatementError> {
        let Some(open) = self.open.take() else {
            let message = "the session has ended";
            return Err(StatementError::Ended(Refusal::new(NO_CONNECTION, message)));
        };
        let (text, is_reader) = (text.to_owned(), self.is_reader);
        let done = self.background.run(move |runtime: &Handle| {
            let mut open = open;
            let done = runtime.block_on(open.timed(&text, &protocol, is_reader, time, max_bytes));
            (open, done)
        });
        let Some((open, done)) = done else {
            return Err(StatementError::Ended(stopped()));
        };
        if !matches!(done, Err(StatementError::Ended(_))) {
            self.open = Some(open);
        }
        done
    }
}

impl Open {
    /// Runs a statement within a time, and cancels it afterwards.
    async fn timed(
        &mut self,
        text: &str,
        protocol: &Protocol,
        is_reader: bool,
        time: Duration,
        max_bytes: u64,
    ) -> Result<Answer, StatementError> {
        let running = async {
            if is_reader {
                self.read(text, protocol, max_bytes).await
            } else {
                self.answer(text, protocol, max_bytes).await
            }
        };
        match tokio::time::timeout(time, running).await {
            Ok(Ok(answer)) => Ok(answer),
            Ok(Err(error)) => Err(error),
            Err(_) => match self.connection.cancel().await {
                Ok(()) => Err(StatementError::TimedOut),
                Err(error) => Err(StatementError::Ended(Refusal::of(&error).0)),
            },
        }
    }

    /// Runs a query, and undoes what it sets.
    async fn read(
        &mut self,
        text: &str,
        protocol: &Protocol,
        max_bytes: u64,
    ) -> Result<Answer, StatementError> {
        self.quietly(SAVE).await?;
        let answer = self.answer(text, protocol, max_bytes).await;
        if self.connection.transaction() == Transaction::Idle {
            self.quietly(BEGIN).await?;
            let message = "a query must not end its transaction";
            return Err(StatementError::Refused(Refusal::new(
                INVALID_TRANSACTION,
                message,
            )));
        }
        if let Err(StatementError::Ended(_)) = &answer {
            return answer;
        }
        self.quietly(RESTORE).await?;
        answer
    }

    async fn answer(
        &mut self,
        text: &str,
        protocol: &Protocol,
        max_bytes: u64,
    ) -> Result<Answer, StatementError> {
        let mut collected = Collected::new(max_bytes);
        let connection = &mut self.connection;
        let done = match protocol {
            Protocol::Extended(parameters) => {
                connection.execute(text, parameters, &mut collected).await
            }
            Protocol::Simple => connection.query(text, &mut collected).await,
        };
        done.map_err(|error| refused(&error))?;
        let columns = match collected.columns {
            Some(columns) => Some(self.named(columns).await?),
            None => None,
        };
        Ok(Answer {
            columns,
            rows: collected.rows,
            affected: collected.affected,
        })
    }

    /// Runs statements whose results do not matter.
    async fn quietly(&mut self, sql: &str) -> Result<(), StatementError> {
        let done = self.connection.query(sql, &mut Ignored).await;
        done.map_err(|error| StatementError::Ended(Refusal::of(&error).0))
    }

    /// Returns columns with the names of their types.
    async fn named(&mut self, columns: Vec<wire::Column>) -> Result<Vec<Column>, StatementError> {
        let unknown: Vec<String> = columns
            .iter()
            .map(|column| column.type_oid)
            .filter(|oid| Type::from_oid(*oid).is_none() && !self.types.contains_key(oid))
            .map(|oid| oid.to_string())
            .collect();
        if !unknown.is_empty() {
            let query = format!(
                "SELECT oid, typname FROM pg_catalog.pg_type WHERE oid OPERATOR(pg_catalog.=) ANY ('{{{}}}'::pg_catalog.oid[])",
                unknown.join(",")
            );
            let mut found = Collected::new(u64::MAX);
            let done = self.connection.query(&query, &mut found).await;
            done.map_err(|error| refused(&error))?;
            for row in found.rows {
                if let [Some(oid), Some(name)] = row.as_slice()
                    && let Ok(oid) = oid.parse()
                {
                    self.types.insert(oid, name.clone());
                }
            }
        }
        let columns = columns.into_iter().map(|column| {
            let oid = column.type_oid;
            let known = Type::from_oid(oid).map(|known| known.name().to_owned());
            Column {
                name: String::from_utf8_lossy(&column.name).into_owned(),
                type_name: known
                    .or_else(|| self.types.get(&oid).cloned())
                    .unwrap_or_else(|| oid.to_string()),
                oid,
            }
        });
        Ok(columns.collect())
    }
}

fn refused(error: &QueryError) -> StatementError {
    match Refusal::of(error) {
        (refusal, true) => StatementError::Ended(refusal),
        (refusal, false) => StatementError::Refused(refusal),
    }
}

fn stopped() -> Refusal {
    Refusal::new(CANCELED, "the work on the server was stopped")
}
