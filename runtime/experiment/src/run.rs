//! The runner: attempts side by side, each from its world to its grade.

use std::sync::Arc;

use mcpmark_agent::{Attempt, CallStatus, End, EndKind, Event, Halt, RecordError, Recorder};
use mcpmark_external::External;
use mcpmark_sandbox::Sandbox;
use mcpmark_service::{STOP_GRACE, ServiceError, Session, ToolClient, WorldState};
use mcpmark_snapshot::{Digest, ScratchSpace, Store, StoreError};
use mcpmark_task::TaskId;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::journal::{AttemptRecorder, DEATHS_BEFORE_ALONE, GradeRecord, JournalError};
use crate::{
    Baselines, Cast, Cost, GradeInput, Journal, Outcome, Planned, Player, Prepared, grade,
};

/// What runs share.
pub struct Runner {
    /// Where everything is written.
    pub journal: Arc<Journal>,
    /// Where states are kept.
    pub store: Arc<Store>,
    /// Runs verifiers and solutions.
    pub sandbox: Sandbox,
    /// Where private copies of worlds are made.
    pub scratch: ScratchSpace,
    /// Attempts at the same time.
    pub jobs: usize,
    /// Grades at the same time.
    pub grades: Arc<Semaphore>,
    /// What verifiers come to on starting states.
    pub baselines: Baselines,
}

/// What happens while attempts run.
#[derive(Debug, Clone)]
pub enum Progress {
    /// An attempt begins.
    Started {
        /// Its id.
        attempt: String,
        /// Its task.
        task: String,
        /// The index of its participant in the spec.
        participant: usize,
        /// Which repetition.
        k: u32,
    },
    /// A model gave a reply.
    Asked {
        /// The attempt.
        attempt: String,
        /// The turn that it gave, from 1.
        turn: u32,
        /// Tokens of the request and of the reply, where that is known.
        tokens: Option<u64>,
        /// What it cost, where that is known.
        cost: Option<Cost>,
    },
    /// A request to a model failed, and is sent again.
    Retried {
        /// The attempt.
        attempt: String,
        /// Tries that failed.
        tries: u32,
        /// The kind of error.
        error: &'static str,
    },
    /// An agent calls a tool.
    ToolCall {
        /// The attempt.
        attempt: String,
        /// How many calls it has made.
        number: u32,
        /// The tool.
        tool: String,
    },
    /// A tool call is over.
    ToolCalled {
        /// The attempt.
        attempt: String,
    },
    /// An attempt is over and in the journal.
    Finished {
        /// The attempt.
        attempt: String,
        /// Its task.
        task: String,
        /// The index of its participant in the spec.
        participant: usize,
        /// Which repetition.
        k: u32,
        /// How the agent's part ended, where that led to a grade.
        end: Option<End>,
        /// What came of it.
        outcome: Outcome,
        /// Replies of the agent.
        turns: u32,
        /// Tool calls of the agent.
        tool_calls: u32,
    },
    /// Something went wrong that changes no result.
    Warning(String),
}

/// Hears of progress.
pub type Listener = Arc<dyn Fn(Progress) + Send + Sync>;

