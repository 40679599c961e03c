//! Plans of regrades: selects attempts, separates those that cannot be graded, and recognises an interrupted regrade by
//! the digest of its plan.

use std::collections::BTreeMap;
use std::sync::Arc;

use mcpmark_journal::{AttemptRow, AttemptStatus, Journal, JournalError};
use mcpmark_sandbox::Sandbox;
use mcpmark_snapshot::Digest;
use serde_json::json;

use super::{RegradeItem, RegradeTask};

/// Attempts that are selected for a regrade, by the name of their experiment and by their id.
#[derive(Debug, Default)]
pub struct RegradeSelection(BTreeMap<String, BTreeMap<String, AttemptRow>>);

/// Errors of selecting attempts.
#[derive(Debug, thiserror::Error)]
pub enum RegradeSelectError {
    /// Neither an experiment nor an attempt has this name.
    #[error("no experiment or attempt is named {0:?}")]
    Unknown(String),
    /// The journal cannot be read, or the name is ambiguous.
    #[error(transparent)]
    Journal(#[from] JournalError),
}

impl RegradeSelection {
    /// Adds the last tries of the experiment with this name, or the attempt with this id.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no such experiment or attempt, or if the journal cannot be read.
    pub fn add(&mut self, journal: &Journal, name: &str) -> Result<(), RegradeSelectError> {
        let rows = match journal.experiment(name) {
            Ok(experiment) => journal.attempts(&experiment.name)?,
            Err(JournalError::Unknown { .. }) => {
                let attempt = journal.attempt(name).map_err(|error| match error {
                    JournalError::Unknown { .. } => RegradeSelectError::Unknown(name.to_owned()),
                    other => other.into(),
                })?;
                vec![attempt]
            }
            Err(error) => return Err(error.into()),
        };
        for row in rows {
            let attempts = self.0.entry(row.experiment.clone()).or_default();
            attempts.insert(row.id.clone(), row);
        }
        Ok(())
    }

    /// Returns the attempts of each experiment, in the order of its plan.
    pub fn into_experiments(self) -> impl Iterator<Item = (String, Vec<AttemptRow>)> {
        self.0.into_iter().map(|(name, attempts)| {
            let mut attempts: Vec<_> = attempts.into_values().collect();
            attempts.sort_by_key(|row| (row.position, row.try_number));
            (name, attempts)
        })
    }
}

/// Plan of a regrade.
#[derive(Default)]
pub struct RegradePlan {
    /// Rows of the attempts that are graded.
    pub rows: Vec<AttemptRow>,
    /// Attempts that are graded, in the order of `rows`.
    pub items: Vec<RegradeItem>,
    /// Attempts that cannot be graded.
    pub left: Vec<UngradedAttempt>,
}

/// Attempt that cannot be graded again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UngradedAttempt {
    /// Id of the attempt.
    pub attempt: String,
    /// Id of its task.
    pub task: String,
    /// Reason.
    pub reason: UngradedReason,
}

/// Reason why an attempt cannot be graded again.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UngradedReason {
    /// The journal has no digest of its starting or final state.
    #[error("it has no final state")]
    NoState,
    /// The task does not exist.
    #[error("the task no longer exists")]
    NoTask,
    /// The process of the attempt ended before the attempt did.
    #[error("it did not end")]
    NotEnded,
    /// The attempt ended with another status than `finished`.
    #[error("it is {0}")]
    Status(AttemptStatus),
}

/// Regrade that was started, or resumed after an interruption.
pub struct BegunRegrade {
    /// Id of the regrade in the journal.
    pub id: i64,
    /// Number of attempts that were graded before the interruption.
    pub done: usize,
    /// Attempts that are still to be graded.
    pub remaining: Vec<RegradeItem>,
}

impl RegradePlan {
    /// Adds an attempt of an experiment that no process is running. `task` is the current task of the attempt, if it
    /// exists.
    pub fn add(&mut self, attempt: AttemptRow, task: Option<&Arc<RegradeTask>>) {
        let states = attempt.world.zip(attempt.state);
        let reason = match (attempt.status, states, task) {
            (AttemptStatus::Finished, Some((start, state)), Some(task)) => {
                self.items.push(RegradeItem {
                    attempt: attempt.id.clone(),
                    start: start.untyped(),
                    state: state.untyped(),
                    answer: attempt.answer.clone(),
                    task: Arc::clone(task),
                });
                self.rows.push(attempt);
                return;
            }
            (AttemptStatus::Finished, None, _) => UngradedReason::NoState,
            (AttemptStatus::Finished, Some(_), None) => UngradedReason::NoTask,
            (AttemptStatus::Running, ..) => UngradedReason::NotEnded,
            (status, ..) => UngradedReason::Status(status),
        };
        self.left.push(UngradedAttempt {
            attempt: attempt.id,
            task: attempt.task,
            reason,
        });
    }

