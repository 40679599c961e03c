//! Host functions of the interface. Each answer is charged before the guest gets it.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use mcpmark_sandbox::contract::state::Tree as StateTree;
use mcpmark_sandbox::{FaultKind, VerifierHost, wasmtime};

use super::limits::{
    MAX_SESSIONS, SCRATCH_STATEMENT_TIME, SESSION_FUEL, STATEMENT_FUEL, STATEMENT_TIME,
    answer_cost, request_cost,
};
use super::{
    DEFAULT_CLOCK, Engines, Error, OpenRequest, Rows, SqlDatabase, SqlEngine, SqlError, SqlSession,
    Value,
};
use crate::bindings::mcpmark::sql::database::{self, Login, Statement, Step, Tree};

/// Name of the interface in receipts.
const INTERFACE: &str = "sql";
/// SQLSTATE of a query that the server cancelled.
const CANCELED: &str = "57014";
/// SQLSTATE of an invalid name of a session.
const INVALID_SESSION: &str = "08003";
/// SQLSTATE of too many sessions.
const TOO_MANY: &str = "53300";

/// Databases of one grade for queries. Each is built on first use.
#[derive(Default)]
struct Readers {
    start: Option<Reader>,
    end: Option<Reader>,
    /// Time that the statements of the grade have used.
    spent: Duration,
}

/// Session for queries, with the database that it belongs to. The session is dropped first.
struct Reader {
    session: Box<dyn SqlSession>,
    _database: Box<dyn SqlDatabase>,
}

impl Readers {
    fn of(&mut self, tree: Tree) -> &mut Option<Reader> {
        match tree {
            Tree::Start => &mut self.start,
            Tree::Final => &mut self.end,
        }
    }
}

/// Returns the fault or error with which a run ends.
fn ended(error: SqlError) -> wasmtime::Error {
    match error {
        SqlError::Damaged(message) => VerifierHost::world_error(message),
        SqlError::Broken(message) => VerifierHost::host_error(message),
        SqlError::TimedOut => VerifierHost::fault(
            FaultKind::Statement,
            format!(
                "the statements of the verifier did not end within {} seconds, the time of all statements of a grade",
                STATEMENT_TIME.as_secs()
            ),
        ),
        SqlError::Exhausted => VerifierHost::host_error(
            "an engine reported that fuel or bytes ran out outside of a measured call",
        ),
    }
}

/// Returns the engine for the starting state of the grade.
fn engine(host: &VerifierHost) -> wasmtime::Result<Arc<dyn SqlEngine>> {
    let engines: Arc<Engines> = host.data()?;
    let start = host.snapshot(StateTree::Start);
    let engine = engines.0.iter().find(|engine| engine.serves(start));
    engine.map(Arc::clone).ok_or_else(|| {
        let message = "the verifier sends SQL, but the world of its task is not a database";
        VerifierHost::fault(FaultKind::Link, message)
    })
}

/// Builds a database from a state.
fn build(
    host: &mut VerifierHost,
    tree: Tree,
    clock: i64,
) -> wasmtime::Result<Box<dyn SqlDatabase>> {
    let engine = engine(host)?;
    // Recorded before the database is built, because a state that cannot be built may be one for another server.
    host.record_interface(INTERFACE, engine.server().map_err(ended)?);
    let mut meter = host.meter();
    let request = OpenRequest {
        start: host.snapshot(StateTree::Start),
        state: host.snapshot(match tree {
            Tree::Start => StateTree::Start,
            Tree::Final => StateTree::Final,
        }),
        clock,
    };
    let database = match engine.open(&request, &mut meter) {
        Ok(database) => database,
        Err(SqlError::Exhausted) => return Err(host.exhausted(&meter)),
        Err(SqlError::TimedOut) => {
            let message = "the database of the state could not be built in time";
            return Err(VerifierHost::fault(FaultKind::Statement, message));
        }
        Err(error) => return Err(ended(error)),
    };
    host.settle(&meter)?;
    Ok(database)
}

/// Builds the database for queries on a state, unless it is there.
fn open_reader(host: &mut VerifierHost, tree: Tree) -> wasmtime::Result<()> {
    if host.state::<Readers>().of(tree).is_some() {
        return Ok(());
    }
    let mut database = build(host, tree, DEFAULT_CLOCK)?;
    host.charge_fuel(SESSION_FUEL)?;
    let session = database.reader().map_err(ended)?;
    *host.state::<Readers>().of(tree) = Some(Reader {
        session,
        _database: database,
    });
    Ok(())
}

/// Returns the time that the statements of the grade may still take.
fn time_left(host: &mut VerifierHost) -> wasmtime::Result<Duration> {
    let spent = host.state::<Readers>().spent;
    let left = STATEMENT_TIME.saturating_sub(spent);
    if left.is_zero() {
        return Err(ended(SqlError::TimedOut));
    }
    Ok(left)
}

