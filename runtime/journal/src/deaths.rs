//! Retries of attempts whose process died: it was killed, ran out of memory, or its machine was switched off.
//!
//! A single death has little significance, because several attempts may have been running, and anything may have killed
//! the process. After the first death, an attempt is retried like any other; after the second, it is retried alone. If
//! its process dies a third time, nothing else was running: the attempt is recorded with the outcome `infra-error` and
//! not retried, so that resuming the experiment terminates.

use std::collections::HashMap;

use mcpmark_task::TaskDigest;
use rusqlite::{OptionalExtension, Transaction, params};
use serde_json::json;

use super::columns::Columns;
use super::durable::write_durable;
use super::sums::sum_whole_attempt;
use super::{Journal, JournalError, now_ms};

/// Number of deaths of its process after which an attempt runs alone.
pub const DEATHS_BEFORE_ALONE: u32 = 2;

/// Number of deaths of its process after which an attempt is not retried.
const MAX_DEATHS: u32 = 3;

/// Note in the trajectory of an attempt that is graded again after its process died.
const GRADED_AGAIN: &str =
    "the process ended before the final state was graded; it is graded again";

/// Numbers of attempts that a stopped process left running.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Interrupted {
    /// Number of attempts that will be retried.
    pub again: usize,
    /// Number of attempts whose process died too often.
    pub died: usize,
}

/// Number of deaths of the processes of attempts, by position in the plan and task digest.
pub type Deaths = HashMap<(usize, Option<TaskDigest>), u32>;

impl Journal {
    /// Marks the attempts that a stopped process left running as abandoned.
    ///
    /// # Errors
    ///
    /// Returns an error if the rows cannot be written.
    pub fn abandon_running(&self, experiment: &str) -> Result<Interrupted, JournalError> {
        write_durable(&mut self.lock(), |transaction| {
            let mut query = transaction.prepare(
                "SELECT a.id, (SELECT count(*) FROM attempts b
                    WHERE b.experiment = a.experiment AND b.position = a.position
                      AND b.bundle IS a.bundle AND b.status = 'abandoned')
                 FROM attempts a WHERE a.experiment = ?1 AND a.status = 'running'",
            )?;
            let rows = query.query_map([experiment], |row| Ok((row.get(0)?, row.get(1)?)))?;
            let rows: Vec<(String, u32)> = rows.collect::<Result<_, _>>()?;
            let mut interrupted = Interrupted::default();
            for (attempt, before) in rows {
                let deaths = before.saturating_add(1);
                if deaths >= MAX_DEATHS {
                    died(transaction, &attempt, deaths, "while it ran")?;
                    interrupted.died += 1;
                } else {
                    transaction.execute(
                        "UPDATE attempts SET status = 'abandoned', outcome = 'cancelled',
                            ended_ms = ?2 WHERE id = ?1",
                        params![attempt, now_ms()],
                    )?;
                    sum_whole_attempt(transaction, &attempt)?;
                    interrupted.again += 1;
                }
            }
            Ok(interrupted)
        })
    }

    /// Marks running attempts without a stored final state as cancelled. It is for a user who exits the process without
    /// waiting for them.
    ///
    /// # Errors
    ///
    /// Returns an error if the rows cannot be written.
    pub fn cancel_running(&self, experiment: &str) -> Result<(), JournalError> {
        write_durable(&mut self.lock(), |transaction| {
            let cancelled: Vec<String> = transaction
                .prepare(
                    "UPDATE attempts SET status = 'finished', outcome = 'cancelled', ended_ms = ?2
                     WHERE experiment = ?1 AND status = 'running' AND state IS NULL RETURNING id",
                )?
                .query_map(params![experiment, now_ms()], |row| row.get(0))?
                .collect::<Result<_, _>>()?;
            for attempt in &cancelled {
                sum_whole_attempt(transaction, attempt)?;
            }
            Ok(())
        })
    }

    /// Returns the number of deaths of the processes of an experiment's attempts, by the id of the experiment.
    ///
    /// # Errors
    ///
    /// Returns an error if the journal cannot be read.
    pub fn deaths(&self, experiment: &str) -> Result<Deaths, JournalError> {
        let connection = self.lock();
        let mut query = connection.prepare(
            "SELECT position, bundle, count(*) FROM attempts
             WHERE experiment = ?1 AND status = 'abandoned' GROUP BY position, bundle",
        )?;
        let mut rows = query.query([experiment])?;
        let mut deaths = Deaths::new();
        while let Some(row) = rows.next()? {
            let mut columns = Columns::of(row);
            let position: i64 = columns.next()?;
            let place = || format!("an attempt at position {position}");
            let task = columns.optional_digest(place, "bundle")?;
            let position = usize::try_from(position).unwrap_or(usize::MAX);
            deaths.insert((position, task), columns.next()?);
        }
        Ok(deaths)
    }

    /// Adds a note that an attempt whose process died before its grade is graded again. Returns false if this has
    /// happened too often; the attempt is then abandoned with the outcome `infra-error`.
    ///
    /// # Errors
    ///
    /// Returns an error if the rows cannot be written.
    pub fn grade_after_death(&self, attempt: &str) -> Result<bool, JournalError> {
        let content = json!({ "text": GRADED_AGAIN }).to_string();
        write_durable(&mut self.lock(), |transaction| {
            let deaths: u32 = transaction.query_row(
                "SELECT count(*) + 1 FROM messages
                 WHERE attempt = ?1 AND role = 'note' AND content = ?2",
                params![attempt, content],
                |row| row.get(0),
            )?;
            if deaths >= MAX_DEATHS {
                died(transaction, attempt, deaths, "while its state was graded")?;
                return Ok(false);
            }
            let last: Option<(u32, u32)> = transaction
                .query_row(
                    "SELECT seq, turn FROM messages WHERE attempt = ?1 ORDER BY seq DESC LIMIT 1",
                    [attempt],
                    |row| Ok((row.get(0)?, row.get(1)?)),
                )
                .optional()?;
            let (seq, turn) = last.unwrap_or_default();
            transaction.execute(
                "INSERT INTO messages (attempt, seq, turn, role, content, at_ms)
                 VALUES (?1, ?2, ?3, 'note', ?4, ?5)",
                params![attempt, seq.saturating_add(1), turn, content, now_ms()],
            )?;
            Ok(true)
        })
    }
}

