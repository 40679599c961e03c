//! Regrades: new grades of stored final states. Older grades are kept; the last grade of an attempt counts.

use std::collections::HashSet;

use rusqlite::{OptionalExtension, params};

use super::durable::write_durable;
use super::grades::StoredGrade;
use super::rows::GradeRow;
use super::schema::SUMMARISE_GRADE;
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
                    .prepare_cached(SUMMARISE_GRADE)?
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
        let mut rows = query.query([attempt])?;
        let mut grades = Vec::new();
        while let Some(row) = rows.next()? {
            grades.push(StoredGrade::of(row, 0)?.with_checks(&connection)?);
        }
        Ok(grades)
    }

    /// Returns the grades of an attempt before and after a regrade: the last grade of others that is older than that of
    /// the regrade, and the last grade of the regrade. Without the latter, the former is the last grade of all.
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
            let mut rows = query.query(params![attempt, regrade])?;
            let found = rows.next()?.map(|row| StoredGrade::of(row, 0));
            let found = found.transpose()?;
            found
                .map(|found| found.with_checks(&connection))
                .transpose()
        };
        // While a regrade is interrupted, another one may grade the attempt.
        let before = "regrade IS NOT ?2 AND id < coalesce(
            (SELECT max(id) FROM grades WHERE attempt = ?1 AND regrade IS ?2), 9223372036854775807)";
        Ok((find(before)?, find("regrade IS ?2")?))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use mcpmark_snapshot::Digest;
    use mcpmark_verdict::{Fault, FaultKind};

    use super::*;
    use crate::{AttemptKey, Outcome};

    #[test]
    fn later_grades_of_another_regrade_are_not_those_before_a_regrade() {
        let dir = tempfile::tempdir().unwrap();
        let journal = Arc::new(Journal::open(&dir.path().join("journal.db")).unwrap());
        let experiment = journal.create_experiment("e", "{}").unwrap();
        let key = AttemptKey {
            task: "t".into(),
            agent: "nop".into(),
            agent_settings: "{}".into(),
            model: None,
            model_settings: "{}".into(),
            k: 1,
        };
        let recorder = journal.start_attempt(&experiment, 0, &key, None, None);
        let attempt = recorder.unwrap().id().to_owned();
        let outcome = Outcome::VerifierFault(Fault {
            kind: FaultKind::Output,
            message: String::new(),
        });
        let digest = Digest::of(b"");
        let grade = |engine: &'static str| GradeRecord {
            verifier: digest,
            engine,
            terms: digest,
            task_digest: digest,
            outcome: &outcome,
            interfaces: crate::InterfaceVersions::default(),
            log: "",
        };
        let finished = journal.finish_attempt(&attempt, &outcome, Some(&grade("first")));
        finished.unwrap();
        let [a, b] = ["a", "b"].map(|plan| journal.begin_regrade(plan).unwrap().id);
        let regrade = |regrade: i64, engine: &'static str| {
            let grades = [(attempt.as_str(), grade(engine))];
            journal.regrade(regrade, &grades).unwrap();
        };
        let engines = |regrade: i64| {
            let (before, after) = journal.regraded(&attempt, regrade).unwrap();
            [before, after].map(|grade| grade.unwrap().engine)
        };
        regrade(a, "of a");
        regrade(b, "of b");
        assert_eq!(engines(a), ["first", "of a"]);
        assert_eq!(engines(b), ["of a", "of b"]);
        regrade(a, "of a, again");
        assert_eq!(engines(a), ["of b", "of a, again"]);
    }
}