/// Sessions of one copy, by name. They are dropped before the database.
struct Copy {
    sessions: BTreeMap<String, Box<dyn SqlSession>>,
    database: Box<dyn SqlDatabase>,
}

impl Copy {
    fn step(&mut self, step: &Step, time: Duration) -> Result<Result<Rows, Error>, SqlError> {
        match step {
            Step::Login(login) => self.log_in(login),
            Step::Execute(statement) => self.execute(statement, time),
            Step::Logout(name) => Ok(match self.sessions.remove(name) {
                Some(_) => Ok(no_rows()),
                None => Err(unknown_session(name)),
            }),
        }
    }

    fn log_in(&mut self, login: &Login) -> Result<Result<Rows, Error>, SqlError> {
        let name = &login.session;
        if self.sessions.contains_key(name) {
            let message = format!("the session {name:?} is open already; log it out first");
            return Ok(Err(error(INVALID_SESSION, message)));
        }
        if self.sessions.len() >= MAX_SESSIONS {
            let message =
                format!("a copy can have {MAX_SESSIONS} sessions at once; log one out first");
            return Ok(Err(error(TOO_MANY, message)));
        }
        Ok(match self.database.log_in(login.role.as_deref())? {
            Ok(session) => {
                self.sessions.insert(name.clone(), session);
                Ok(no_rows())
            }
            Err(refusal) => Err(refusal),
        })
    }

    fn execute(
        &mut self,
        statement: &Statement,
        time: Duration,
    ) -> Result<Result<Rows, Error>, SqlError> {
        let Some(session) = self.sessions.get_mut(&statement.session) else {
            return Ok(Err(unknown_session(&statement.session)));
        };
        let limit = SCRATCH_STATEMENT_TIME.min(time);
        match session.execute(&statement.text, &statement.parameters, limit) {
            Err(SqlError::TimedOut) if limit < time => {
                let message = format!(
                    "the statement did not end within {} seconds",
                    limit.as_secs()
                );
                Ok(Err(error(CANCELED, message)))
            }
            answer => answer,
        }
    }
}

fn no_rows() -> Rows {
    Rows {
        columns: Vec::new(),
        rows: Vec::new(),
        affected: None,
    }
}

fn unknown_session(name: &str) -> Error {
    error(
        INVALID_SESSION,
        format!("no session {name:?} is open; add a step `login` before"),
    )
}

fn error(code: &str, message: String) -> Error {
    Error {
        code: code.to_owned(),
        message,
        detail: None,
        hint: None,
        schema: None,
        table: None,
        column: None,
        constraint: None,
    }
}

/// Returns the charged fuel and bytes of a step.
fn step_cost(step: &Step) -> (u64, u64) {
    match step {
        Step::Login(login) => {
            let role = login.role.as_deref().unwrap_or_default();
            (SESSION_FUEL, (login.session.len() + role.len()) as u64)
        }
        Step::Execute(statement) => {
            let text = request_cost(&statement.text, &statement.parameters);
            (STATEMENT_FUEL, text + statement.session.len() as u64)
        }
        Step::Logout(name) => (STATEMENT_FUEL, name.len() as u64),
    }
}

impl database::Host for VerifierHost {
    fn query(
        &mut self,
        tree: Tree,
        text: String,
        parameters: Vec<Value>,
    ) -> wasmtime::Result<Result<Rows, Error>> {
        self.charge(request_cost(&text, &parameters))?;
        self.charge_fuel(STATEMENT_FUEL)?;
        open_reader(self, tree)?;
        let time = time_left(self)?;
        let readers = self.state::<Readers>();
        let Some(reader) = readers.of(tree) else {
            return Err(VerifierHost::host_error("the database is not open"));
        };
        let began = Instant::now();
        let answer = reader.session.execute(&text, &parameters, time);
        readers.spent += began.elapsed();
        let answer = answer.map_err(ended)?;
        self.charge_bytes(answer_cost(&answer))?;
        Ok(answer)
    }

    fn scratch(
        &mut self,
        tree: Tree,
        clock: Option<i64>,
        steps: Vec<Step>,
    ) -> wasmtime::Result<Vec<Result<Rows, Error>>> {
        let costs: Vec<_> = steps.iter().map(step_cost).collect();
        self.charge(costs.iter().map(|(_, bytes)| bytes).sum())?;
        self.charge_fuel(costs.iter().map(|(fuel, _)| fuel).sum())?;
        let mut copy = Copy {
            sessions: BTreeMap::new(),
            database: build(self, tree, clock.unwrap_or(DEFAULT_CLOCK))?,
        };
        let mut answers = Vec::with_capacity(steps.len());
        for step in &steps {
            let time = time_left(self)?;
            let began = Instant::now();
            let answer = copy.step(step, time);
            self.state::<Readers>().spent += began.elapsed();
            let answer = answer.map_err(ended)?;
            self.charge_bytes(answer_cost(&answer))?;
            answers.push(answer);
        }
        Ok(answers)
    }
}
