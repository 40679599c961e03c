//! Results and errors of statements, in text.

use std::fmt;

use crate::tools::wire::{self, Parameters, QueryError, RowValues, ServerError, Sink};

/// Charged size of a value in addition to its text, in bytes.
const VALUE_BYTES: u64 = 16;

/// Result of a statement.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Answer {
    /// Columns of the rows; none if the statement returns no rows.
    pub columns: Option<Vec<Column>>,
    /// Rows, with texts in the form of the server. `None` is null.
    pub rows: Vec<Vec<Option<String>>>,
    /// Number of rows that the statement returned or changed, if it counts them.
    pub affected: Option<u64>,
}

/// Column of a result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// Name.
    pub name: String,
    /// Name of the type in the catalogue, such as `int4`.
    pub type_name: String,
    /// Object identifier of the type.
    pub oid: u32,
}

/// Error of the server, or of the connection to it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Refusal {
    /// SQLSTATE.
    pub code: String,
    /// Message.
    pub message: String,
    /// Further parts.
    pub parts: Box<Parts>,
}

/// Parts of an error that the server may leave out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Parts {
    /// Detail of the message.
    pub detail: Option<String>,
    /// Hint.
    pub hint: Option<String>,
    /// Schema of the object.
    pub schema: Option<String>,
    /// Table that the error is about.
    pub table: Option<String>,
    /// Column that the error is about.
    pub column: Option<String>,
    /// Constraint that was violated.
    pub constraint: Option<String>,
    /// Calls within which the error happened, one in each line.
    pub context: Option<String>,
    /// Position in the statement, in characters from 1.
    pub position: Option<u32>,
}

impl Refusal {
    pub(super) fn new(code: &str, message: impl Into<String>) -> Self {
        Self {
            code: code.to_owned(),
            message: message.into(),
            ..Self::default()
        }
    }

    fn of_server(error: &ServerError) -> Self {
        let field = |letter| error.field(letter).map(str::to_owned);
        Self {
            code: field(b'C').unwrap_or_default(),
            message: field(b'M').unwrap_or_default(),
            parts: Box::new(Parts {
                detail: field(b'D'),
                hint: field(b'H'),
                schema: field(b's'),
                table: field(b't'),
                column: field(b'c'),
                constraint: field(b'n'),
                context: field(b'W'),
                position: error.field(b'P').and_then(|position| position.parse().ok()),
            }),
        }
    }

    /// Converts an error of a query. The second value is true if the connection has ended with it.
    pub(super) fn of(error: &QueryError) -> (Self, bool) {
        let own = |code, error: &QueryError| Self::new(code, error.to_string());
        match error {
            QueryError::Server(server) => (Self::of_server(server), false),
            // Whether the reason of a session's end arrives before the connection closes is a matter of timing.
            QueryError::Ended(server)
                if server
                    .field(b'C')
                    .is_none_or(|code| !code.starts_with("57P")) =>
            {
                (Self::of_server(server), true)
            }
            QueryError::Ended(_) | QueryError::Lost(_) => {
                (Self::new("08006", "the server ended the session"), true)
            }
            QueryError::Copy => {
                let message = "COPY from or to the client is not supported; use INSERT or SELECT";
                (Self::new("0A000", message), true)
            }
            QueryError::TooLarge(limit) => {
                let message = format!(
                    "the result has more than {limit} bytes, the limit of one answer; select fewer rows or columns"
                );
                (Self::new("54000", message), false)
            }
            QueryError::LongError | QueryError::Notices => (own("54000", error), false),
            QueryError::Unconvertible(_) | QueryError::Interrupted(_) => {
                (own("XX000", error), true)
            }
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.message, self.code)
    }
}

/// Receiver of the last result of a query, of limited size.
pub(super) struct Collected {
    limit: u64,
    bytes: u64,
    pub(super) columns: Option<Vec<wire::Column>>,
    pub(super) rows: Vec<Vec<Option<String>>>,
    pub(super) affected: Option<u64>,
}

impl Collected {
    pub(super) fn new(limit: u64) -> Self {
        Self {
            limit,
            bytes: 0,
            columns: None,
            rows: Vec::new(),
            affected: None,
        }
    }

    fn take(&mut self, bytes: u64) -> Result<(), QueryError> {
        self.bytes = self.bytes.saturating_add(bytes);
        if self.bytes > self.limit {
            self.rows = Vec::new();
            return Err(QueryError::TooLarge(self.limit));
        }
        Ok(())
    }
}

impl Sink for Collected {
    fn begin(&mut self, columns: Vec<wire::Column>, _parameters: &Parameters) {
        self.columns = Some(columns);
        self.rows = Vec::new();
        self.bytes = 0;
    }

    fn row(&mut self, values: RowValues<'_>) -> Result<(), QueryError> {
        let mut row = Vec::new();
        for value in values {
            let value = value?;
            self.take(VALUE_BYTES + value.map_or(0, |value| value.len() as u64))?;
            row.push(value.map(|value| String::from_utf8_lossy(value).into_owned()));
        }
        self.rows.push(row);
        Ok(())
    }

    fn no_rows(&mut self) {
        self.columns = None;
        self.rows = Vec::new();
        self.affected = None;
    }

    fn complete(&mut self, tag: &[u8]) {
        let tag = std::str::from_utf8(tag).unwrap_or_default();
        let count = tag.rsplit(' ').next().and_then(|count| count.parse().ok());
        self.affected = count;
    }

    fn max_row_bytes(&self) -> usize {
        usize::try_from(self.limit).unwrap_or(usize::MAX)
    }

    fn oversized_row(&mut self) -> Result<(), QueryError> {
        Err(QueryError::TooLarge(self.limit))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_read_from_the_tags_of_commands() {
        let mut collected = Collected::new(100);
        for (tag, count) in [
            ("INSERT 0 3", Some(3)),
            ("SELECT 12", Some(12)),
            ("CREATE TABLE", None),
            ("BEGIN", None),
            ("", None),
        ] {
            collected.complete(tag.as_bytes());
            assert_eq!(collected.affected, count, "{tag}");
        }
    }

    #[test]
    fn errors_of_the_server_keep_their_parts() {
        let server = ServerError::of(&[
            (b'C', "23505"),
            (b'M', "duplicate key"),
            (b'n', "items_pkey"),
            (b'P', "8"),
        ]);
        let (refusal, has_ended) = Refusal::of(&QueryError::Server(server));
        assert!(!has_ended);
        assert_eq!(refusal.to_string(), "duplicate key (23505)");
        assert_eq!(refusal.parts.constraint.as_deref(), Some("items_pkey"));
        assert_eq!(refusal.parts.position, Some(8));
        let (refusal, has_ended) = Refusal::of(&QueryError::Lost("closed".to_owned()));
        assert!(has_ended);
        assert_eq!(refusal.code, "08006");
        let ended = ServerError::of(&[(b'C', "57P01"), (b'M', "terminating connection")]);
        assert_eq!(Refusal::of(&QueryError::Ended(ended)), (refusal, true));
    }
}
