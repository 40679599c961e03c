//! Restoration of a database from its canonical form.
//!
//! The files of a state are executed in phases: roles, schemas, extensions, objects, rows, constraints and indexes,
//! triggers and policies, privileges. Dependencies between the objects of one phase are not recorded. A statement that
//! fails is repeated after the others, and at last in a later phase, because some views need a primary key. The
//! restoration fails if nothing more succeeds.

mod differences;
mod phases;
mod rows;

use std::io::Read;

use mcpmark_snapshot::TreePath;
use tokio_postgres::Client;
use tokio_postgres::error::{ErrorPosition, SqlState};

pub(crate) use self::differences::{replace_rows, rows_only};
use self::phases::{Content, Part};
use super::error::{RestoreError, describe};
use super::files::Source;
use super::sql::{self, Statement};
use super::{FORMAT, PINNED};

/// Builds the database of a state in the empty database of the connection, and the roles of the state in its cluster.
///
/// The connection must be one of the bootstrap superuser, without an open transaction. The schema `public` of the new
/// database is replaced by that of the state. A role that exists gets the attributes of the state. If an error is
/// returned, nothing has changed.
///
/// # Errors
///
/// Returns [`RestoreError::Rejected`] with the file and the line if the server rejects a part of the state, and other
/// errors if the tree is not a state, or if the server fails.
pub async fn restore(client: &Client, source: &dyn Source) -> Result<(), RestoreError> {
    check(source)?;
    let parts = phases::parts(source)?;
    client
        .batch_execute("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE")
        .await
        .map_err(RestoreError::server("begin a transaction"))?;
    let restored = Restoration { client, source }.run(parts).await;
    let end = if restored.is_ok() {
        "COMMIT"
    } else {
        "ROLLBACK"
    };
    let ended = client.batch_execute(end).await;
    restored?;
    ended.map_err(RestoreError::server("end the transaction"))
}

/// Checks without a server that a tree has the form of a state, and that its definitions are definitions.
///
/// # Errors
///
/// Returns an error for a tree without a version or with unknown files, and for statements that would end the transaction
/// of a restoration, or read and write other things than the database.
pub fn check(source: &dyn Source) -> Result<(), RestoreError> {
    check_format(source)?;
    for part in phases::parts(source)?.into_iter().flatten() {
        if matches!(part.content, Content::Statements) {
            let statements = sql::statements(&text(source, &part.path)?);
            if let Some((line, message)) = statements.iter().find_map(Statement::refusal) {
                return Err(RestoreError::Rejected {
                    path: part.path,
                    line,
                    message,
                });
            }
        }
    }
    Ok(())
}

fn check_format(source: &dyn Source) -> Result<(), RestoreError> {
    let found = match TreePath::parse("format") {
        Ok(path) if source.paths().contains(&path) => text(source, &path)?,
        _ => String::new(),
    };
    if found == FORMAT {
        return Ok(());
    }
    Err(RestoreError::Format {
        expected: FORMAT.trim_end(),
        found: found.chars().take(100).collect(),
    })
}

/// Returns the content of a file of text.
fn text(source: &dyn Source, path: &TreePath) -> Result<String, RestoreError> {
    let mut text = String::new();
    source
        .open(path)
        .and_then(|mut file| file.read_to_string(&mut text))
        .map_err(|source| RestoreError::Read {
            path: path.clone(),
            source,
        })?;
    Ok(text)
}

/// Part of a state that is executed alone.
enum Unit {
    /// All statements of a file.
    File(TreePath, Vec<Statement>),
    /// One statement of a file.
    Statement(TreePath, Statement),
    /// Rows of a relation.
    Rows(Part),
}

/// Unit that failed, with the error.
struct Failed {
    unit: Unit,
    error: RestoreError,
    /// Whether the error is that something does not exist.
    consequence: bool,
}

struct Restoration<'a> {
    client: &'a Client,
    source: &'a dyn Source,
}

