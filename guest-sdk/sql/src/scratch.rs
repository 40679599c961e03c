//! Steps in a throw-away copy of a database.

use crate::bindings::mcpmark::sql::database::{self, Login, Statement, Step, Tree};
use crate::rows::Rows;
use crate::{Error, Value};

/// List of steps in a copy of a database. [`run`](Self::run) executes them in order.
#[derive(Debug, Clone)]
pub struct Scratch {
    tree: Tree,
    clock: Option<i64>,
    steps: Vec<Step>,
}

/// Position of a step, for its result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StepId(usize);

/// Results of all steps.
#[derive(Debug, Clone)]
pub struct Results(Vec<Result<Rows, Error>>);

impl Scratch {
    pub(crate) fn new(tree: Tree) -> Self {
        Self {
            tree,
            clock: None,
            steps: Vec::new(),
        }
    }

    /// Sets the time at which the clock of the copy starts, in seconds since 1970-01-01T00:00:00Z.
    pub fn clock(&mut self, seconds: i64) {
        self.clock = Some(seconds);
    }

    /// Opens a session of a role.
    pub fn login(&mut self, session: &str, role: &str) -> StepId {
        self.step(Step::Login(Login {
            session: session.to_owned(),
            role: Some(role.to_owned()),
        }))
    }

    /// Opens a session of a superuser.
    pub fn login_superuser(&mut self, session: &str) -> StepId {
        self.step(Step::Login(Login {
            session: session.to_owned(),
            role: None,
        }))
    }

    /// Runs one statement in a session. `BEGIN`, `COMMIT` and `SET ROLE` are statements, too.
    pub fn execute(&mut self, session: &str, text: &str, parameters: Vec<Value>) -> StepId {
        self.step(Step::Execute(Statement {
            session: session.to_owned(),
            text: text.to_owned(),
            parameters,
        }))
    }

    /// Ends a session. Its open transaction is rolled back.
    pub fn logout(&mut self, session: &str) -> StepId {
        self.step(Step::Logout(session.to_owned()))
    }

    fn step(&mut self, step: Step) -> StepId {
        self.steps.push(step);
        StepId(self.steps.len() - 1)
    }

    /// Executes the steps in a new copy of the database, which is discarded.
    #[must_use]
    pub fn run(self) -> Results {
        let results = database::scratch(self.tree, self.clock, &self.steps);
        Results(
            results
                .into_iter()
                .map(|it| it.map(Rows::new).map_err(Error::from))
                .collect(),
        )
    }
}

impl Results {
    /// Returns the result of a step.
    ///
    /// # Panics
    ///
    /// Panics if the step belongs to another list, which has more steps.
    pub fn of(&self, step: StepId) -> Result<&Rows, &Error> {
        self.0[step.0].as_ref()
    }

    /// Returns the error of a step, if it failed.
    pub fn error(&self, step: StepId) -> Option<&Error> {
        self.of(step).err()
    }

    /// Returns the first error of all steps.
    pub fn first_error(&self) -> Option<&Error> {
        self.0.iter().find_map(|result| result.as_ref().err())
    }
}
