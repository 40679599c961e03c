//! Regrades: new grades of stored final states, without agents and services.

mod comparison;
mod plan;

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use mcpmark_journal::{GradeRecord, Journal, JournalError, Outcome};
use mcpmark_sandbox::{InterfaceVersions, Limits, Sandbox, VerifyInput};
use mcpmark_snapshot::{Digest, Snapshot, Store};
use mcpmark_task::{JudgedOn, ScoreSettings};
use tokio_util::sync::CancellationToken;

pub use self::comparison::{ChangedCheck, ChangedServer, GradeComparison};
pub use self::plan::{
    BegunRegrade, RegradePlan, RegradeSelectError, RegradeSelection, UngradedAttempt,
    UngradedReason,
};
use crate::grade::load;
use crate::{Baselines, Judge, grade_loaded};

/// Maximum number of grades that are written in one transaction.
const TOGETHER: usize = 256;
/// Maximum delay of a grade before it is written.
const WAIT: Duration = Duration::from_millis(200);

/// Grader of stored final states.
pub struct Regrader<'a> {
    /// Journal for the new grades.
    pub journal: &'a Journal,
    /// Store of the states.
    pub store: &'a Store,
    /// Sandbox of the verifiers.
    pub sandbox: &'a Sandbox,
    /// Maximum number of concurrent grades.
    pub jobs: usize,
}

/// Attempt that is graded again.
#[derive(Clone)]
pub struct RegradeItem {
    /// Id of the attempt.
    pub attempt: String,
    /// Digest of the starting state.
    pub start: Digest,
    /// Digest of the final state.
    pub state: Digest,
    /// Last message of the agent.
    pub answer: Option<String>,
    /// Task whose verifier grades the state.
    pub task: Arc<RegradeTask>,
}

/// Task of regrades: its verifier with all inputs of a grade apart from the final state and the answer.
#[derive(Clone)]
pub struct RegradeTask {
    /// Digest of the task's starting state. An attempt may have started from another one.
    pub start: Digest,
    /// Verifier of the final states.
    pub judge: Judge,
    /// Task digest.
    pub task_digest: Digest,
    /// Inputs of the verifier: the state, the answer or both.
    pub judged_on: JudgedOn,
    /// Parameters of the task, as canonical JSON.
    pub parameters: String,
    /// Digest of the terms of the grades, a document in the store.
    pub terms: Digest,
    /// Weights and gates of the checks.
    pub score: ScoreSettings,
    /// Limits of the verifier.
    pub verifier_limits: Limits,
}

/// Result of a regrade.
#[derive(Debug)]
pub struct Regraded {
    /// Id of the attempt.
    pub attempt: String,
    /// New outcome. It was written only if it is a grade ([`Outcome::is_grade`]).
    pub outcome: Outcome,
}

struct Done {
    number: usize,
    grade: NewGrade,
}

/// Outcome of a regrade with the details that the journal stores.
struct NewGrade {
    outcome: Outcome,
    interfaces: InterfaceVersions,
    log: String,
}

impl Regrader<'_> {
    /// Grades all attempts again and writes each grade to the journal. `heard` is called for each attempt after its
    /// grade is written. After `cancel`, grades that have begun are still finished.
    ///
    /// # Errors
    ///
    /// Returns an error if the journal cannot be written. Grades that were written before are kept.
    pub fn run(
        &self,
        regrade: i64,
        work: &[RegradeItem],
        cancel: &CancellationToken,
        mut heard: impl FnMut(Regraded),
    ) -> Result<(), JournalError> {
        let next = AtomicUsize::new(0);
        let starts = Starts::default();
        let baselines = Baselines::default();
        let jobs = self.jobs.clamp(1, work.len().max(1));
        // The channel is bounded to limit memory.
        let (done, results) = sync_channel(TOGETHER);
        thread::scope(|scope| {
            for _ in 0..jobs {
                let (done, next, starts, baselines) = (done.clone(), &next, &starts, &baselines);
                scope.spawn(move || {
                    loop {
                        let number = next.fetch_add(1, Ordering::Relaxed);
                        let Some(one) = work.get(number).filter(|_| !cancel.is_cancelled()) else {
                            break;
                        };
                        let grade = self.grade(one, starts, baselines);
                        // The receiver is gone after an error of the journal.
                        let told = done.send(Done { number, grade });
                        if told.is_err() {
                            break;
                        }
                    }
                });
            }
            drop(done);
            self.write(regrade, work, results, &mut heard)
        })
    }

    /// Receives results and writes them in batches.
    fn write(
        &self,
        regrade: i64,
        work: &[RegradeItem],
        results: Receiver<Done>,
        heard: &mut dyn FnMut(Regraded),
    ) -> Result<(), JournalError> {
        while let Ok(first) = results.recv() {
            let until = Instant::now() + WAIT;
            let mut some = vec![first];
            while some.len() < TOGETHER {
                match results.recv_timeout(until.saturating_duration_since(Instant::now())) {
                    Ok(done) => some.push(done),
                    Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => break,
                }
            }
            let engines: Vec<String> = some
                .iter()
                .map(|done| work[done.number].task.judge.engine(self.sandbox))
                .collect();
            let records: Vec<_> = some
                .iter()
                .zip(&engines)
                .filter(|(done, _)| done.grade.outcome.is_grade())
                .map(|(done, engine)| {
                    let RegradeItem { attempt, task, .. } = &work[done.number];
                    let record = GradeRecord {
                        verifier: task.judge.digest(),
                        engine,
                        terms: task.terms,
                        task_digest: task.task_digest,
                        outcome: &done.grade.outcome,
                        interfaces: done.grade.interfaces.clone(),
                        log: &done.grade.log,
                    };
                    (attempt.as_str(), record)
                })
                .collect();
            self.journal.regrade(regrade, &records)?;
            for done in some {
                heard(Regraded {
                    attempt: work[done.number].attempt.clone(),
                    outcome: done.grade.outcome,
                });
            }
        }
        Ok(())
    }

    fn grade(&self, work: &RegradeItem, starts: &Starts, baselines: &Baselines) -> NewGrade {
        let states = starts
            .get(self.store, work.start)
            .and_then(|start| Ok((start, load(self.store, "final", work.state)?)));
        let (start, end) = match states {
            Ok(states) => states,
            Err(message) => {
                return NewGrade {
                    outcome: Outcome::InfraError(message),
                    interfaces: InterfaceVersions::default(),
                    log: String::new(),
                };
            }
        };
        let task = &work.task;
        let input = VerifyInput {
            answer: work.answer.clone().filter(|_| task.judged_on.answer),
            parameters: task.parameters.clone(),
            ..VerifyInput::new(start, end)
        };
        let graded = grade_loaded(
            self.sandbox,
            &task.judge,
            input,
            &task.verifier_limits,
            Some(baselines),
        );
        NewGrade {
            log: graded.log_text().into_owned(),
            outcome: graded.outcome.weighed(&task.score),
            interfaces: graded.interfaces,
        }
    }
}

/// Cache of starting states, because many attempts share them.
#[derive(Default)]
struct Starts(Mutex<HashMap<Digest, Snapshot>>);

impl Starts {
    fn get(&self, store: &Store, digest: Digest) -> Result<Snapshot, String> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(start) = known.get(&digest) {
            return Ok(start.clone());
        }
        let start = load(store, "starting", digest)?;
        known.insert(digest, start.clone());
        Ok(start)
    }
}
