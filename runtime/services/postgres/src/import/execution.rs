//! Execution of the statements of a dump.

use bytes::Bytes;
use futures_util::SinkExt;
use tokio_postgres::error::{DbError, ErrorPosition, SqlState};
use tokio_postgres::{Client, CopyInSink, Error};

use super::{DumpImportError, Place, SkippedStatement};
use crate::ADMINISTRATOR;
use crate::golden::ConnectError;
use crate::state::script::{Rows, Script, Step, with_role};
use crate::state::sql::identifier;

/// Maximum number of roles that a dump refers to.
const MAX_ROLES: usize = 1000;
/// Size of the parts in which rows are sent, in bytes.
const PART: usize = 1 << 16;
/// Settings of a session of psql that the options of the harness change, and without messages in other languages.
const SESSION: &str =
    "SET search_path = \"$user\", public; SET lc_messages = 'C'; SET client_min_messages = 'error'";

/// Execution of one dump in an empty database.
pub(super) struct Execution<'a> {
    client: &'a Client,
    /// Second session of the administrator, which creates roles whatever the session of the dump has become.
    administrator: &'a Client,
    owner: &'a str,
    is_archive: bool,
    done: Executed,
}

/// Facts about an execution.
#[derive(Debug, Default)]
pub(super) struct Executed {
    /// Roles that were created because a statement refers to them.
    pub(super) roles: Vec<String>,
    /// Statements that were not executed.
    pub(super) skipped: Vec<SkippedStatement>,
}

impl<'a> Execution<'a> {
    pub(super) fn new(
        client: &'a Client,
        administrator: &'a Client,
        owner: &'a str,
        is_archive: bool,
    ) -> Self {
        Self {
            client,
            administrator,
            owner,
            is_archive,
            done: Executed::default(),
        }
    }

    /// Executes a dump. New objects belong to the owner, who is a superuser meanwhile, unless the dump names another one.
    pub(super) async fn run(mut self, dump: &str) -> Result<Executed, DumpImportError> {
        let owner = identifier(self.owner);
        let database = identifier(crate::DATABASE);
        for statement in [
            format!("CREATE ROLE {owner} LOGIN SUPERUSER"),
            format!("ALTER DATABASE {database} OWNER TO {owner}"),
            format!("SET SESSION AUTHORIZATION {owner}"),
            SESSION.to_owned(),
        ] {
            self.harness(&statement).await?;
        }
        for step in Script::new(dump) {
            let step = step.map_err(|error| self.rejected(error.line, None, error.message))?;
            self.step(&step).await?;
        }
        // A dump can leave a transaction open, and it can change its session and its role.
        self.harness("ROLLBACK").await?;
        let restrict = format!("ALTER ROLE {owner} NOSUPERUSER");
        if let Err(error) = self.administrator.batch_execute(&restrict).await {
            let Some(refusal) = error.as_db_error() else {
                return Err(ConnectError::from(error).into());
            };
            let message = format!("the dump changed the role {owner}: {}", told(refusal));
            return Err(self.rejected(dump.lines().count(), None, message));
        }
        Ok(self.done)
    }

    async fn harness(&self, statement: &str) -> Result<(), DumpImportError> {
        let done = self.client.batch_execute(statement).await;
        Ok(done.map_err(ConnectError::from)?)
    }

    async fn step(&mut self, step: &Step<'_>) -> Result<(), DumpImportError> {
        let changed = if ends_session(step) {
            Some(format!(
                "SET SESSION AUTHORIZATION {}",
                identifier(self.owner)
            ))
        } else {
            with_role(step, ADMINISTRATOR, self.owner)
        };
        let text = changed.as_deref().unwrap_or(step.text);
        loop {
            let result = match step.rows {
                None => self.client.batch_execute(text).await,
                Some(rows) => self.copy(text, rows).await,
            };
            let Err(error) = result else { return Ok(()) };
            let Some(refusal) = error.as_db_error() else {
                // Without a cause in the connection, the statement was another one for the server than for the parser.
                if error.is_closed() || std::error::Error::source(&error).is_some() {
                    return Err(ConnectError::from(error).into());
                }
                return Err(self.rejected(step.line, step.entry, error.to_string()));
            };
            if let Some(role) = missing_role(refusal)
                && self.done.roles.len() < MAX_ROLES
                && !self.done.roles.iter().any(|known| known == role)
                && self.create_role(role).await
            {
                self.done.roles.push(role.to_owned());
                continue;
            }
            let is_setting = step.word.eq_ignore_ascii_case("SET");
            if is_setting && *refusal.code() == SqlState::UNDEFINED_OBJECT {
                self.done.skipped.push(SkippedStatement {
                    line: step.line,
                    text: step.text.to_owned(),
                    reason: refusal.message().to_owned(),
                });
                return Ok(());
            }
            let line = line(step, text, refusal);
            return Err(self.rejected(line, step.entry, told(refusal)));
        }
    }

