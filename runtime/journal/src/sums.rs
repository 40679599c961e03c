//! Check sums of rows, which detect that a row is not as it was written.
//!
//! A row gets its check sum when it no longer changes: an attempt with its rows when it is finished or abandoned, a
//! grade with its checks when it is made, an experiment at each write. Attempts, grades and experiments have a column
//! `sum`. The messages and calls of an attempt share one row of `row_sums` for each table, with four bytes for each of
//! their rows in order, so that missing and additional rows are noticed as well. Readers compare the check sums of the
//! rows that they read, and [`Journal::check_rows`](super::Journal::check_rows) those of every row. The check sums are
//! CRC-32: they detect damage, and are not a signature. They are never exported: a journal that imports rows computes
//! its own.
//!
//! The tools that a model saw are named by their digest and compared with it. Regrades have no check sums, and the sum
//! of a grade does not cover the number of its regrade. Both only determine which attempts an interrupted regrade has
//! done already and which two grades are shown side by side; no grade and no export depends on them. Adding them to the
//! sums would mean to recompute the sums of all grades of older formats at once, from unverified rows.

mod check;
mod scores;

use crc32fast::Hasher;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension, Row, Transaction, params};

pub use self::check::BadRow;
pub(super) use self::check::bad_rows;
pub(super) use self::scores::misscored;
use super::JournalError;

/// Columns of attempts, in the order of the check sum and of queries.
pub(super) const ATTEMPT: [&str; 38] = [
    "id",
    "experiment",
    "position",
    "task",
    "agent",
    "agent_settings",
    "model",
    "model_settings",
    "k",
    "try",
    "bundle",
    "world",
    "status",
    "started_ms",
    "ended_ms",
    "ended",
    "ended_detail",
    "answer",
    "state",
    "outcome",
    "error",
    "input_tokens",
    "cached_tokens",
    "output_tokens",
    "reasoning_tokens",
    "cost_nano_usd",
    "turns",
    "tool_calls",
    "malformed_calls",
    "agent_us",
    "model_us",
    "tool_us",
    "grade",
    "passed",
    "score",
    "tools",
    "last_malformed",
    "truncated",
];

/// Columns of experiments, in the order of the check sum and of queries.
pub(super) const EXPERIMENT: &str = "id, name, created_ms, spec, imported_ms, accepted_ms";

/// Columns of checks, in the order of the check sum and of queries.
const CHECK: &str = "seq, name, passed, detail";

/// Table whose rows belong to an attempt, with its columns in the order of the check sum and of queries.
pub(super) struct Part {
    pub(super) table: &'static str,
    pub(super) columns: &'static str,
}

pub(super) const MESSAGES: Part = Part {
    table: "messages",
    columns: "seq, turn, role, content, at_ms",
};

pub(super) const TOOL_CALLS: Part = Part {
    table: "tool_calls",
    columns: "seq, turn, call_id, name, arguments, started_ms, elapsed_us, result, is_error, error",
};

pub(super) const MODEL_CALLS: Part = Part {
    table: "model_calls",
    columns: "seq, turn, purpose, try, started_ms, elapsed_us, status, error_kind, error,
        request_digest, raw, input_tokens, cached_tokens, output_tokens, reasoning_tokens,
        cost_nano_usd",
};

pub(super) const PARTS: [Part; 3] = [MESSAGES, TOOL_CALLS, MODEL_CALLS];

/// CRC-32 check sum of a row. The input is, for each column, its type, the length of a text or blob, and its bytes.
#[derive(Debug)]
struct Sum {
    hasher: Hasher,
    /// Buffer of short values: a call of the hasher for each column takes longer than the check sum itself.
    gathered: Vec<u8>,
}

impl Default for Sum {
    fn default() -> Self {
        Self {
            hasher: Hasher::new(),
            gathered: Vec::with_capacity(Self::SHORT * 8),
        }
    }
}

impl Sum {
    /// Maximum length of a text that is buffered, in bytes.
    const SHORT: usize = 128;

