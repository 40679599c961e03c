//! Grades made again: from the states that are kept, with no agent and no service.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use mcpmark_sandbox::{Sandbox, VerifyInput};
use mcpmark_snapshot::{Digest, Snapshot, Store};
use tokio_util::sync::CancellationToken;

use crate::grade::load;
use crate::journal::{GradeRecord, JournalError};
use crate::{Baselines, Journal, Outcome, Prepared, grade_loaded};

/// Grades that are written together, at most.
const TOGETHER: usize = 256;
/// How long the first of them waits for others.
const WAIT: Duration = Duration::from_millis(200);

/// Makes grades again.
pub struct Regrader<'a> {
    /// Where they are written.
    pub journal: &'a Journal,
    /// Where the states are.
    pub store: &'a Store,
    /// Runs the verifiers.
    pub sandbox: &'a Sandbox,
    /// Grades at the same time.
    pub jobs: usize,
}

/// An attempt that is to be graded again.
#[derive(Clone)]
pub struct Work {
    /// The attempt.
    pub attempt: String,
    /// What it started from.
    pub start: Digest,
    /// What the agent left.
    pub state: Digest,
    /// The agent's last message.
    pub answer: Option<String>,
    /// The task that judges it.
    pub task: Arc<Prepared>,
}

/// What came of one.
#[derive(Debug)]
pub struct Regraded {
    /// The attempt.
    pub attempt: String,
    /// The new outcome. Unless it is a grade ([`Outcome::is_grade`]), nothing was written.
    pub outcome: Outcome,
}

struct Done {
    number: usize,
    outcome: Outcome,
    log: String,
}

impl Regrader<'_> {
    /// Grades all of them again, and keeps each grade. `heard` is told of each after it was written.
    /// When `cancel` is called, those that have begun are still finished.
    ///
    /// # Errors
    ///
    /// When the journal cannot be written; what was written before stays.
    pub fn run(
        &self,
        regrade: i64,
        work: &[Work],
        cancel: &CancellationToken,
        mut heard: impl FnMut(Regraded),
    ) -> Result<(), JournalError> {
        let next = AtomicUsize::new(0);
        let starts = Starts::default();
        let baselines = Baselines::default();
        let jobs = self.jobs.clamp(1, work.len().max(1));
        // Few wait to be written, so that memory is bounded.
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
                        let (outcome, log) = self.grade(one, starts, baselines);
                        // Nobody hears any more once the journal failed.
                        let told = done.send(Done {
                            number,
                            outcome,
                            log,
                        });
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

    /// Writes what comes, many in one go.
    fn write(
        &self,
        regrade: i64,
        work: &[Work],
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
                .filter(|(done, _)| done.outcome.is_grade())
                .map(|(done, engine)| {
                    let Work { attempt, task, .. } = &work[done.number];
                    let record = GradeRecord {
                        verifier: task.judge.digest(),
                        engine,
                        terms: task.terms,
                        bundle: task.bundle,
                        outcome: &done.outcome,
                        log: &done.log,
                    };
                    (attempt.as_str(), record)
                })
                .collect();
            self.journal.regrade(regrade, &records)?;
            for done in some {
                heard(Regraded {
                    attempt: work[done.number].attempt.clone(),
                    outcome: done.outcome,
                });
            }
        }
        Ok(())
    }

    fn grade(&self, work: &Work, starts: &Starts, baselines: &Baselines) -> (Outcome, String) {
        let states = starts
            .get(self.store, work.start)
            .and_then(|start| Ok((start, load(self.store, "final", work.state)?)));
        let (start, end) = match states {
            Ok(states) => states,
            Err(message) => return (Outcome::InfraError(message), String::new()),
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
        let log = graded.said().into_owned();
        (graded.outcome.weighed(&task.score), log)
    }
}

/// Starting states, each read once: very many attempts share them.
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
