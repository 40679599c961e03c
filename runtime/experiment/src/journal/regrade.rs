//! Grades that are made again. The old ones stay; the last one of an attempt is the one that counts.

use std::collections::HashSet;

use rusqlite::{OptionalExtension, params};

use super::durable::surely;
use super::read::{GradeRow, grade_at, whole};
use super::sums::{GRADE, sum_attempt};
use super::write::insert_grade;
use super::{GradeRecord, Journal, JournalError, now_ms};

/// A regrade that has begun.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegradeRow {
    /// Its number.
    pub id: i64,
    /// The attempts that it has graded already.
    pub done: HashSet<String>,
}

impl Journal {
    /// Begins a regrade, or goes on with the one of the same plan that was stopped.
    ///
    /// # Errors
    ///
    /// When the journal cannot be read or written.
    pub fn begin_regrade(&self, plan: &str) -> Result<RegradeRow, JournalError> {
        surely(&mut self.lock(), |transaction| {
            let stopped: Option<i64> = transaction
                .query_row(
                    "SELECT max(id) FROM regrades WHERE plan = ?1 AND ended_ms IS NULL",
                    [plan],
                    |row| row.get(0),
                )
                .optional()?
                .flatten();
            let Some(id) = stopped else {
                transaction.execute(
                    "INSERT INTO regrades (plan, begun_ms) VALUES (?1, ?2)",
                    params![plan, now_ms()],
                )?;
                let id = transaction.last_insert_rowid();
                let done = HashSet::new();
                return Ok(RegradeRow { id, done });
            };
            // What somebody graded in between has another grade that counts, and is graded again.
            let mut query = transaction.prepare(
                "SELECT g.attempt FROM grades g JOIN attempts a ON a.grade = g.id
                 WHERE g.regrade = ?1 ORDER BY g.attempt",
            )?;
            let done = query
                .query_map([id], |row| row.get(0))?
                .collect::<Result<_, _>>()?;
            Ok(RegradeRow { id, done })
        })
    }

    /// Keeps grades of a regrade, all or none of them; each is its attempt's last from here on.
    ///
    /// # Errors
    ///
    /// When the rows cannot be written.
    pub fn regrade(
        &self,
        regrade: i64,
        grades: &[(&str, GradeRecord<'_>)],
    ) -> Result<(), JournalError> {
        surely(&mut self.lock(), |transaction| {
            for (attempt, grade) in grades {
                insert_grade(transaction, attempt, grade, Some(regrade))?;
                transaction
                    .prepare_cached("UPDATE attempts SET outcome = ?2, error = NULL WHERE id = ?1")?
                    .execute(params![attempt, grade.outcome.as_str()])?;
                transaction
                    .prepare_cached(super::SUMMARISE)?
                    .execute([attempt])?;
                sum_attempt(transaction, attempt)?;
            }
            Ok(())
        })
    }

    /// Says that a regrade has come to its end.
    ///
    /// # Errors
    ///
    /// When the row cannot be written.
    pub fn end_regrade(&self, regrade: i64) -> Result<(), JournalError> {
        surely(&mut self.lock(), |transaction| {
            transaction.execute(
                "UPDATE regrades SET ended_ms = ?2 WHERE id = ?1",
                params![regrade, now_ms()],
            )?;
            Ok(())
        })
    }

    /// All grades of an attempt, the first one first.
    ///
    /// # Errors
    ///
    /// When the journal cannot be read.
    pub fn grades(&self, attempt: &str) -> Result<Vec<GradeRow>, JournalError> {
        let connection = self.lock();
        let mut query = connection.prepare_cached(&format!(
            "SELECT {GRADE} FROM grades g WHERE attempt = ?1 ORDER BY id"
        ))?;
        let found = query.query_map([attempt], |row| grade_at(row, 0))?;
        found.map(|found| whole(&connection, found?)).collect()
    }

    /// The last grade that an attempt had before a regrade, and the one that it got from it.
    ///
    /// # Errors
    ///
    /// When the journal cannot be read.
    pub fn regraded(
        &self,
        attempt: &str,
        regrade: i64,
    ) -> Result<(Option<GradeRow>, Option<GradeRow>), JournalError> {
        let connection = self.lock();
        let find = |condition: &str| -> Result<Option<GradeRow>, JournalError> {
            let mut query = connection.prepare_cached(&format!(
                "SELECT {GRADE} FROM grades g
                 WHERE attempt = ?1 AND {condition} ORDER BY id DESC LIMIT 1"
            ))?;
            let found = query
                .query_row(params![attempt, regrade], |row| grade_at(row, 0))
                .optional()?;
            found.map(|found| whole(&connection, found)).transpose()
        };
        Ok((find("regrade IS NOT ?2")?, find("regrade IS ?2")?))
    }
}
