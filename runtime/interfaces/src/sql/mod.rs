//! The interface `mcpmark:sql/database`: verifiers send SQL to the database of a state.
//!
//! A service implements [`SqlEngine`]. Several services can have one: the starting state, which no agent changes,
//! determines the engine of a grade.

mod host;
mod limits;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use mcpmark_sandbox::wasmtime::component::HasSelf;
use mcpmark_sandbox::{Exhausted, GradeData, Interface, Meter, VerifierHost};
use mcpmark_snapshot::Snapshot;

pub use self::limits::{MAX_ANSWER_BYTES, MAX_SESSIONS, SCRATCH_STATEMENT_TIME, STATEMENT_TIME};
pub use crate::bindings::mcpmark::sql::database::{Column, Error, Rows, Value};

/// Time at which the clock of a database starts if the verifier sets none: 2000-01-01T00:00:00Z.
pub const DEFAULT_CLOCK: i64 = 946_684_800;

/// Engines in the data of a sandbox's runs.
#[derive(Debug, Clone, Default)]
struct Engines(Vec<Arc<dyn SqlEngine>>);

/// Returns the interface for verifiers.
pub fn interface() -> Interface {
    Interface::new(
        "mcpmark:sql/database@0.1.0",
        "send SQL to copies of the database",
        |linker| {
            crate::bindings::mcpmark::sql::database::add_to_linker::<_, HasSelf<VerifierHost>>(
                linker,
                |host| host,
            )
        },
    )
    .of_contract()
}

/// Adds an engine that implements [`interface`] to the data of grades, after those of other services.
#[must_use]
pub fn with_engine(data: GradeData, engine: Arc<dyn SqlEngine>) -> GradeData {
    let engines = data.get::<Engines>();
    let mut engines = engines.map_or_else(Engines::default, |engines| (*engines).clone());
    engines.0.push(engine);
    data.with(engines)
}

/// Implementation of SQL for the states of one service.
pub trait SqlEngine: fmt::Debug + Send + Sync {
    /// Reports whether a starting state is a database of this engine.
    fn serves(&self, start: &Snapshot) -> bool;

    /// Returns the server of the databases with its major version, such as `postgres 15`. Receipts name it.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no server.
    fn server(&self) -> Result<String, SqlError>;

    /// Builds a private database from a state, which is discarded with the returned value. `start` is the starting state
    /// of the same grade. Equal states give equal databases.
    ///
    /// # Errors
    ///
    /// Returns an error if the state is not a database, if there is no server, or if the fuel of the guest is used up.
    fn open(
        &self,
        request: &OpenRequest<'_>,
        meter: &mut Meter,
    ) -> Result<Box<dyn SqlDatabase>, SqlError>;
}

/// Request for a private database.
#[derive(Debug, Clone, Copy)]
pub struct OpenRequest<'a> {
    /// Starting state of the grade.
    pub start: &'a Snapshot,
    /// State whose content the database has.
    pub state: &'a Snapshot,
    /// Time at which the clock of the database starts, in seconds since 1970-01-01T00:00:00Z.
    pub clock: i64,
}

/// Private database with the content of a state.
pub trait SqlDatabase {
    /// Opens the session of `query`: a superuser in a read-only transaction. [`SqlSession::execute`] undoes the settings
    /// of each statement, and no statement ends the transaction.
    ///
    /// # Errors
    ///
    /// Returns an error if the database cannot open one.
    fn reader(&mut self) -> Result<Box<dyn SqlSession>, SqlError>;

    /// Opens a session of a role, or of a superuser. The inner error is the refusal of the database.
    ///
    /// # Errors
    ///
    /// Returns an error if the database does not answer.
    fn log_in(
        &mut self,
        role: Option<&str>,
    ) -> Result<Result<Box<dyn SqlSession>, Error>, SqlError>;
}

/// Session of a database.
pub trait SqlSession {
    /// Runs one statement. Rows of more than [`MAX_ANSWER_BYTES`] are an error of the statement. The inner error is one
    /// of the database.
    ///
    /// # Errors
    ///
    /// Returns [`SqlError::TimedOut`] if the statement does not end within `time`; it is cancelled then. Returns another
    /// error if the database does not answer.
    fn execute(
        &mut self,
        text: &str,
        parameters: &[Value],
        time: Duration,
    ) -> Result<Result<Rows, Error>, SqlError>;
}

/// Errors of a database other than those of statements.
#[derive(Debug)]
pub enum SqlError {
    /// The state is not a database that can be built, or it makes the server fail. The run ends with a world error,
    /// which is attributed to the agent if only the final state is damaged.
    Damaged(String),
    /// The host cannot run the database, so there is no grade. The message names the way out.
    Broken(String),
    /// The statement, or the building of the database, did not end in time.
    TimedOut,
    /// The fuel of the guest is used up.
    Exhausted,
}

impl From<Exhausted> for SqlError {
    fn from(_: Exhausted) -> Self {
        Self::Exhausted
    }
}

#[cfg(test)]
mod tests {
    use mcpmark_sandbox::inspect;

    use super::*;

    #[test]
    fn verifiers_that_import_it_are_told_what_they_can() {
        let text = |export: &str| {
            format!(
                r#"(component (import "mcpmark:sql/database@0.1.0" (instance))
                    (core module $m (func (export "f")))
                    (core instance $i (instantiate $m))
                    (func $f (canon lift (core func $i "f")))
                    (export "{export}" (func $f)))"#
            )
        };
        for (export, can) in [
            (
                "verify",
                "can send SQL to copies of the database; nothing else",
            ),
            (
                "setup",
                "can compute; asks for one thing that it is not given",
            ),
        ] {
            let bytes = wat::parse_str(text(export)).unwrap();
            let inspection = inspect(&bytes, &[interface()]).unwrap();
            assert_eq!(inspection.summary(), can, "{export}");
        }
    }
}