    /// Starts the regrade in the journal, or resumes an interrupted one with the same plan.
    ///
    /// # Errors
    ///
    /// Returns an error if the journal cannot be read or written.
    pub fn begin(
        &self,
        journal: &Journal,
        sandbox: &Sandbox,
    ) -> Result<BegunRegrade, JournalError> {
        let begun = journal.begin_regrade(&self.digest(&sandbox.profile()))?;
        let items = self.items.iter();
        let remaining = items.filter(|item| !begun.done.contains(&item.attempt));
        Ok(BegunRegrade {
            id: begun.id,
            remaining: remaining.cloned().collect(),
            done: begun.done.len(),
        })
    }

    /// Returns the digest of the attempts and the terms of their grades, by which an interrupted regrade is recognised.
    fn digest(&self, engine: &str) -> String {
        let mut attempts: Vec<_> = self
            .items
            .iter()
            .map(|item| json!([item.attempt, item.task.terms, item.task.task_digest]))
            .collect();
        attempts.sort_by_key(ToString::to_string);
        // Part of the digest, so that a regrade that was started under another rule for faults is not continued.
        let document = json!({"attempts": attempts, "engine": engine, "faults": "by-baseline"});
        Digest::of(mcpmark_json::canonical(&document).as_bytes()).to_string()
    }
}

#[cfg(test)]
mod tests {
    use mcpmark_sandbox::Limits;
    use mcpmark_task::{JudgedOn, ScoreSettings};

    use super::*;
    use crate::{ComponentTerms, Judge, VerifierTerms};

    fn task() -> Arc<RegradeTask> {
        let digest = Digest::of(b"verifier");
        let verifier = VerifierTerms::Component(ComponentTerms { digest });
        Arc::new(RegradeTask {
            start: Digest::of(b"start"),
            judge: Judge::HeldBack(Box::new(verifier)),
            task_digest: Digest::of(b"task"),
            judged_on: JudgedOn {
                state: true,
                answer: false,
            },
            parameters: "{}".to_owned(),
            terms: Digest::of(b"terms"),
            score: ScoreSettings::default(),
            verifier_limits: Limits::VERIFIER,
        })
    }

    fn attempt(id: &str, status: AttemptStatus, state: Option<Digest>) -> AttemptRow {
        AttemptRow {
            id: id.to_owned(),
            experiment: "e".to_owned(),
            task: "filesystem/w/t".to_owned(),
            world: Some(Digest::of(b"start").into()),
            status,
            state: state.map(Into::into),
            ..AttemptRow::default()
        }
    }

    #[test]
    fn attempts_that_cannot_be_graded_have_a_reason() {
        let state = Some(Digest::of(b"state"));
        let task = task();
        let mut plan = RegradePlan::default();
        plan.add(attempt("a", AttemptStatus::Finished, state), Some(&task));
        plan.add(attempt("b", AttemptStatus::Finished, None), Some(&task));
        plan.add(attempt("c", AttemptStatus::Finished, None), None);
        plan.add(attempt("d", AttemptStatus::Finished, state), None);
        plan.add(attempt("e", AttemptStatus::Running, state), Some(&task));
        plan.add(attempt("f", AttemptStatus::Abandoned, None), None);
        assert_eq!(plan.rows.len(), 1);
        assert_eq!(plan.items.len(), 1);
        assert_eq!(plan.items[0].attempt, "a");
        let left = plan.left.iter();
        let left: Vec<_> = left
            .map(|it| format!("{}: {}", it.attempt, it.reason))
            .collect();
        assert_eq!(
            left,
            [
                "b: it has no final state",
                "c: it has no final state",
                "d: the task no longer exists",
                "e: it did not end",
                "f: it is abandoned",
            ]
        );
    }

    #[test]
    fn the_digest_of_a_plan_does_not_depend_on_the_order_of_attempts() {
        let state = Some(Digest::of(b"state"));
        let task = task();
        let digest = |ids: &[&str], engine: &str| {
            let mut plan = RegradePlan::default();
            for id in ids {
                plan.add(attempt(id, AttemptStatus::Finished, state), Some(&task));
            }
            plan.digest(engine)
        };
        let plan = digest(&["a", "b"], "engine");
        assert_eq!(digest(&["b", "a"], "engine"), plan);
        assert_ne!(digest(&["a"], "engine"), plan);
        assert_ne!(digest(&["a", "b"], "other"), plan);
    }
}
