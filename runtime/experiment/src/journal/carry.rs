//! The rows of one experiment, on their way to another journal.
//!
//! A line is a JSON object: the first says what follows, the last how many rows there were, and each
//! other is one row. Ids of experiments and attempts stay what they are; numbers of grades and regrades
//! are those of the journal that takes them.

mod sound;
mod taking;

use std::io::{BufRead, Read, Write};

use mcpmark_json::Unique;
use mcpmark_snapshot::Digest;
use rusqlite::OptionalExtension;
use rusqlite::types::ValueRef;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

pub(crate) use self::sound::PLANNED;
use self::taking::Taking;
use super::durable::surely_or;
use super::schema::{CARRIED, FORMAT, SUMMARISE_ALL};
use super::sums::{bad_rows, misscored, sum_all};
use super::texts::{is_packed, unpack};
use super::{BadRow, Journal, JournalError};

const SCHEMA: u32 = 2;

/// The schema before: nothing closes its rows, so that one that was cut off between two of them looks whole.
const UNCLOSED: u32 = 1;

/// How much one experiment carries.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Most {
    /// Rows.
    pub(crate) rows: u64,
    /// Bytes of one row.
    pub(crate) row_bytes: u64,
    /// Bytes of all rows.
    pub(crate) rows_bytes: u64,
}

impl Most {
    /// Far more than any experiment has: 10,000 attempts of 100 turns have some 5,000,000 rows.
    pub(crate) const OF_ALL: Self = Self {
        rows: 20_000_000,
        // A tool's result may have 16 MiB, and its text may double in JSON.
        row_bytes: 256 << 20,
        rows_bytes: 64 << 30,
    };
}

/// The tables, and which of their rows belong to the experiment `?1`; what a row names comes before it.
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

/// What a journal knows of an experiment by itself, and no other hears of: when it was taken in, and when
/// somebody here agreed to what it runs.
const HERE: [&str; 2] = ["imported_ms", "accepted_ms"];

/// The column of check sums, which each journal makes for itself.
const SUM: &str = "sum";

/// Something that an attempt needs, by digest.
#[derive(Debug, Clone, Copy)]
pub enum Need<'a> {
    /// The tree that it started from.
    Start(&'a Digest),
    /// The tree that it left.
    State(&'a Digest),
    /// The document of what its grade follows from, which names the verifier.
    Terms(&'a Digest, &'a Digest),
    /// Who judged it.
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

/// Closes the rows.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct End {
    rows: u64,
}

/// Attempts of the experiment `?1` with a last grade of another outcome, or with a grade that is another one than
/// its checks make: where there is a verdict, they say whether it passed ([`misscored`] looks at its score); where the
/// state stops the verifier, the attempt failed without any; where the verifier broke, there is nothing at all.
const CONTRADICTING: &str = "
SELECT a.id FROM attempts a LEFT JOIN grades g ON g.attempt = a.id
WHERE a.experiment = ?1
  AND (a.status = 'finished' AND g.id = a.grade AND a.outcome IS NOT g.outcome
    OR CASE coalesce(g.outcome, a.outcome)
    WHEN 'graded' THEN g.passed IS NULL OR g.score IS NULL
        OR g.passed IS NOT (SELECT min(passed) FROM checks WHERE grade = g.id)
    WHEN 'state-fault' THEN g.passed IS NOT 0 OR g.score IS NOT 0.0 OR g.fault_kind IS NULL
        OR EXISTS (SELECT 1 FROM checks WHERE grade = g.id)
    WHEN 'verifier-fault' THEN g.passed IS NOT NULL OR g.score IS NOT NULL
        OR EXISTS (SELECT 1 FROM checks WHERE grade = g.id)
    ELSE 0 END)
LIMIT 1";

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    table: String,
    row: Map<String, Value>,
}

