//! SQL engine of the postgres service for verifiers.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use mcpmark_interfaces::sql::{
    Column, Error, MAX_ANSWER_BYTES, OpenRequest, Rows, SqlDatabase, SqlEngine, SqlError,
    SqlSession, Value,
};
use mcpmark_postgres::InstallationError;
use mcpmark_postgres::inspection::{
    Answer, Cause, Inspection, InspectionError, InspectionRequest, Inspector, Refusal, Session,
    StatementError,
};
use mcpmark_sandbox::Meter;
use mcpmark_service::error_chain;
use mcpmark_snapshot::Snapshot;

/// Fuel for starting a server, which takes about a tenth of a second.
const SERVER: u64 = 50_000_000;
/// Fuel for each byte of a state that is restored.
const BYTE: u64 = 4;

/// SQL engine that answers from private clusters.
#[derive(Debug)]
pub(super) struct DatabaseEngine {
    inspector: Arc<Inspector>,
    scratch: PathBuf,
}

impl DatabaseEngine {
    /// Creates an engine with private files in `scratch`.
    pub(super) fn new(inspector: Arc<Inspector>, scratch: PathBuf) -> Self {
        Self { inspector, scratch }
    }
}

impl SqlEngine for DatabaseEngine {
    fn serves(&self, start: &Snapshot) -> bool {
        super::is_world(&start.tree)
    }

    fn server(&self) -> Result<String, SqlError> {
        server(&self.inspector).map_err(|error| not_opened(error.into()))
    }

    fn open(
        &self,
        request: &OpenRequest<'_>,
        meter: &mut Meter,
    ) -> Result<Box<dyn SqlDatabase>, SqlError> {
        let bytes = request.state.tree.total_size();
        meter.charge_fuel(SERVER.saturating_add(BYTE.saturating_mul(bytes)))?;
        let opened = self.inspector.open(InspectionRequest {
            start: Some(request.start),
            state: request.state,
            clock: request.clock,
            scratch: &self.scratch,
        });
        Ok(Box::new(Database(opened.map_err(not_opened)?)))
    }
}

/// Returns the name of a server in receipts. States are portable between minor versions, so only the major version is
/// named.
pub(super) fn server(inspector: &Inspector) -> Result<String, InstallationError> {
    let installation = inspector.installation()?;
    Ok(format!("postgres {}", installation.version().major))
}

/// Converts an error of building a database.
pub(super) fn not_opened(error: InspectionError) -> SqlError {
    match error.cause() {
        Cause::State => SqlError::Damaged(format!(
            "the database of the state cannot be built: {}",
            error_chain(&error)
        )),
        Cause::Time => SqlError::TimedOut,
        Cause::Host => SqlError::Broken(error_chain(&error)),
    }
}

struct Database(Inspection);

impl SqlDatabase for Database {
    fn reader(&mut self) -> Result<Box<dyn SqlSession>, SqlError> {
        match self.0.reader() {
            Ok(session) => Ok(Box::new(Reader(session))),
            Err(error) => Err(not_opened(error)),
        }
    }

    fn log_in(
        &mut self,
        role: Option<&str>,
    ) -> Result<Result<Box<dyn SqlSession>, Error>, SqlError> {
        Ok(match self.0.log_in(role) {
            Ok(session) => Ok(Box::new(User(session))),
            Err(refusal) => Err(told(refusal)),
        })
    }
}

/// Session for queries.
struct Reader(Session);

impl SqlSession for Reader {
    fn execute(
        &mut self,
        text: &str,
        parameters: &[Value],
        time: Duration,
    ) -> Result<Result<Rows, Error>, SqlError> {
        match self.0.execute(text, parameters, time, MAX_ANSWER_BYTES) {
            Ok(answer) => Ok(Ok(rows(answer))),
            Err(StatementError::Refused(refusal)) => Ok(Err(told(refusal))),
            Err(StatementError::TimedOut) => Err(SqlError::TimedOut),
            // The snapshot of the earlier queries is lost. A state whose views call functions can end a server.
            Err(StatementError::Ended(refusal)) => Err(SqlError::Damaged(format!(
                "the PostgreSQL server ended the session during the query {text:?}: {refusal}"
            ))),
        }
    }
}

/// Session in a copy, whose end is an error of the statement.
struct User(Session);

impl SqlSession for User {
    fn execute(
        &mut self,
        text: &str,
        parameters: &[Value],
        time: Duration,
    ) -> Result<Result<Rows, Error>, SqlError> {
        match self.0.execute(text, parameters, time, MAX_ANSWER_BYTES) {
            Ok(answer) => Ok(Ok(rows(answer))),
            Err(StatementError::Refused(refusal) | StatementError::Ended(refusal)) => {
                Ok(Err(told(refusal)))
            }
            Err(StatementError::TimedOut) => Err(SqlError::TimedOut),
        }
    }
}

fn rows(answer: Answer) -> Rows {
    let columns = answer.columns.unwrap_or_default().into_iter();
    let columns = columns.map(|column| Column {
        name: column.name,
        type_name: column.type_name,
    });
    Rows {
        columns: columns.collect(),
        rows: answer.rows,
        affected: answer.affected,
    }
}

fn told(refusal: Refusal) -> Error {
    let parts = *refusal.parts;
    Error {
        code: refusal.code,
        message: refusal.message,
        detail: parts.detail,
        hint: parts.hint,
        schema: parts.schema,
        table: parts.table,
        column: parts.column,
        constraint: parts.constraint,
    }
}
