//! Export and import of the journal rows of an experiment.
//!
//! Each line is a JSON object. The first line has the versions of the formats, the last line the number of rows, and
//! each other line is one row. Experiments and attempts keep their ids; grades and regrades get new numbers in the
//! importing journal.

mod importer;
mod validate;

use std::io::{BufRead, Read, Write};

use mcpmark_json::Unique;
use mcpmark_snapshot::Digest;
use rusqlite::OptionalExtension;
use rusqlite::types::ValueRef;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use self::importer::RowImporter;
pub use self::validate::MAX_PLANNED;
use super::durable::write_durable_or;
use super::grades::contradicts;
use super::schema::{CARRIED, FORMAT, SUMMARISE_ALL};
use super::sums::{bad_rows, misscored, sum_all};
use super::texts::{is_packed, unpack};
use super::{BadRow, Journal, JournalError};

const SCHEMA: u32 = 2;

/// Previous schema, which has no last line with the number of rows. A file that was cut off between two rows looks
/// complete.
const UNCLOSED: u32 = 1;

/// Limits of the export and import of one experiment.
#[derive(Debug, Clone, Copy)]
pub struct RowLimits {
    /// Maximum number of rows.
    pub rows: u64,
    /// Maximum size of one row, in bytes.
    pub row_bytes: u64,
    /// Maximum size of all rows, in bytes.
    pub rows_bytes: u64,
}

impl RowLimits {
    /// Default limits, far above any experiment: 10,000 attempts of 100 turns have about 5,000,000 rows.
    pub const DEFAULT: Self = Self {
        rows: 20_000_000,
        // A tool result may have 16 MiB, and its text may double in JSON.
        row_bytes: 256 << 20,
        rows_bytes: 64 << 30,
    };
}

/// Exported tables, with the condition for rows of the experiment `?1`. Rows come after those that they refer to.
const TABLES: [(&str, &str); 9] = [
    ("experiments", "id = ?1"),
    ("attempts", "experiment = ?1 ORDER BY id"),
    (
        "messages",
        "attempt IN (SELECT id FROM attempts WHERE experiment = ?1) ORDER BY attempt, seq",
    ),
    (
        "tool_calls",
        "attempt IN (SELECT id FROM attempts WHERE experiment = ?1) ORDER BY attempt, seq",
    ),
    (
        "model_calls",
        "attempt IN (SELECT id FROM attempts WHERE experiment = ?1) ORDER BY attempt, seq",
    ),
    (
        "tool_sets",
        "digest IN (SELECT content ->> '$.tools' FROM messages WHERE role = 'system'
         AND attempt IN (SELECT id FROM attempts WHERE experiment = ?1)) ORDER BY digest",
    ),
    (
        "regrades",
        "id IN (SELECT regrade FROM grades WHERE attempt IN
         (SELECT id FROM attempts WHERE experiment = ?1)) ORDER BY id",
    ),
    (
        "grades",
        "attempt IN (SELECT id FROM attempts WHERE experiment = ?1) ORDER BY id",
    ),
    (
        "checks",
        "grade IN (SELECT id FROM grades WHERE attempt IN
         (SELECT id FROM attempts WHERE experiment = ?1)) ORDER BY grade, seq",
    ),
];

/// Columns that are not exported, because they belong to one journal: the times of the import and of the acceptance.
const HERE: [&str; 2] = ["imported_ms", "accepted_ms"];

/// Column of check sums, which each journal computes for itself.
const SUM: &str = "sum";

/// Object of the store that an attempt needs, by its digest.
#[derive(Debug, Clone, Copy)]
pub enum Need<'a> {
    /// Tree of the starting state.
    Start(&'a Digest),
    /// Tree of the final state.
    State(&'a Digest),
    /// Document of the grading terms, and the verifier that it must name.
    Terms(&'a Digest, &'a Digest),
    /// Verifier of a grade.
    Verifier(&'a Digest),
}

impl Need<'_> {
    fn what(&self) -> &'static str {
        match self {
            Self::Start(_) => "starting state",
            Self::State(_) => "state",
            Self::Terms(..) => "document of terms",
            Self::Verifier(_) => "verifier",
        }
    }

    fn digest(&self) -> &Digest {
        match self {
            Self::Start(digest)
            | Self::State(digest)
            | Self::Terms(digest, _)
            | Self::Verifier(digest) => digest,
        }
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    schema: u32,
    journal: i32,
}

/// Last line of an export.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct End {
    rows: u64,
}