/// Why rows cannot be carried.
#[derive(Debug, thiserror::Error)]
pub enum CarryError {
    /// The journal cannot be read or written, or has the experiment already.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The rows cannot be read or written.
    #[error("the rows of the experiment cannot be carried")]
    Io(#[from] std::io::Error),
    /// The rows are of another format.
    #[error("the experiment is of {what} {found}, and this mcpmark carries {known}")]
    Format {
        /// What has the format.
        what: &'static str,
        /// Its format.
        found: i64,
        /// What is known here.
        known: i64,
    },
    /// A line is no row, or one of something else.
    #[error("row {line} of the experiment: {problem}")]
    Row {
        /// Counted from 1.
        line: u64,
        /// The problem.
        problem: String,
    },
    /// The rows end without being closed.
    #[error("the experiment breaks off after {rows} rows")]
    BreaksOff {
        /// Those that are there.
        rows: u64,
    },
    /// There is more than one experiment carries.
    #[error("the experiment has more than {limit} {what}, and one file carries no more")]
    TooMuch {
        /// What there is too much of.
        what: &'static str,
        /// The most.
        limit: u64,
    },
    /// An attempt needs something that was not carried with it, or is another thing.
    #[error("attempt {attempt} needs the {what} {digest}, which {problem}")]
    Missing {
        /// The attempt.
        attempt: String,
        /// What it is.
        what: &'static str,
        /// Its digest.
        digest: Digest,
        /// The problem.
        problem: &'static str,
    },
    /// A grade does not say what its checks or its attempt do.
    #[error(
        "a grade of attempt {attempt} is another one than its checks make, or than the attempt has"
    )]
    Grade {
        /// The attempt.
        attempt: String,
    },
}

impl From<rusqlite::Error> for CarryError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Journal(error.into())
    }
}

impl Journal {
    /// Writes the rows of an experiment, all as they are at one moment.
    ///
    /// # Errors
    ///
    /// When there is no such experiment, it has more than one file carries, or something cannot be read
    /// or written.
    pub fn carry(&self, experiment: &str, out: &mut dyn Write) -> Result<(), CarryError> {
        self.carry_within(experiment, out, Most::OF_ALL)
    }

    fn carry_within(
        &self,
        experiment: &str,
        out: &mut dyn Write,
        most: Most,
    ) -> Result<(), CarryError> {
        let id = self.experiment(experiment)?.id;
        let mut connection = self.lock();
        let transaction = connection.transaction()?;
        // What is damaged here would come out of another journal as if it were sound.
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
        let mut tally = Tally::of(most);
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

    /// Takes over an experiment from the rows of another journal, all of it or nothing. Gives its name.
    ///
    /// # Errors
    ///
    /// When the rows are not those of one experiment, or there is one of that name or id, or it
    /// needs something that is not `kept`, which says what is wrong with it.
    pub fn take_over(
        &self,
        rows: &mut dyn BufRead,
        kept: &dyn Fn(Need<'_>) -> Result<(), &'static str>,
    ) -> Result<String, CarryError> {
        self.take_over_within(rows, kept, Most::OF_ALL)
    }

    fn take_over_within(
        &self,
        rows: &mut dyn BufRead,
        kept: &dyn Fn(Need<'_>) -> Result<(), &'static str>,
        most: Most,
    ) -> Result<String, CarryError> {
        let mut lines = Lines::of(rows, most);
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
                return Err(CarryError::Format { what, found, known });
            }
        }
        lines.closes = head.schema > UNCLOSED;
        surely_or(&mut self.lock(), |transaction| {
            let mut taking = Taking::into(transaction, kept);
            while let Some(line) = lines.row()? {
                taking.take(line, &lines)?;
            }
            let (id, name) = taking
                .experiment
                .ok_or_else(|| lines.wrong("no experiment is in it"))?;
            let summed = transaction.execute(SUMMARISE_ALL, [&id]);
            summed.map_err(|error| lines.refused(error, "what belongs to an attempt before it"))?;
            let contradicting = transaction.query_row(CONTRADICTING, [&id], |row| row.get(0));
            let contradicting = match contradicting.optional()? {
                None => misscored(transaction, Some(&id))?
                    .into_iter()
                    .next()
                    .map(|it| it.attempt),
                found => found,
            };
            match contradicting {
                Some(attempt) => Err(CarryError::Grade { attempt }),
                None => {
                    sum_all(transaction, Some(&id))?;
                    Ok(name)
                }
            }
        })
    }
}

/// What went by of an experiment.
struct Tally {
    most: Most,
    rows: u64,
    bytes: u64,
}

impl Tally {
    fn of(most: Most) -> Self {
        Self {
            most,
            rows: 0,
            bytes: 0,
        }
    }