    /// Adds `count` columns of a row, starting at the index `first`.
    fn add(&mut self, row: &Row<'_>, first: usize, count: usize) -> rusqlite::Result<()> {
        for index in first..first + count {
            let (kind, bytes) = match row.get_ref(index)? {
                ValueRef::Null => {
                    self.gathered.push(0);
                    continue;
                }
                ValueRef::Integer(number) => {
                    self.gathered.push(1);
                    self.gathered.extend(number.to_le_bytes());
                    continue;
                }
                ValueRef::Real(number) => {
                    self.gathered.push(2);
                    self.gathered.extend(number.to_bits().to_le_bytes());
                    continue;
                }
                ValueRef::Text(text) => (3, text),
                ValueRef::Blob(bytes) => (4, bytes),
            };
            self.gathered.push(kind);
            self.gathered.extend((bytes.len() as u64).to_le_bytes());
            if bytes.len() <= Self::SHORT {
                self.gathered.extend_from_slice(bytes);
            } else {
                self.hasher.update(&self.gathered);
                self.gathered.clear();
                self.hasher.update(bytes);
            }
        }
        Ok(())
    }

    fn end(mut self) -> u32 {
        self.hasher.update(&self.gathered);
        self.hasher.finalize()
    }

    /// Compares the check sum with the stored one, if there is one.
    fn compare(self, kept: Option<i64>, what: impl FnOnce() -> String) -> Result<(), JournalError> {
        match kept {
            Some(kept) if kept != i64::from(self.end()) => Err(JournalError::Damaged(what())),
            _ => Ok(()),
        }
    }
}

/// Compares the check sum of the first `count` columns of a row with the stored one, which is the next column.
pub(super) fn compare_row(
    row: &Row<'_>,
    count: usize,
    what: impl FnOnce() -> String,
) -> Result<(), JournalError> {
    let Some(kept) = row.get::<_, Option<i64>>(count)? else {
        return Ok(());
    };
    let mut sum = Sum::default();
    sum.add(row, 0, count)?;
    sum.compare(Some(kept), what)
}

/// Check sums of an attempt's rows in one table, compared while the rows are read in order.
pub(super) struct RowSums<'a> {
    table: &'static str,
    attempt: &'a str,
    /// Stored check sums; none for a running attempt.
    kept: Option<Vec<u8>>,
    read: usize,
}

impl<'a> RowSums<'a> {
    pub(super) fn of(
        connection: &Connection,
        part: &Part,
        attempt: &'a str,
    ) -> Result<Self, JournalError> {
        let mut query = connection
            .prepare_cached("SELECT sums FROM row_sums WHERE attempt = ?1 AND of_table = ?2")?;
        let kept = query.query_row([attempt, part.table], |row| row.get(0));
        Ok(Self {
            table: part.table,
            attempt,
            kept: kept.optional()?,
            read: 0,
        })
    }

    /// Compares the check sum of the next row, which must have all columns.
    pub(super) fn compare(&mut self, row: &Row<'_>) -> Result<(), JournalError> {
        let place = self.read;
        self.read += 1;
        let Some(kept) = &self.kept else {
            return Ok(());
        };
        let kept = kept.chunks_exact(4).nth(place);
        let kept = kept.and_then(|bytes| bytes.try_into().ok().map(u32::from_le_bytes));
        let mut sum = Sum::default();
        sum.add(row, 0, row.as_ref().column_count())?;
        let seq = row.get_ref(0)?.as_i64().unwrap_or_default();
        let what = || format!("row {seq} of {} of attempt {}", self.table, self.attempt);
        match kept {
            Some(kept) => sum.compare(Some(kept.into()), what),
            None => Err(JournalError::Damaged(what())),
        }
    }

    /// Compares the number of rows that were read with the number of check sums.
    pub(super) fn end(&self) -> Result<(), JournalError> {
        let kept = self.kept.as_ref().map(|kept| kept.len() / 4);
        match kept {
            Some(kept) if kept != self.read => Err(JournalError::Damaged(format!(
                "table {} of attempt {} (expected {kept} rows, found {})",
                self.table, self.attempt, self.read
            ))),
            _ => Ok(()),
        }
    }
}