/// Query of attempts of the experiment `?1` whose outcome differs from their last grade's, or that have a contradictory
/// grade, or a result without a grade ([`misscored`] compares scores).
const CONTRADICTING: &str = concat!(
    "
SELECT a.id FROM attempts a LEFT JOIN grades g ON g.attempt = a.id
WHERE a.experiment = ?1
  AND (a.status = 'finished' AND g.id = a.grade AND a.outcome IS NOT g.outcome
    OR g.id IS NULL AND a.outcome IN ('graded', 'state-fault')
    OR g.id IS NOT NULL AND ",
    contradicts!(),
    ")
LIMIT 1"
);

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    table: String,
    row: Map<String, Value>,
}

/// Errors of exporting or importing an experiment.
#[derive(Debug, thiserror::Error)]
pub enum RowTransferError {
    /// The journal cannot be read or written, or already has the experiment.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The rows cannot be read or written.
    #[error("cannot read or write the rows of the experiment")]
    Io(#[from] std::io::Error),
    /// Unsupported format of the rows.
    #[error("the experiment has {what} {found}, but this version of mcpmark reads {what} {known}")]
    Format {
        /// Kind of format: `schema` or `journal format`.
        what: &'static str,
        /// Format of the rows.
        found: i64,
        /// Latest format that this program supports.
        known: i64,
    },
    /// A line is not a valid row of the experiment.
    #[error("row {line} of the experiment: {problem}")]
    Row {
        /// Number of the line, from 1.
        line: u64,
        /// Description of the problem.
        problem: String,
    },
    /// The last line with the number of rows is missing.
    #[error("the experiment is truncated after {rows} rows")]
    BreaksOff {
        /// Number of rows before the end.
        rows: u64,
    },
    /// The experiment exceeds a limit of the format.
    #[error("the experiment exceeds the limit of {limit} {what}")]
    TooMuch {
        /// Unit of the limit.
        what: &'static str,
        /// Maximum.
        limit: u64,
    },
    /// An object that an attempt needs is missing, or differs from what its digest names.
    #[error("attempt {attempt} needs the {what} {digest}, which {problem}")]
    Missing {
        /// Id of the attempt.
        attempt: String,
        /// Kind of object.
        what: &'static str,
        /// Digest of the object.
        digest: Digest,
        /// Description of the problem.
        problem: &'static str,
    },
    /// A grade contradicts its checks or the outcome of its attempt.
    #[error("a grade of attempt {attempt} contradicts its checks or the outcome of the attempt")]
    Grade {
        /// Id of the attempt.
        attempt: String,
    },
}

impl From<rusqlite::Error> for RowTransferError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Journal(error.into())
    }
}

impl Journal {
    /// Exports the rows of an experiment, all from one transaction.
    ///
    /// # Errors
    ///
    /// Returns an error if the experiment does not exist, exceeds a limit, has damaged rows, or cannot be read or
    /// written.
    pub fn export_rows(
        &self,
        experiment: &str,
        out: &mut dyn Write,
    ) -> Result<(), RowTransferError> {
        self.export_rows_within(experiment, out, RowLimits::DEFAULT)
    }

