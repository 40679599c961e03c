//! Compaction of a journal: compression of old rows, removal of unused strings, and reduction of the file size.

use rusqlite::{Connection, params};

use super::super::durable::write;
use super::super::sums::{PARTS, Part, RowSums, sum_whole_attempt};
use super::super::{Journal, JournalError};
use super::{COLUMNS, pack, references};

/// Divisor of the minimum free space: the file is rewritten if at least 1/8 of its pages is free. Less is soon used
/// again.
const FREE_SHARE: u64 = 8;

/// The outcome of compressing a journal.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Compacted {
    /// Number of attempts of an older version whose long strings were compressed.
    pub attempts: usize,
    /// Number of removed strings that no attempt refers to.
    pub texts: usize,
    /// Reduction of the file size, in bytes.
    pub freed_bytes: u64,
}

impl Journal {
    /// Compresses the rows that older versions wrote, removes stored strings that are no longer referenced, and reduces
    /// the file size if much of it is free. Other processes may use the journal meanwhile; the file keeps its size if
    /// one of them is reading or writing at its end.
    ///
    /// # Errors
    ///
    /// Returns an error if the journal cannot be read or written.
    pub fn compact(&self) -> Result<Compacted, JournalError> {
        let mut connection = self.lock();
        let mut compacted = Compacted::default();
        for attempt in unpacked(&connection)? {
            let is_packed = write(&mut connection, |transaction| {
                pack_attempt(transaction, &attempt)?
                    .then(|| sum_whole_attempt(transaction, &attempt))
                    .transpose()
            });
            match is_packed {
                Ok(packed) => compacted.attempts += usize::from(packed.is_some()),
                // The attempt stays as it is, and `store check` reports it.
                Err(JournalError::Damaged(_)) => {}
                Err(error) => return Err(error),
            }
        }
        compacted.texts = write(&mut connection, |transaction| {
            transaction.execute_batch(
                "CREATE TEMP TABLE referenced (digest BLOB PRIMARY KEY) WITHOUT ROWID",
            )?;
            let mut insert =
                transaction.prepare("INSERT INTO referenced (digest) VALUES (unhex(?1))")?;
            for digest in references(transaction)? {
                insert.execute([digest])?;
            }
            let removed = transaction.execute(
                "DELETE FROM texts WHERE digest NOT IN (SELECT digest FROM referenced)",
                [],
            )?;
            drop(insert);
            transaction.execute_batch("DROP TABLE referenced")?;
            Ok(removed)
        })?;
        compacted.freed_bytes = shrink(&connection)?;
        Ok(compacted)
    }
}

/// Returns the finished and abandoned attempts with a row that was not packed when it was written.
fn unpacked(connection: &Connection) -> Result<Vec<String>, JournalError> {
    let long = super::LONG;
    let parts = COLUMNS.map(|(table, column)| {
        format!(
            "SELECT attempt FROM {table} WHERE length({column}) >= {long}
               AND instr({column}, '{}') = 0",
            super::json::KEY
        )
    });
    let mut query = connection.prepare(&format!(
        "SELECT id FROM attempts WHERE status != 'running' AND id IN ({})",
        parts.join(" UNION ALL ")
    ))?;
    let attempts = query.query_map([], |row| row.get(0))?;
    Ok(attempts.collect::<Result<_, _>>()?)
}

/// Packs the rows of an attempt, and returns true if any of them changed.
fn pack_attempt(connection: &Connection, attempt: &str) -> Result<bool, JournalError> {
    let mut changed = false;
    for part in PARTS {
        let columns: Vec<&str> = COLUMNS
            .iter()
            .filter(|(table, _)| *table == part.table)
            .map(|(_, column)| *column)
            .collect();
        for (seq, texts) in rows(connection, &part, attempt, &columns)? {
            for (column, text) in columns.iter().zip(texts) {
                let Some(text) = text.filter(|text| !text.contains(super::json::KEY)) else {
                    continue;
                };
                let packed = pack(connection, text.clone())?;
                if packed != text {
                    changed = true;
                    connection
                        .prepare_cached(&format!(
                            "UPDATE {} SET {column} = ?3 WHERE attempt = ?1 AND seq = ?2",
                            part.table
                        ))?
                        .execute(params![attempt, seq, packed])?;
                }
            }
        }
    }
    Ok(changed)
}

/// Returns the numbers of an attempt's rows with the given columns, after comparing their check sums.
#[expect(clippy::type_complexity, reason = "it is used once")]
fn rows(
    connection: &Connection,
    part: &Part,
    attempt: &str,
    columns: &[&str],
) -> Result<Vec<(i64, Vec<Option<String>>)>, JournalError> {
    let mut sums = RowSums::of(connection, part, attempt)?;
    let mut query = connection.prepare_cached(&format!(
        "SELECT {} FROM {} WHERE attempt = ?1 ORDER BY seq",
        part.columns, part.table
    ))?;
    let places: Result<Vec<usize>, _> = columns
        .iter()
        .map(|column| query.column_index(column))
        .collect();
    let places = places?;
    let mut found = Vec::new();
    let mut rows = query.query([attempt])?;
    while let Some(row) = rows.next()? {
        sums.compare(row)?;
        let texts: Result<_, _> = places.iter().map(|place| row.get(*place)).collect();
        found.push((row.get(0)?, texts?));
    }
    sums.end()?;
    Ok(found)
}

/// Rewrites the file if much of it is free, and returns the reduction of its size in bytes.
fn shrink(connection: &Connection) -> Result<u64, JournalError> {
    let pragma = |name: &str| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    let (pages, free) = (pragma("page_count")?, pragma("freelist_count")?);
    if free.unsigned_abs() < pages.unsigned_abs() / FREE_SHARE || free == 0 {
        return Ok(0);
    }
    match connection.execute_batch("VACUUM; PRAGMA wal_checkpoint(TRUNCATE);") {
        Ok(()) => {}
        Err(error) if error.sqlite_error_code() == Some(rusqlite::ErrorCode::DatabaseBusy) => {
            return Ok(0);
        }
        Err(error) => return Err(error.into()),
    }
    let saved = pages.saturating_sub(pragma("page_count")?).max(0);
    Ok(saved.unsigned_abs() * pragma("page_size")?.unsigned_abs())
}