impl Restoration<'_> {
    async fn run(&self, parts: Vec<Vec<Part>>) -> Result<(), RestoreError> {
        self.prepare().await?;
        let database = self.database().await?;
        let mut failed: Vec<Failed> = Vec::new();
        for phase in parts {
            let mut units: Vec<Unit> = failed.drain(..).map(|it| it.unit).collect();
            for part in phase {
                units.push(self.unit(part, &database)?);
            }
            failed = self.execute(units).await?;
        }
        // An object that does not exist is usually the consequence of another failure.
        failed.sort_by_key(|it| it.consequence);
        match failed.into_iter().next() {
            None => Ok(()),
            Some(first) => Err(first.error),
        }
    }

    async fn prepare(&self) -> Result<(), RestoreError> {
        let row = self
            .client
            .query_one(
                "SELECT (SELECT oid = 10 FROM pg_catalog.pg_roles WHERE rolname = session_user) AND current_user = session_user",
                &[],
            )
            .await
            .map_err(RestoreError::server("read the role of the connection"))?;
        if row.get::<_, Option<bool>>(0) != Some(true) {
            return Err(RestoreError::NotSuperuser);
        }
        self.client
            .batch_execute(&format!("{PINNED}DROP SCHEMA IF EXISTS public;"))
            .await
            .map_err(RestoreError::server("prepare the database"))
    }

    async fn database(&self) -> Result<String, RestoreError> {
        let row = self
            .client
            .query_one("SELECT current_database()::text", &[])
            .await
            .map_err(RestoreError::server("read the name of the database"))?;
        Ok(sql::identifier(row.get(0)))
    }

    fn unit(&self, part: Part, database: &str) -> Result<Unit, RestoreError> {
        if !matches!(part.content, Content::Statements) {
            return Ok(Unit::Rows(part));
        }
        let text = sql::with_database(&text(self.source, &part.path)?, database);
        Ok(Unit::File(part.path, sql::statements(&text)))
    }

    /// Executes units until none of the rest succeeds, and returns the rest.
    async fn execute(&self, units: Vec<Unit>) -> Result<Vec<Failed>, RestoreError> {
        let mut waiting = Vec::new();
        for unit in units {
            waiting.extend(self.first_try(unit).await?);
        }
        loop {
            let before = waiting.len();
            let mut still = Vec::new();
            for Failed { unit, .. } in waiting {
                still.extend(self.try_unit(unit).await?);
            }
            waiting = still;
            if waiting.is_empty() || waiting.len() == before {
                return Ok(waiting);
            }
        }
    }

    /// Executes a file as a whole, which saves round trips, or its statements one by one if that fails.
    async fn first_try(&self, unit: Unit) -> Result<Vec<Failed>, RestoreError> {
        let Unit::File(path, statements) = unit else {
            return Ok(self.try_unit(unit).await?.into_iter().collect());
        };
        let all: Vec<&str> = statements.iter().map(|it| it.text.as_str()).collect();
        if self.statement(&all.join("\n")).await?.is_none() {
            return Ok(Vec::new());
        }
        let mut failed = Vec::new();
        for statement in statements {
            let unit = Unit::Statement(path.clone(), statement);
            failed.extend(self.try_unit(unit).await?);
        }
        Ok(failed)
    }

    async fn try_unit(&self, unit: Unit) -> Result<Option<Failed>, RestoreError> {
        let (error, consequence) = match &unit {
            Unit::File(..) => return Ok(None),
            Unit::Statement(path, statement) => {
                let Some(error) = self.statement(&statement.text).await? else {
                    return Ok(None);
                };
                let Some(error) = self.existing_role(statement, error).await? else {
                    return Ok(None);
                };
                (rejected(path, statement, &error), is_undefined(&error))
            }
            Unit::Rows(part) => match rows::load(self.client, self.source, part).await {
                Ok(()) => return Ok(None),
                Err(rows::Failure::Final(error)) => return Err(error),
                Err(rows::Failure::MissingRelation(error)) => (error, true),
            },
        };
        Ok(Some(Failed {
            unit,
            error,
            consequence,
        }))
    }

    /// Executes SQL and returns the error of the server, after which nothing has changed.
    async fn statement(&self, sql: &str) -> Result<Option<tokio_postgres::Error>, RestoreError> {
        // In a message of its own: the server executes nothing of a message with a syntax error.
        self.client
            .batch_execute("SAVEPOINT unit")
            .await
            .map_err(RestoreError::server("execute a statement"))?;
        let guarded = format!("{sql}\n;RELEASE unit");
        let Err(error) = self.client.batch_execute(&guarded).await else {
            return Ok(None);
        };
        if error.as_db_error().is_none() {
            return Err(RestoreError::server("execute a statement")(error));
        }
        self.client
            .batch_execute("ROLLBACK TO unit; RELEASE unit")
            .await
            .map_err(RestoreError::server("undo a statement"))?;
        Ok(Some(error))
    }

    /// Gives a role that exists the attributes of the state, if that is why a statement failed.
    async fn existing_role(
        &self,
        statement: &Statement,
        error: tokio_postgres::Error,
    ) -> Result<Option<tokio_postgres::Error>, RestoreError> {
        let exists = error.code() == Some(&SqlState::DUPLICATE_OBJECT);
        match statement.text.strip_prefix("CREATE ROLE ") {
            Some(rest) if exists => self.statement(&format!("ALTER ROLE {rest}")).await,
            _ => Ok(Some(error)),
        }
    }
}

/// Reports whether the server did not find something to which a statement refers.
fn is_undefined(error: &tokio_postgres::Error) -> bool {
    let undefined = [
        SqlState::UNDEFINED_TABLE,
        SqlState::UNDEFINED_COLUMN,
        SqlState::UNDEFINED_FUNCTION,
        SqlState::UNDEFINED_OBJECT,
        SqlState::INVALID_SCHEMA_NAME,
    ];
    error.code().is_some_and(|code| undefined.contains(code))
}

/// Returns the error of a statement, with the line to which the server points.
fn rejected(path: &TreePath, statement: &Statement, error: &tokio_postgres::Error) -> RestoreError {
    let position = error.as_db_error().and_then(|error| error.position());
    let within = match position {
        Some(ErrorPosition::Original(at)) => {
            let at = (*at as usize).saturating_sub(1);
            let before = statement.text.chars().take(at);
            before.filter(|character| *character == '\n').count()
        }
        _ => 0,
    };
    RestoreError::Rejected {
        path: path.clone(),
        line: statement.line + within,
        message: describe(error),
    }
}