/// Records an attempt whose process died too often.
fn died(
    transaction: &Transaction<'_>,
    attempt: &str,
    deaths: u32,
    when: &str,
) -> Result<(), JournalError> {
    let error = format!("its process died {deaths} times {when}");
    transaction.execute(
        "UPDATE attempts SET status = 'abandoned', outcome = 'infra-error', error = ?2,
            ended_ms = ?3 WHERE id = ?1",
        params![attempt, error, now_ms()],
    )?;
    sum_whole_attempt(transaction, attempt)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use mcpmark_agent::{Event, Recorder};
    use mcpmark_snapshot::Digest;

    use super::*;
    use crate::{AttemptKey, AttemptStatus, MessageRole, OutcomeKind};

    fn begin(journal: &Arc<Journal>, experiment: &str, position: usize, task: &Digest) -> String {
        let key = AttemptKey {
            task: format!("s/w/{position}").into(),
            agent: "nop".into(),
            agent_settings: "{}".into(),
            model: None,
            model_settings: "{}".into(),
            k: 1,
        };
        let recorder = journal.start_attempt(experiment, position, &key, Some(task), None);
        let mut recorder = recorder.unwrap();
        recorder.record(Event::Instruction("do")).unwrap();
        recorder.id().to_owned()
    }

    #[test]
    fn an_attempt_whose_process_died_three_times_is_recorded() {
        let dir = tempfile::tempdir().unwrap();
        let journal = Arc::new(Journal::open(&dir.path().join("journal.db")).unwrap());
        let id = journal.create_experiment("deaths", "{}").unwrap();
        let (task, changed) = (Digest::of(b"task"), Digest::of(b"changed"));
        for time in 1..=3 {
            begin(&journal, &id, 0, &task);
            // Another attempt runs during the first two deaths.
            if time < 3 {
                begin(&journal, &id, 1, &task);
            }
            let interrupted = journal.abandon_running(&id).unwrap();
            let (again, died) = [(2, 0), (2, 0), (0, 1)][time - 1];
            assert_eq!(interrupted, Interrupted { again, died });
            let deaths = journal.deaths(&id).unwrap();
            assert_eq!(deaths[&(0, Some(task.into()))], time as u32);
        }
        let rows = journal.attempts("deaths").unwrap();
        assert!(rows[0].died() && !rows[1].died());
        assert_eq!(rows[0].outcome, Some(OutcomeKind::InfraError));
        let error = rows[0].error.as_deref();
        assert_eq!(error, Some("its process died 3 times while it ran"));
        // A task that has changed in between is a different one.
        begin(&journal, &id, 0, &changed);
        assert_eq!(journal.abandon_running(&id).unwrap().again, 1);
        // A cancelled attempt does not count as a death.
        begin(&journal, &id, 2, &task);
        journal.cancel_running(&id).unwrap();
        assert_eq!(
            journal.abandon_running(&id).unwrap(),
            Interrupted::default()
        );
        let deaths = journal.deaths(&id).unwrap();
        assert!(!deaths.contains_key(&(2, Some(task.into()))));
    }

    #[test]
    fn a_state_whose_grades_kill_the_process_is_not_graded_for_ever() {
        let dir = tempfile::tempdir().unwrap();
        let journal = Arc::new(Journal::open(&dir.path().join("journal.db")).unwrap());
        let id = journal.create_experiment("deaths", "{}").unwrap();
        let attempt = begin(&journal, &id, 0, &Digest::of(b"task"));
        journal.keep_state(&attempt, &Digest::of(b"state")).unwrap();
        journal.cancel_running(&id).unwrap();
        assert!(journal.grade_after_death(&attempt).unwrap());
        assert!(journal.grade_after_death(&attempt).unwrap());
        assert_eq!(
            journal.attempts("deaths").unwrap()[0].status,
            AttemptStatus::Running
        );
        assert!(!journal.grade_after_death(&attempt).unwrap());
        let row = journal.attempts("deaths").unwrap().remove(0);
        assert!(row.died());
        let error = row.error.as_deref();
        assert_eq!(
            error,
            Some("its process died 3 times while its state was graded")
        );
        let notes = journal.trajectory(&attempt).unwrap().messages;
        assert_eq!(
            notes
                .iter()
                .filter(|row| row.role == MessageRole::Note)
                .count(),
            2
        );
    }
}