/// Why an experiment cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum RunFailure {
    /// Nothing more can be written down.
    #[error("the journal cannot be written")]
    Journal(#[from] JournalError),
    /// An event could not be written down.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// What is judged cannot be kept.
    #[error("the agent's last message cannot be kept")]
    Store(#[from] StoreError),
    /// A bug: an attempt's own task broke.
    #[error("an attempt broke: {0}")]
    Broken(String),
}

impl Runner {
    /// Makes the planned attempts, `jobs` at a time, and returns when all are over or
    /// `cancel` was called and those that ran have ended. Those whose process died twice come last, one at a time:
    /// where it dies again, nothing else can be the reason.
    ///
    /// # Errors
    ///
    /// When the journal cannot be written; running attempts are stopped.
    pub async fn run(
        self: &Arc<Self>,
        experiment: &str,
        cast: &Arc<Cast>,
        tasks: &[Arc<Prepared>],
        plan: Vec<Planned>,
        cancel: CancellationToken,
        listener: Listener,
    ) -> Result<(), RunFailure> {
        let deaths = self.journal.deaths(experiment)?;
        let (alone, plan): (Vec<_>, Vec<_>) = plan.into_iter().partition(|planned| {
            let bundle = tasks[planned.task].bundle.to_string();
            let deaths = deaths.get(&(planned.position, Some(bundle)));
            deaths.is_some_and(|deaths| *deaths >= DEATHS_BEFORE_ALONE)
        });
        let one = |planned: Planned| OneAttempt {
            runner: Arc::clone(self),
            experiment: experiment.to_owned(),
            cast: Arc::clone(cast),
            task: Arc::clone(&tasks[planned.task]),
            planned,
            cancel: cancel.clone(),
            listener: Arc::clone(&listener),
        };
        let permits = Arc::new(Semaphore::new(self.jobs.max(1)));
        let mut running = JoinSet::new();
        let mut failure = None;
        for planned in plan {
            let permit = tokio::select! {
                biased;
                () = cancel.cancelled() => break,
                permit = Arc::clone(&permits).acquire_owned() => permit,
            };
            while let Some(over) = running.try_join_next() {
                failure = failure.or(failed(over));
            }
            // The semaphore is never closed.
            let (Ok(permit), None, None) = (permit, &failure, cast.budget.reached()) else {
                break;
            };
            let one = one(planned);
            running.spawn(async move {
                let _permit = permit;
                one.run().await
            });
        }
        if failure.is_some() {
            cancel.cancel();
        }
        while let Some(over) = running.join_next().await {
            if let Some(error) = failed(over) {
                cancel.cancel();
                failure.get_or_insert(error);
            }
        }
        for planned in alone {
            let may_go_on = failure.is_none() && cast.budget.reached().is_none();
            if !may_go_on || cancel.is_cancelled() {
                break;
            }
            failure = failed(tokio::spawn(one(planned).run()).await);
        }
        failure.map_or(Ok(()), Err)
    }
}

impl Runner {
    /// Grades a kept state and finishes its attempt.
    async fn grade(
        self: &Arc<Self>,
        task: &Arc<Prepared>,
        attempt: &str,
        state: Digest,
        answer: Option<String>,
    ) -> Result<Outcome, RunFailure> {
        let input = GradeInput {
            start: task.start.digest,
            state,
            answer: answer.filter(|_| task.judged_on.answer),
            parameters: task.parameters.clone(),
        };
        if let Some(answer) = &input.answer {
            // A receipt names it by its digest.
            self.store.put(answer.as_bytes())?;
        }
        let (runner, prepared) = (Arc::clone(self), Arc::clone(task));
        // Never closed; without a permit there is just no bound.
        let permit = Arc::clone(&self.grades).acquire_owned().await.ok();
        let graded = tokio::task::spawn_blocking(move || {
            let _permit = permit;
            let Runner {
                sandbox,
                store,
                baselines,
                ..
            } = &*runner;
            grade(
                sandbox,
                store,
                &prepared.judge,
                input,
                &prepared.verifier_limits,
                baselines,
            )
        });
        let (outcome, log) = match graded.await {
            Ok(graded) => {
                let log = graded.said().into_owned();
                (graded.outcome.weighed(&task.score), log)
            }
            Err(error) => {
                let message = format!("grading broke: {error}");
                (Outcome::InfraError(message), String::new())
            }
        };
        let record = GradeRecord {
            verifier: task.judge.digest(),
            engine: &task.judge.engine(&self.sandbox),
            terms: task.terms,
            bundle: task.bundle,
            outcome: &outcome,
            log: &log,
        };
        let record = outcome.is_grade().then_some(&record);
        self.journal.finish_attempt(attempt, &outcome, record)?;
        Ok(outcome)
    }

    /// Grades the attempts of a stopped process whose agent had come to its end: what an
    /// agent did is not done again. Returns how many there were. A state whose grade ended its process again and again
    /// is left ungraded.
    ///
    /// # Errors
    ///
    /// When the journal cannot be read or written.
    pub async fn grade_ended(
        self: &Arc<Self>,
        experiment: &str,
        tasks: &[Arc<Prepared>],
    ) -> Result<usize, RunFailure> {
        let mut count = 0;
        for row in self.journal.attempts(experiment)? {
            let state = row.state.as_deref().and_then(|state| state.parse().ok());
            let task = tasks.iter().find(|task| {
                task.id.to_string() == row.task
                    && row.bundle.as_ref() == Some(&task.bundle.to_string())
            });
            if let ("running", Some(state), Some(task)) = (row.status.as_str(), state, task)
                && self.journal.grade_after_death(&row.id)?
            {
                self.grade(task, &row.id, state, row.answer).await?;
                count += 1;
            }
        }
        Ok(count)
    }
}

fn failed(over: Result<Result<(), RunFailure>, tokio::task::JoinError>) -> Option<RunFailure> {
    match over {
        Ok(Ok(())) => None,
        Ok(Err(failure)) => Some(failure),
        Err(error) => Some(RunFailure::Broken(error.to_string())),
    }
}

/// The seed of the random agent in the k-th attempt of a task.
pub fn random_seed(task: &TaskId, k: u32) -> u64 {
    let digest = Digest::of(format!("{task} {k}").as_bytes());
    let mut first = [0; 8];
    first.copy_from_slice(&digest.as_bytes()[..8]);
    u64::from_le_bytes(first)
}

struct OneAttempt {
    runner: Arc<Runner>,
    experiment: String,
    cast: Arc<Cast>,
    task: Arc<Prepared>,
    planned: Planned,
    cancel: CancellationToken,
    listener: Listener,
}

/// What an attempt came to before its grade.
enum Acted {
    /// The agent's part is over; this is the final state and the last message.
    Ended(End, Digest, Option<String>),
    /// There is nothing to grade.
    Over(Outcome),
}

impl OneAttempt {
    async fn run(self) -> Result<(), RunFailure> {
        let Self {
            runner,
            task,
            planned,
            ..
        } = &self;
        let recorder = runner.journal.start_attempt(
            &self.experiment,
            planned.position,
            &planned.key,
            Some(&task.bundle),
            Some(&task.start.digest),
        )?;
        let id = recorder.id().to_owned();
        (self.listener)(Progress::Started {
            attempt: id.clone(),
            task: planned.key.task.to_string(),
            participant: planned.participant,
            k: planned.key.k,
        });
        let mut recorder = Observed {
            inner: recorder,
            listener: Arc::clone(&self.listener),
            calls: 0,
            turns: 0,
        };
        let acted = self.act(&mut recorder).await?;
        let (end, outcome) = match acted {
            Acted::Over(outcome) => {
                runner.journal.finish_attempt(&id, &outcome, None)?;
                (None, outcome)
            }
            Acted::Ended(end, state, answer) => {
                (Some(end), runner.grade(task, &id, state, answer).await?)
            }
        };
        (self.listener)(Progress::Finished {
            attempt: id,
            task: planned.key.task.to_string(),
            participant: planned.participant,
            k: planned.key.k,
            end,
            outcome,
            turns: recorder.turns,
            tool_calls: recorder.calls,
        });
        Ok(())
    }

    /// Sets up the world, lets the agent act, and captures what it leaves.
    async fn act(&self, recorder: &mut Observed) -> Result<Acted, RunFailure> {
        let infra = |error: ServiceError| Acted::Over(Outcome::InfraError(error_chain(&error)));
        let Some(service) = self.task.start.service() else {
            let message = format!("there is no service named {:?}", self.task.id.service());
            return Ok(Acted::Over(Outcome::InvalidTask(message)));
        };
        let world = WorldState {
            tree: self.task.start.tree.clone(),
            store: Arc::clone(&self.runner.store),
            seed: self.task.start.seed,
            clock: self.task.start.clock,
            profile: self.task.profile.clone(),
            limits: self.task.session_limits.clone(),
            scratch: self.runner.scratch.clone(),
        };
        let session = match service.open(world).await {
            Ok(session) => session,
            Err(error @ ServiceError::InvalidWorld { .. }) => {
                return Ok(Acted::Over(Outcome::InvalidTask(error_chain(&error))));
            }
            Err(error) => return Ok(infra(error)),
        };
        let acted = match ToolClient::connect(&*session).await {
            Ok(mut client) => {
                // They run for as long as the attempt does.
                let mut running = Vec::new();
                let acted = match self.put_servers_beside(&mut client, &mut running).await {
                    Ok(_) if !self.filter_tools(&mut client) => {
                        let message = "the globs of --tools leave none of its tools".to_owned();
                        Ok(Acted::Over(Outcome::InvalidTask(message)))
                    }
                    Ok(notes) => self.drive(&client, &notes, &*session, recorder).await,
                    Err(message) => Ok(Acted::Over(Outcome::InfraError(message))),
                };
                if let Err(error) = client.close().await {
                    self.warn(&error);
                }
                acted
            }
            Err(error) => Ok(infra(error)),
        };
        if let Err(error) = session.close().await {
            self.warn(&error);
        }
        acted
    }

    /// Leaves the tools that the agent is offered, and says whether there are any.
    fn filter_tools(&self, client: &mut ToolClient) -> bool {
        let Ok(Player { tools: filter, .. }) = self.cast.player(&self.planned) else {
            return false;
        };
        client.keep_tools(|tool| filter.offers(tool));
        filter.is_empty() || !client.tools().is_empty()
    }

    /// Starts the servers of others, and says what they are.
    async fn put_servers_beside(
        &self,
        client: &mut ToolClient,
        running: &mut Vec<Box<dyn Send + Sync>>,
    ) -> Result<Vec<String>, String> {
        let mut notes = Vec::new();
        for (name, spec) in &self.cast.player(&self.planned)?.servers {
            let variable = |name: &str| std::env::var(name).ok();
            let started = External::start(name, spec, variable).await;
            let server = started.map_err(|error| error_chain(&error))?;
            notes.push(server.describe());
            let (other, process) = server.into_parts();
            client
                .put_beside(name, other)
                .map_err(|error| format!("server {name}: {error}"))?;
            running.push(Box::new(process));
        }
        Ok(notes)
    }

    async fn drive(
        &self,
        client: &ToolClient,
        notes: &[String],
        session: &dyn Session,
        recorder: &mut Observed,
    ) -> Result<Acted, RunFailure> {
        let id = recorder.inner.id().to_owned();
        let mut attempt = Attempt::start(
            &self.task.instruction,
            client,
            self.cast.limits.over(self.task.attempt_limits),
            recorder,
            self.cancel.clone(),
        )?;
        if let Some(calls) = session.calls() {
            attempt.charge(calls);
        }
        for note in notes {
            if let Err(Halt::Record(error)) = attempt.note(note) {
                return Err(error.into());
            }
        }
        let agent = match self
            .cast
            .agent(&self.task, &self.planned, &self.runner.sandbox)
        {
            Ok(agent) => agent,
            Err(message) => return Ok(Acted::Over(Outcome::InvalidTask(message))),
        };
        // The watcher of the memory stops calls, and whoever made them has come to a limit.
        let stopped = async {
            match session.calls() {
                Some(calls) => calls.until_stopped().await,
                None => std::future::pending().await,
            }
        };
        let ended = tokio::select! {
            biased;
            reason = stopped => Err(Halt::End(End::with(EndKind::MemoryLimit, reason))),
            ended = agent.run(&mut attempt) => ended,
        };
        let end: End = match ended {
            Ok(end) | Err(Halt::End(end)) => end,
            Err(Halt::Record(error)) => return Err(error.into()),
            Err(Halt::Invalid(message)) => return Ok(Acted::Over(Outcome::InvalidTask(message))),
            Err(error @ (Halt::ServerClosed | Halt::ServerLost(_) | Halt::Host(_))) => {
                return Ok(Acted::Over(Outcome::InfraError(error.to_string())));
            }
        };
        let took = attempt.elapsed();
        let answer = attempt.answer().map(str::to_owned);
        self.runner
            .journal
            .end_agent(&id, &end, answer.as_deref(), took)?;
        match end.kind {
            EndKind::Cancelled => return Ok(Acted::Over(Outcome::Cancelled)),
            EndKind::ModelError => {
                return Ok(Acted::Over(Outcome::InfraError(end.to_string())));
            }
            _ => {}
        }
        match session.finish(STOP_GRACE).await {
            Ok(tree) => {
                let state = tree.digest();
                self.runner.journal.keep_state(&id, &state)?;
                Ok(Acted::Ended(end, state, answer))
            }
            Err(error) => Ok(Acted::Over(Outcome::InfraError(error_chain(&error)))),
        }
    }

    fn warn(&self, error: &ServiceError) {
        (self.listener)(Progress::Warning(error_chain(error)));
    }
}

/// Tells the listener what goes into the journal.
struct Observed {
    inner: AttemptRecorder,
    listener: Listener,
    calls: u32,
    turns: u32,
}

impl Recorder for Observed {
    fn record(&mut self, event: Event<'_>) -> Result<(), RecordError> {
        match &event {
            Event::Reply { turn, .. } => self.turns = *turn,
            // A try that failed costs nothing.
            Event::ModelCall(call) if call.status == CallStatus::Ok => {
                (self.listener)(Progress::Asked {
                    attempt: self.inner.id().to_owned(),
                    turn: call.turn,
                    tokens: call.usage.map(|usage| usage.input + usage.output),
                    cost: call.cost,
                });
            }
            Event::ModelCall(call) if call.status == CallStatus::Retry => {
                (self.listener)(Progress::Retried {
                    attempt: self.inner.id().to_owned(),
                    tries: call.try_number,
                    error: call.error.as_ref().map_or("failed", |(kind, _)| *kind),
                });
            }
            Event::CallStarted { call, .. } => {
                self.calls += 1;
                (self.listener)(Progress::ToolCall {
                    attempt: self.inner.id().to_owned(),
                    number: self.calls,
                    tool: call.name.clone(),
                });
            }
            Event::CallEnded { .. } => (self.listener)(Progress::ToolCalled {
                attempt: self.inner.id().to_owned(),
            }),
            _ => {}
        }
        self.inner.record(event)
    }
}

fn error_chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text.push_str(": ");
        text.push_str(&cause.to_string());
        source = cause.source();
    }
    text
}