    fn export_rows_within(
        &self,
        experiment: &str,
        out: &mut dyn Write,
        limits: RowLimits,
    ) -> Result<(), RowTransferError> {
        let id = self.experiment(experiment)?.id;
        let mut connection = self.lock();
        let transaction = connection.transaction()?;
        // After an import, damaged rows would have valid check sums.
        if let Some(bad) = bad_rows(&transaction, Some(&id))?
            .into_iter()
            .find(BadRow::is_damaged)
        {
            return Err(JournalError::Damaged(bad.row).into());
        }
        let head = Head {
            schema: SCHEMA,
            journal: FORMAT,
        };
        let mut tally = Tally::of(limits);
        write_line(out, &head, &mut tally)?;
        for (table, which) in TABLES {
            let mut query = transaction.prepare(&format!("SELECT * FROM {table} WHERE {which}"))?;
            let names: Vec<String> = query.column_names().map(str::to_owned).collect();
            let mut rows = query.query([&id])?;
            while let Some(row) = rows.next()? {
                let mut object = Map::new();
                let names = names.iter().enumerate();
                for (index, name) in
                    names.filter(|(_, name)| !HERE.contains(&name.as_str()) && *name != SUM)
                {
                    let value = match json(row.get_ref(index)?) {
                        Value::String(text) if is_packed(table, name) => {
                            unpack(&transaction, text)?.into()
                        }
                        value => value,
                    };
                    object.insert(name.clone(), value);
                }
                let table = table.to_owned();
                tally.row()?;
                write_line(out, &Line { table, row: object }, &mut tally)?;
            }
        }
        let rows = tally.rows;
        write_line(out, &End { rows }, &mut tally)
    }

    /// Imports an experiment from the rows of another journal in one transaction, and returns its name. `kept` reports
    /// whether the store has an object that an attempt needs, and otherwise returns the problem.
    ///
    /// # Errors
    ///
    /// Returns an error if the rows are not those of one valid experiment, its name or id already exists, or an object
    /// that it needs is missing.
    pub fn import_rows(
        &self,
        rows: &mut dyn BufRead,
        kept: &dyn Fn(Need<'_>) -> Result<(), &'static str>,
    ) -> Result<String, RowTransferError> {
        self.import_rows_within(rows, kept, RowLimits::DEFAULT)
    }

    fn import_rows_within(
        &self,
        rows: &mut dyn BufRead,
        kept: &dyn Fn(Need<'_>) -> Result<(), &'static str>,
        limits: RowLimits,
    ) -> Result<String, RowTransferError> {
        let mut lines = Lines::of(rows, limits);
        let head = lines.head()?;
        let (schema, journal) = (i64::from(SCHEMA), i64::from(FORMAT));
        for (what, found, oldest, known) in [
            (
                "schema",
                i64::from(head.schema),
                i64::from(UNCLOSED),
                schema,
            ),
            (
                "journal format",
                i64::from(head.journal),
                i64::from(CARRIED),
                journal,
            ),
        ] {
            if !(oldest..=known).contains(&found) {
                return Err(RowTransferError::Format { what, found, known });
            }
        }
        lines.closes = head.schema > UNCLOSED;
        write_durable_or(&mut self.lock(), |transaction| {
            let mut importer = RowImporter::into(transaction, kept);
            while let Some(line) = lines.row()? {
                importer.take(line, &lines)?;
            }
            let (id, name) = importer
                .experiment
                .ok_or_else(|| lines.wrong("the rows contain no experiment"))?;
            let summed = transaction.execute(SUMMARISE_ALL, [&id]);
            summed.map_err(|error| {
                lines.refused(error, "invalid values in the rows of an attempt")
            })?;
            let contradicting = transaction.query_row(CONTRADICTING, [&id], |row| row.get(0));
            let contradicting = match contradicting.optional()? {
                None => misscored(transaction, Some(&id))?
                    .into_iter()
                    .next()
                    .map(|it| it.attempt),
                found => found,
            };
            match contradicting {
                Some(attempt) => Err(RowTransferError::Grade { attempt }),
                None => {
                    sum_all(transaction, Some(&id))?;
                    Ok(name)
                }
            }
        })
    }
}

/// Counters of the rows and bytes of an experiment, with their limits.
struct Tally {
    limits: RowLimits,
    rows: u64,
    bytes: u64,
}

impl Tally {
    fn of(limits: RowLimits) -> Self {
        Self {
            limits,
            rows: 0,
            bytes: 0,
        }
    }

    fn row(&mut self) -> Result<(), RowTransferError> {
        self.rows += 1;
        within("rows", self.rows, self.limits.rows)
    }

    fn line(&mut self, bytes: u64) -> Result<(), RowTransferError> {
        self.bytes += bytes;
        within("bytes in one row", bytes, self.limits.row_bytes)?;
        within("bytes of rows", self.bytes, self.limits.rows_bytes)
    }
}

fn within(what: &'static str, found: u64, limit: u64) -> Result<(), RowTransferError> {
    if found > limit {
        Err(RowTransferError::TooMuch { what, limit })
    } else {
        Ok(())
    }
}

fn write_line(
    out: &mut dyn Write,
    line: &impl Serialize,
    tally: &mut Tally,
) -> Result<(), RowTransferError> {
    let mut bytes = serde_json::to_vec(line).map_err(std::io::Error::from)?;
    bytes.push(b'\n');
    tally.line(bytes.len() as u64)?;
    Ok(out.write_all(&bytes)?)
}

fn json(value: ValueRef<'_>) -> Value {
    match value {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number) => number.into(),
        ValueRef::Real(number) => number.into(),
        // None of the exported tables has blobs, and all text is UTF-8.
        ValueRef::Text(text) | ValueRef::Blob(text) => String::from_utf8_lossy(text).into(),
    }
}

struct Lines<'a> {
    rows: &'a mut dyn BufRead,
    line: u64,
    tally: Tally,
    /// True if the last line must contain the number of rows.
    closes: bool,
}