/// Updates the check sum of an experiment's row. Every function that writes such a row calls it afterwards.
pub(super) fn sum_experiment(
    transaction: &Transaction<'_>,
    experiment: &str,
) -> Result<(), JournalError> {
    let query = format!("SELECT {EXPERIMENT} FROM experiments WHERE id = ?1");
    sum_row(transaction, &query, "experiments", experiment)
}

/// Updates the check sum of an attempt's own row. Every function that writes the row of a finished or abandoned attempt
/// calls it afterwards.
pub(super) fn sum_attempt(
    transaction: &Transaction<'_>,
    attempt: &str,
) -> Result<(), JournalError> {
    let query = format!("SELECT {} FROM attempts WHERE id = ?1", ATTEMPT.join(", "));
    sum_row(transaction, &query, "attempts", attempt)
}

fn sum_row(
    transaction: &Transaction<'_>,
    query: &str,
    table: &str,
    id: &str,
) -> Result<(), JournalError> {
    let sum = transaction.prepare_cached(query)?.query_row([id], |row| {
        let mut sum = Sum::default();
        sum.add(row, 0, row.as_ref().column_count())?;
        Ok(sum.end())
    })?;
    transaction
        .prepare_cached(&format!("UPDATE {table} SET sum = ?2 WHERE id = ?1"))?
        .execute(params![id, sum])?;
    Ok(())
}

/// Updates the check sums of an attempt and all of its rows except grades, when none of them changes any more.
pub(super) fn sum_whole_attempt(
    transaction: &Transaction<'_>,
    attempt: &str,
) -> Result<(), JournalError> {
    for part in PARTS {
        let Part { table, columns } = part;
        let mut query = transaction.prepare_cached(&format!(
            "SELECT {columns} FROM {table} WHERE attempt = ?1 ORDER BY seq"
        ))?;
        let mut rows = query.query([attempt])?;
        let mut sums = Vec::new();
        while let Some(row) = rows.next()? {
            let mut sum = Sum::default();
            sum.add(row, 0, row.as_ref().column_count())?;
            sums.extend(sum.end().to_le_bytes());
        }
        transaction
            .prepare_cached(
                "INSERT OR REPLACE INTO row_sums (attempt, of_table, sums) VALUES (?1, ?2, ?3)",
            )?
            .execute(params![attempt, table, sums])?;
    }
    sum_attempt(transaction, attempt)
}

/// Columns of grades: the id and the check sum, then the others in the order of the check sum and of queries. The check
/// sum covers the last two only if they are not null, so that grades of older formats keep their sums.
pub(super) const GRADE: &str = "g.id, g.sum, g.attempt, g.at_ms, g.verifier, g.engine, g.terms,
    g.bundle, g.outcome, g.passed, g.score, g.fault_kind, g.fault_message, g.log,
    g.scoring, g.interfaces";
pub(super) const GRADE_COLUMNS: usize = 16;
/// Number of the last columns, which older formats did not have.
const GRADE_ADDED: usize = 2;
/// Number of leading columns that the check sum does not cover.
const GRADE_HEAD: usize = 2;

/// Check sum of a grade, to which its checks are added in order.
#[derive(Debug)]
pub(super) struct GradeSum {
    pub(super) id: i64,
    kept: Option<i64>,
    sum: Sum,
}

impl GradeSum {
    /// Starts with a row that has the columns [`GRADE`] from the index `first` on.
    pub(super) fn of(row: &Row<'_>, first: usize) -> rusqlite::Result<Self> {
        let mut sum = Sum::default();
        let added = first + GRADE_COLUMNS - GRADE_ADDED;
        sum.add(row, first + GRADE_HEAD, added - first - GRADE_HEAD)?;
        // Columns before the last one that is not null are covered too, so that a value has only one place.
        for count in (1..=GRADE_ADDED).rev() {
            if row.get_ref(added + count - 1)? != ValueRef::Null {
                sum.add(row, added, count)?;
                break;
            }
        }
        Ok(Self {
            id: row.get(first)?,
            kept: row.get(first + 1)?,
            sum,
        })
    }