    fn row(&mut self) -> Result<(), CarryError> {
        self.rows += 1;
        within("rows", self.rows, self.most.rows)
    }

    fn line(&mut self, bytes: u64) -> Result<(), CarryError> {
        self.bytes += bytes;
        within("bytes in one row", bytes, self.most.row_bytes)?;
        within("bytes of rows", self.bytes, self.most.rows_bytes)
    }
}

fn within(what: &'static str, found: u64, limit: u64) -> Result<(), CarryError> {
    if found > limit {
        Err(CarryError::TooMuch { what, limit })
    } else {
        Ok(())
    }
}

fn write_line(
    out: &mut dyn Write,
    line: &impl Serialize,
    tally: &mut Tally,
) -> Result<(), CarryError> {
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
        // No table has blobs, and all text is UTF-8.
        ValueRef::Text(text) | ValueRef::Blob(text) => String::from_utf8_lossy(text).into(),
    }
}

struct Lines<'a> {
    rows: &'a mut dyn BufRead,
    line: u64,
    tally: Tally,
    /// Whether the last line says how many rows there were.
    closes: bool,
}

impl<'a> Lines<'a> {
    fn of(rows: &'a mut dyn BufRead, most: Most) -> Self {
        Self {
            rows,
            line: 0,
            tally: Tally::of(most),
            closes: true,
        }
    }

    fn head(&mut self) -> Result<Head, CarryError> {
        let head = self.next()?;
        self.parsed(head.ok_or_else(|| self.wrong("it is missing"))?)
    }

    /// The next row, until there are no more and all were there.
    fn row(&mut self) -> Result<Option<Line>, CarryError> {
        let rows = self.tally.rows;
        let Some(value) = self.next()? else {
            return if self.closes {
                Err(CarryError::BreaksOff { rows })
            } else {
                Ok(None)
            };
        };
        if self.closes && value.get("table").is_none() {
            let End { rows: wanted } = self.parsed(value)?;
            if rows != wanted {
                let problem = format!("{wanted} rows should come before it, and {rows} do");
                return Err(self.wrong(&problem));
            }
            return match self.next()? {
                Some(_) => Err(self.wrong("it comes after the last one")),
                None => Ok(None),
            };
        }
        self.tally.row()?;
        self.parsed(value).map(Some)
    }

    fn next(&mut self) -> Result<Option<Value>, CarryError> {
        self.line += 1;
        let mut bytes = Vec::new();
        let mut part = (&mut *self.rows).take(self.tally.most.row_bytes + 1);
        let length = part.read_until(b'\n', &mut bytes)?;
        if length == 0 {
            return Ok(None);
        }
        self.tally.line(length as u64)?;
        if bytes.last() != Some(&b'\n') {
            return Err(self.wrong("it has no end"));
        }
        let parsed = serde_json::from_slice(&bytes);
        parsed
            .map(|Unique(value)| Some(value))
            .map_err(|error| self.wrong(&error.to_string()))
    }

    fn parsed<T: DeserializeOwned>(&self, value: Value) -> Result<T, CarryError> {
        serde_json::from_value(value).map_err(|error| self.wrong(&error.to_string()))
    }

    /// What SQLite does not take is the fault of the rows, unless SQLite itself is in trouble.
    fn refused(&self, error: rusqlite::Error, what: &str) -> CarryError {
        use rusqlite::ErrorCode::{ConstraintViolation, TypeMismatch, Unknown};
        match error.sqlite_error_code() {
            Some(ConstraintViolation | TypeMismatch | Unknown) => {
                self.wrong(&format!("{what} has no sound values ({error})"))
            }
            _ => error.into(),
        }
    }

    fn wrong(&self, problem: &str) -> CarryError {
        CarryError::Row {
            line: self.line,
            problem: problem.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests;