impl<'a> Lines<'a> {
    fn of(rows: &'a mut dyn BufRead, limits: RowLimits) -> Self {
        Self {
            rows,
            line: 0,
            tally: Tally::of(limits),
            closes: true,
        }
    }

    fn head(&mut self) -> Result<Head, RowTransferError> {
        let head = self.next()?;
        self.parsed(head.ok_or_else(|| self.wrong("the header is missing"))?)
    }

    /// Returns the next row, or none at the end. It then compares the number of rows with the last line.
    fn row(&mut self) -> Result<Option<Line>, RowTransferError> {
        let rows = self.tally.rows;
        let Some(value) = self.next()? else {
            return if self.closes {
                Err(RowTransferError::BreaksOff { rows })
            } else {
                Ok(None)
            };
        };
        if self.closes && value.get("table").is_none() {
            let End { rows: wanted } = self.parsed(value)?;
            if rows != wanted {
                let problem = format!("expected {wanted} rows before it, found {rows}");
                return Err(self.wrong(&problem));
            }
            return match self.next()? {
                Some(_) => Err(self.wrong("unexpected data after the last row")),
                None => Ok(None),
            };
        }
        self.tally.row()?;
        self.parsed(value).map(Some)
    }

    fn next(&mut self) -> Result<Option<Value>, RowTransferError> {
        self.line += 1;
        let mut bytes = Vec::new();
        let mut part = (&mut *self.rows).take(self.tally.limits.row_bytes + 1);
        let length = part.read_until(b'\n', &mut bytes)?;
        if length == 0 {
            return Ok(None);
        }
        self.tally.line(length as u64)?;
        if bytes.last() != Some(&b'\n') {
            return Err(self.wrong("it does not end with a line break"));
        }
        let parsed = serde_json::from_slice(&bytes);
        parsed
            .map(|Unique(value)| Some(value))
            .map_err(|error| self.wrong(&error.to_string()))
    }

    fn parsed<T: DeserializeOwned>(&self, value: Value) -> Result<T, RowTransferError> {
        serde_json::from_value(value).map_err(|error| self.wrong(&error.to_string()))
    }

    /// Converts an error of SQLite. Constraint violations, wrong types and generic errors are attributed to the current
    /// row; other errors are errors of the journal.
    fn refused(&self, error: rusqlite::Error, what: &str) -> RowTransferError {
        use rusqlite::ErrorCode::{ConstraintViolation, TypeMismatch, Unknown};
        match error.sqlite_error_code() {
            Some(ConstraintViolation | TypeMismatch | Unknown) => {
                self.wrong(&format!("{what}: {error}"))
            }
            _ => error.into(),
        }
    }

    fn wrong(&self, problem: &str) -> RowTransferError {
        RowTransferError::Row {
            line: self.line,
            problem: problem.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests;