    /// Adds a check, whose columns `seq`, `name`, `passed` and `detail` start at the index `first`.
    pub(super) fn add(&mut self, row: &Row<'_>, first: usize) -> rusqlite::Result<()> {
        self.sum.add(row, first, 4)
    }

    /// Compares the check sum after the last check.
    pub(super) fn end(self) -> Result<(), JournalError> {
        let id = self.id;
        let what = || format!("grade {id}, or one of its checks");
        self.sum.compare(self.kept, what)
    }
}

/// Computes the check sum of a grade and its checks.
fn grade_sum(connection: &Connection, grade: i64) -> Result<GradeSum, JournalError> {
    let mut query =
        connection.prepare_cached(&format!("SELECT {GRADE} FROM grades g WHERE g.id = ?1"))?;
    let mut sum = query.query_row([grade], |row| GradeSum::of(row, 0))?;
    let mut query = connection.prepare_cached(&format!(
        "SELECT {CHECK} FROM checks WHERE grade = ?1 ORDER BY seq"
    ))?;
    let mut rows = query.query([grade])?;
    while let Some(row) = rows.next()? {
        sum.add(row, 0)?;
    }
    Ok(sum)
}

/// Updates the check sum of a grade, when all of its checks have been written.
pub(super) fn sum_grade(transaction: &Transaction<'_>, grade: i64) -> Result<(), JournalError> {
    let sum = grade_sum(transaction, grade)?.sum.end();
    transaction
        .prepare_cached("UPDATE grades SET sum = ?2 WHERE id = ?1")?
        .execute(params![grade, sum])?;
    Ok(())
}

/// Updates the check sums of one experiment, or of all if `experiment` is none, with their attempts and grades. Running
/// attempts have none.
pub(super) fn sum_all(
    transaction: &Transaction<'_>,
    experiment: Option<&str>,
) -> Result<(), JournalError> {
    for id in ids::<String>(
        transaction,
        "SELECT id FROM experiments WHERE ?1 IS NULL OR id = ?1",
        experiment,
    )? {
        sum_experiment(transaction, &id)?;
    }
    for running in [
        "DELETE FROM row_sums WHERE attempt IN (SELECT id FROM attempts
         WHERE status = 'running' AND (?1 IS NULL OR experiment = ?1))",
        "UPDATE attempts SET sum = NULL WHERE status = 'running' AND (?1 IS NULL OR experiment = ?1)",
    ] {
        transaction.execute(running, [experiment])?;
    }
    for id in ids::<String>(
        transaction,
        "SELECT id FROM attempts WHERE status != 'running' AND (?1 IS NULL OR experiment = ?1)",
        experiment,
    )? {
        sum_whole_attempt(transaction, &id)?;
    }
    for id in ids::<i64>(transaction, GRADES, experiment)? {
        sum_grade(transaction, id)?;
    }
    Ok(())
}

const GRADES: &str = "SELECT g.id FROM grades g LEFT JOIN attempts a ON a.id = g.attempt
    WHERE ?1 IS NULL OR a.experiment = ?1 ORDER BY g.id";

fn ids<T: rusqlite::types::FromSql>(
    connection: &Connection,
    query: &str,
    experiment: Option<&str>,
) -> Result<Vec<T>, JournalError> {
    let mut query = connection.prepare(query)?;
    let found = query.query_map([experiment], |row| row.get(0))?;
    Ok(found.collect::<Result<_, _>>()?)
}

/// Returns a text column, which may be damaged, for an error message.
pub(super) fn shown(row: &Row<'_>, column: usize) -> String {
    match row.get_ref(column) {
        Ok(ValueRef::Text(text) | ValueRef::Blob(text)) => {
            String::from_utf8_lossy(text).into_owned()
        }
        _ => "without a name".to_owned(),
    }
}

#[cfg(test)]
mod tests;