    /// Creates a role that a statement refers to. Returns true on success.
    async fn create_role(&self, role: &str) -> bool {
        let create = format!("CREATE ROLE {}", identifier(role));
        self.administrator.batch_execute(&create).await.is_ok()
    }

    async fn copy(&self, text: &str, rows: Rows<'_>) -> Result<(), Error> {
        let sink: CopyInSink<Bytes> = self.client.copy_in(text).await?;
        let mut sink = std::pin::pin!(sink);
        for part in rows.text.as_bytes().chunks(PART) {
            sink.send(Bytes::copy_from_slice(part)).await?;
        }
        sink.finish().await?;
        Ok(())
    }

    fn rejected(
        &self,
        line: usize,
        entry: Option<(&str, &str)>,
        message: String,
    ) -> DumpImportError {
        DumpImportError::Rejected(Place {
            line,
            is_archive: self.is_archive,
            entry: entry.map(|(kind, name)| format!("{kind} {name}")),
            message,
        })
    }
}

/// Reports whether a statement returns to the session of the administrator, as after the privileges of another grantor.
fn ends_session(step: &Step<'_>) -> bool {
    let is = |expected: &[&str]| {
        let mut words = step.text.trim_end_matches(';').split_whitespace();
        let begins = expected.iter().all(|it| {
            words
                .next()
                .is_some_and(|word| word.eq_ignore_ascii_case(it))
        });
        begins && words.next().is_none()
    };
    is(&["RESET", "SESSION", "AUTHORIZATION"])
        || is(&["SET", "SESSION", "AUTHORIZATION", "DEFAULT"])
}

/// Returns the name of a role that does not exist.
fn missing_role(refusal: &DbError) -> Option<&str> {
    // The second code is that of `SET SESSION AUTHORIZATION`.
    let codes = [
        SqlState::UNDEFINED_OBJECT,
        SqlState::INVALID_PARAMETER_VALUE,
    ];
    if !codes.contains(refusal.code()) {
        return None;
    }
    let rest = refusal.message().strip_prefix("role \"")?;
    rest.strip_suffix("\" does not exist")
}

/// Returns the line of a dump at which the server refuses a step. `text` is the executed statement.
fn line(step: &Step<'_>, text: &str, refusal: &DbError) -> usize {
    if let Some(rows) = step.rows {
        let row = row(refusal.where_().unwrap_or_default());
        return match row.filter(|row| *row <= rows.text.lines().count()) {
            Some(row) => rows.line + row - 1,
            None => step.line,
        };
    }
    match refusal.position() {
        Some(ErrorPosition::Original(position)) => {
            let before = text.chars().take(*position as usize - 1);
            step.line + before.filter(|c| *c == '\n').count()
        }
        _ => step.line,
    }
}

/// Returns the number of a row in the context of an error: `COPY items, line 3, column id: "x"`.
fn row(context: &str) -> Option<usize> {
    // Functions that the row calls come first, and the value of a column comes last and can be any text.
    let mut lines = context
        .lines()
        .filter_map(|line| line.strip_prefix("COPY "));
    let (_, rest) = lines.next()?.split_once(", line ")?;
    let digits = rest.find(|c: char| !c.is_ascii_digit());
    let number: usize = rest[..digits.unwrap_or(rest.len())].parse().ok()?;
    (number > 0).then_some(number)
}

/// Returns the message of the server with its detail.
fn told(refusal: &DbError) -> String {
    let detail = refusal.detail().map(|detail| format!(": {detail}"));
    format!("{}{}", refusal.message(), detail.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_named_by_the_context_of_an_error() {
        assert_eq!(row("COPY items, line 3, column id: \"x\""), Some(3));
        assert_eq!(row("COPY items, line 12"), Some(12));
        let quoted = "PL/pgSQL function f()\nCOPY items, line 2, column a: \"COPY that, line 9\"";
        assert_eq!(row(quoted), Some(2));
        assert_eq!(row("SQL function \"f\" statement 1"), None);
        assert_eq!(row(""), None);
    }
}
