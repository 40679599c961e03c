//! Regrades: new grades of stored final states. Older grades are kept; the last grade of an attempt counts.

use std::collections::HashSet;

use rusqlite::{OptionalExtension, params};

use super::durable::write_durable;
use super::read::{GradeRow, grade_at, whole};
use super::sums::{GRADE, sum_attempt};
use super::write::insert_grade;
use super::{GradeRecord, Journal, JournalError, now_ms};

/// Regrade that has begun.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegradeRow {
    /// Id of the regrade.
    pub id: i64,
    /// Ids of the attempts that it has already graded.
    pub done: HashSet<String>,
}

impl Journal {
    /// Starts a regrade, or resumes an interrupted regrade with the same plan.
    ///
    /// # Errors
    ///
    /// Returns an error if the journal cannot be read or written.
    pub fn begin_regrade(&self, plan: &str) -> Result<RegradeRow, JournalError> {
        write_durable(&mut self.lock(), |transaction| {
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
            // If an attempt was graded in between, another grade counts now, and the attempt is graded again.
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

    /// Adds grades of a regrade in one transaction. Each becomes the last grade of its attempt.
    ///
    /// # Errors
    ///
    /// Returns an error if the rows cannot be written.
    pub fn regrade(
        &self,
        regrade: i64,
        grades: &[(&str, GradeRecord<'_>)],
    ) -> Result<(), JournalError> {
        write_durable(&mut self.lock(), |transaction| {
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

    /// Marks a regrade as ended.
    ///
    /// # Errors
    ///
    /// Returns an error if the row cannot be written.
    pub fn end_regrade(&self, regrade: i64) -> Result<(), JournalError> {
        write_durable(&mut self.lock(), |transaction| {
            transaction.execute(
                "UPDATE regrades SET ended_ms = ?2 WHERE id = ?1",
                params![regrade, now_ms()],
            )?;
            Ok(())
        })
    }

    /// Returns all grades of an attempt, the oldest first.
    ///
    /// # Errors
    ///
    /// Returns an error if the journal cannot be read.
    pub fn grades(&self, attempt: &str) -> Result<Vec<GradeRow>, JournalError> {
        let connection = self.lock();
        let mut query = connection.prepare_cached(&format!(
            "SELECT {GRADE} FROM grades g WHERE attempt = ?1 ORDER BY id"
        ))?;
        let found = query.query_map([attempt], |row| grade_at(row, 0))?;
        found.map(|found| whole(&connection, found?)).collect()
    }

    /// Returns the last grade of an attempt that is not from the given regrade, and the last one that is.
    ///
    /// # Errors
    ///
    /// Returns an error if the journal cannot be read.
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
