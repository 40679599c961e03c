//! Context of a request: the database, the clock and the random source.

use crate::bindings::site::mcpmark::site::{clock, random, store};
use crate::{Error, Row, Rows, StoreError, Value};

/// Implementation of the functions that a [`Context`] calls. A component has those of the host; unit tests of a site
/// can have others.
pub trait Backend {
    /// Runs one SQL statement.
    ///
    /// # Errors
    ///
    /// Returns an error if the statement fails.
    fn execute(&mut self, statement: &str, parameters: Vec<Value>) -> Result<Rows, StoreError>;

    /// Returns the time of the request, in seconds since 1970-01-01T00:00:00Z.
    fn now(&mut self) -> i64;

    /// Returns the next random number.
    fn random(&mut self) -> u64;
}

/// Database, clock and random source of one request.
pub struct Context<'a> {
    backend: &'a mut dyn Backend,
}

impl<'a> Context<'a> {
    /// Creates the context of a request.
    pub fn new(backend: &'a mut dyn Backend) -> Self {
        Self { backend }
    }

    /// Runs one SQL statement.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Constraint`] if the statement violates a constraint of a table, and [`Error::Full`] if the
    /// database has reached its maximum size.
    ///
    /// # Panics
    ///
    /// Panics if the statement is invalid, which is an error of the site.
    pub fn execute<V: Into<Value>>(
        &mut self,
        statement: &str,
        parameters: impl IntoIterator<Item = V>,
    ) -> Result<Rows, Error> {
        let parameters = parameters.into_iter().map(Into::into).collect();
        match self.backend.execute(statement, parameters) {
            Ok(rows) => Ok(rows),
            Err(StoreError::Constraint(message)) => Err(Error::Constraint(message)),
            Err(StoreError::Full(_)) => Err(Error::Full),
            Err(StoreError::Invalid(message)) => panic!("{message}, in {statement}"),
        }
    }

    /// Returns the rows of a query.
    ///
    /// # Errors
    ///
    /// Returns an error in the cases of [`execute`](Self::execute).
    ///
    /// # Panics
    ///
    /// Panics if the statement is invalid.
    pub fn query<V: Into<Value>>(
        &mut self,
        statement: &str,
        parameters: impl IntoIterator<Item = V>,
    ) -> Result<Vec<Row>, Error> {
        Ok(self.execute(statement, parameters)?.rows)
    }

    /// Returns the first row of a query, or `None` if it has no rows.
    ///
    /// # Errors
    ///
    /// Returns an error in the cases of [`execute`](Self::execute).
    ///
    /// # Panics
    ///
    /// Panics if the statement is invalid.
    pub fn find<V: Into<Value>>(
        &mut self,
        statement: &str,
        parameters: impl IntoIterator<Item = V>,
    ) -> Result<Option<Row>, Error> {
        Ok(self.query(statement, parameters)?.into_iter().next())
    }

    /// Returns the first row of a query.
    ///
    /// # Errors
    ///
    /// Returns [`Error::NotFound`] if the query has no rows.
    ///
    /// # Panics
    ///
    /// Panics if the statement is invalid.
    pub fn one<V: Into<Value>>(
        &mut self,
        statement: &str,
        parameters: impl IntoIterator<Item = V>,
    ) -> Result<Row, Error> {
        self.find(statement, parameters)?.ok_or(Error::NotFound)
    }

    /// Returns the integer `n` of a query such as `SELECT count(*) AS n FROM posts`; 0 if it has no rows.
    ///
    /// # Errors
    ///
    /// Returns an error in the cases of [`execute`](Self::execute).
    ///
    /// # Panics
    ///
    /// Panics if the statement is invalid or has no column `n`.
    pub fn number<V: Into<Value>>(
        &mut self,
        statement: &str,
        parameters: impl IntoIterator<Item = V>,
    ) -> Result<i64, Error> {
        let row = self.find(statement, parameters)?;
        Ok(row.map_or(0, |row| row.integer("n")))
    }

    /// Returns the time of the request, in seconds since 1970-01-01T00:00:00Z.
    pub fn now(&mut self) -> i64 {
        self.backend.now()
    }

    /// Returns a token of 32 hexadecimal digits that an agent cannot guess.
    pub fn token(&mut self) -> String {
        format!(
            "{:016x}{:016x}",
            self.backend.random(),
            self.backend.random()
        )
    }
}

/// Functions of the host.
pub(crate) struct Host;

impl Backend for Host {
    fn execute(&mut self, statement: &str, parameters: Vec<Value>) -> Result<Rows, StoreError> {
        let parameters: Vec<store::Value> = parameters.into_iter().map(given).collect();
        let result = store::execute(statement, &parameters).map_err(|error| match error {
            store::Error::Constraint(message) => StoreError::Constraint(message),
            store::Error::Invalid(message) => StoreError::Invalid(message),
            store::Error::Full(message) => StoreError::Full(message),
        })?;
        let columns = result.columns;
        let row = |values: Vec<store::Value>| {
            let values = columns.iter().cloned().zip(values.into_iter().map(taken));
            Row::new(values.collect())
        };
        Ok(Rows {
            rows: result.rows.into_iter().map(row).collect(),
            changes: result.changes,
            last_insert_rowid: result.last_insert_rowid,
        })
    }

    fn now(&mut self) -> i64 {
        clock::now()
    }

    fn random(&mut self) -> u64 {
        random::next()
    }
}

fn given(value: Value) -> store::Value {
    match value {
        Value::Null => store::Value::Null,
        Value::Integer(number) => store::Value::Integer(number),
        Value::Real(number) => store::Value::Real(number),
        Value::Text(text) => store::Value::Text(text),
        Value::Blob(bytes) => store::Value::Blob(bytes),
    }
}

fn taken(value: store::Value) -> Value {
    match value {
        store::Value::Null => Value::Null,
        store::Value::Integer(number) => Value::Integer(number),
        store::Value::Real(number) => Value::Real(number),
        store::Value::Text(text) => Value::Text(text),
        store::Value::Blob(bytes) => Value::Blob(bytes),
    }
}
