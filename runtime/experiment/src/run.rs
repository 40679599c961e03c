//! Runner: makes attempts concurrently, each from the set-up of its world to its grade.

use std::sync::Arc;

use mcpmark_agent::{Attempt, CallStatus, End, EndKind, Event, Halt, RecordError, Recorder};
use mcpmark_external::{External, ServerSpec};
use mcpmark_grading::{Baselines, GradeInput, grade};
use mcpmark_journal::{
    AttemptRecorder, AttemptStatus, Cost, DEATHS_BEFORE_ALONE, GradeRecord, Journal, JournalError,
    Outcome, Planned,
};
use mcpmark_sandbox::{InterfaceVersions, Sandbox};
use mcpmark_service::{
    Restart, STOP_GRACE, ServiceError, Session, ToolClient, WorldState, error_chain,
};
use mcpmark_snapshot::{Digest, ScratchSpace, Store, StoreError, TreeDigest};
use mcpmark_task::TaskId;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::{AgentSetup, OpenedParticipant, Prepared};

/// Shared resources of runs.
pub struct Runner {
    /// Journal that records all attempts.
    pub journal: Arc<Journal>,
    /// Store of states and answers.
    pub store: Arc<Store>,
    /// Sandbox of verifiers and solutions.
    pub sandbox: Sandbox,
    /// Directories for private copies of worlds.
    pub scratch: ScratchSpace,
    /// Maximum number of concurrent attempts.
    pub jobs: usize,
    /// Semaphore that limits concurrent grades.
    pub grades: Arc<Semaphore>,
    /// Cache of the verifiers' results on starting states.
    pub baselines: Baselines,
}

/// Progress event of a run.
#[derive(Debug, Clone)]
pub enum Progress {
    /// An attempt begins.
    Started {
        /// Id of the attempt.
        attempt: String,
        /// Id of the task.
        task: String,
        /// Index of the participant in the spec.
        participant: usize,
        /// Repetition of the attempt, from 1.
        k: u32,
    },
    /// A model replied.
    Asked {
        /// Id of the attempt.
        attempt: String,
        /// Turn of the reply, from 1.
        turn: u32,
        /// Number of tokens of request and reply, if known.
        tokens: Option<u64>,
        /// Cost of the request, if known.
        cost: Option<Cost>,
    },
    /// A request to a model failed, and will be sent again.
    Retried {
        /// Id of the attempt.
        attempt: String,
        /// Number of failed tries.
        tries: u32,
        /// Kind of error.
        error: &'static str,
    },
    /// An agent calls a tool.
    ToolCall {
        /// Id of the attempt.
        attempt: String,
        /// Number of the call in the attempt, from 1.
        number: u32,
        /// Name of the tool.
        tool: String,
    },
    /// A tool call ended.
    ToolCalled {
        /// Id of the attempt.
        attempt: String,
    },
    /// An attempt ended and is in the journal.
    Finished {
        /// Id of the attempt.
        attempt: String,
        /// Id of the task.
        task: String,
        /// Index of the participant in the spec.
        participant: usize,
        /// Repetition of the attempt, from 1.
        k: u32,
        /// End of the agent's part, if the final state was graded.
        end: Option<End>,
        /// Outcome of the attempt.
        outcome: Outcome,
        /// Number of replies of the agent.
        turns: u32,
        /// Number of tool calls of the agent.
        tool_calls: u32,
    },
    /// A problem occurred that does not affect results.
    Warning(String),
}

/// Callback for progress events.
pub type Listener = Arc<dyn Fn(Progress) + Send + Sync>;

/// Errors that stop an experiment.
#[derive(Debug, thiserror::Error)]
pub enum RunFailure {
    /// The journal cannot be written.
    #[error("cannot write the journal")]
    Journal(#[from] JournalError),
    /// An event cannot be recorded.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// The agent's last message cannot be written to the store.
    #[error("cannot store the agent's last message")]
    Store(#[from] StoreError),
    /// A tokio task of an attempt panicked, which is a bug.
    #[error("an attempt stopped unexpectedly: {0}")]
    Broken(String),
}

impl Runner {
    /// Makes the planned attempts, `jobs` at a time. Returns when all have ended, or, after `cancel` or when the budget
    /// is used up, when those that are running have ended.
    ///
    /// Attempts whose process died twice run last and alone, so that no other attempt can be the cause if it dies
    /// again.
    ///
    /// # Errors
    ///
    /// Returns an error if the journal or store cannot be written. Running attempts are stopped.
    pub async fn run(
        self: &Arc<Self>,
        experiment: &str,
        agent_setup: &Arc<AgentSetup>,
        tasks: &[Arc<Prepared>],
        plan: Vec<Planned>,
        cancel: CancellationToken,
        listener: Listener,
    ) -> Result<(), RunFailure> {
        let deaths = self.journal.deaths(experiment)?;
        let (alone, plan): (Vec<_>, Vec<_>) = plan.into_iter().partition(|planned| {
            let task_digest = tasks[planned.task].task_digest.into();
            let deaths = deaths.get(&(planned.position, Some(task_digest)));
            deaths.is_some_and(|deaths| *deaths >= DEATHS_BEFORE_ALONE)
        });
        let one = |planned: Planned| OneAttempt {
            runner: Arc::clone(self),
            experiment: experiment.to_owned(),
            agent_setup: Arc::clone(agent_setup),
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
            let (Ok(permit), None, None) = (permit, &failure, agent_setup.budget.reached()) else {
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
            let may_go_on = failure.is_none() && agent_setup.budget.reached().is_none();
            if !may_go_on || cancel.is_cancelled() {
                break;
            }
            failure = failed(tokio::spawn(one(planned).run()).await);
        }
        failure.map_or(Ok(()), Err)
    }
}

impl Runner {
    /// Grades a stored state and finishes its attempt.
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
            // Receipts contain the digest of the answer.
            self.store.put(answer.as_bytes())?;
        }
        let (runner, prepared) = (Arc::clone(self), Arc::clone(task));
        // The semaphore is never closed. Without a permit, the grade would only exceed the limit.
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
        let (outcome, interfaces, log) = match graded.await {
            Ok(graded) => {
                let log = graded.log_text().into_owned();
                let outcome = graded.outcome.weighed(&task.score);
                (outcome, graded.interfaces, log)
            }
            Err(error) => {
                let message = format!("grading stopped unexpectedly: {error}");
                let outcome = Outcome::InfraError(message);
                (outcome, InterfaceVersions::default(), String::new())
            }
        };
        let record = GradeRecord {
            verifier: task.judge.digest(),
            engine: &task.judge.engine(&self.sandbox),
            terms: task.terms,
            task_digest: task.task_digest,
            outcome: &outcome,
            interfaces,
            log: &log,
        };
        let record = outcome.is_grade().then_some(&record);
        self.journal.finish_attempt(attempt, &outcome, record)?;
        Ok(outcome)
    }

    /// Grades the attempts of a dead process whose agent had finished, so that no agent repeats its work. Returns the
    /// number of grades. If grading a state has ended its process too often, the attempt is finished without a grade.
    ///
    /// # Errors
    ///
    /// Returns an error if the journal cannot be read or written, or if an answer cannot be stored.
    pub async fn grade_ended(
        self: &Arc<Self>,
        experiment: &str,
        tasks: &[Arc<Prepared>],
    ) -> Result<usize, RunFailure> {
        let mut count = 0;
        for row in self.journal.attempts(experiment)? {
            let state = row.state.map(TreeDigest::untyped);
            let task = tasks.iter().find(|task| {
                task.id.to_string() == row.task && row.task_digest == Some(task.task_digest.into())
            });
            if let (AttemptStatus::Running, Some(state), Some(task)) = (row.status, state, task)
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

/// Returns the seed of the k-th attempt of a task, for the agent `random`, retry delays and sampling.
pub fn random_seed(task: &TaskId, k: u32) -> u64 {
    let digest = Digest::of(format!("{task} {k}").as_bytes());
    let mut first = [0; 8];
    first.copy_from_slice(&digest.as_bytes()[..8]);
    u64::from_le_bytes(first)
}

struct OneAttempt {
    runner: Arc<Runner>,
    experiment: String,
    agent_setup: Arc<AgentSetup>,
    task: Arc<Prepared>,
    planned: Planned,
    cancel: CancellationToken,
    listener: Listener,
}

/// Result of an attempt before its grade.
enum Acted {
    /// End of the agent's part, digest of the final state, and the agent's last message.
    Ended(End, Digest, Option<String>),
    /// Outcome of an attempt that has nothing to grade.
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
            Some(&task.task_digest),
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

    /// Opens the world, runs the agent, and captures the final state.
    async fn act(&self, recorder: &mut Observed) -> Result<Acted, RunFailure> {
        let infra = |error: ServiceError| Acted::Over(Outcome::InfraError(error_chain(&error)));
        let Some(service) = self.task.start.service() else {
            let message = format!("service {:?} is not supported", self.task.id.service());
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
                let acted = match self.add_external_servers(&mut client).await {
                    Ok(_) if !self.filter_tools(&mut client) => {
                        let message =
                            "the globs of --tools exclude all tools of the task".to_owned();
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

    /// Applies the tool filter. Returns false if a filter leaves no tool.
    fn filter_tools(&self, client: &mut ToolClient) -> bool {
        let Ok(OpenedParticipant { tools: filter, .. }) =
            self.agent_setup.participant(&self.planned)
        else {
            return false;
        };
        client.keep_tools(|tool| filter.offers(tool));
        filter.is_empty() || !client.tools().is_empty()
    }

    /// Starts the external servers and adds their tools. Returns descriptions of the servers.
    async fn add_external_servers(&self, client: &mut ToolClient) -> Result<Vec<String>, String> {
        let mut notes = Vec::new();
        for (name, spec) in &self.agent_setup.participant(&self.planned)?.servers {
            let server = start_server(name, spec).await?;
            notes.push(server.describe());
            let (owned_name, spec) = (name.clone(), spec.clone());
            let restart: Restart = Box::new(move || {
                let (name, spec) = (owned_name.clone(), spec.clone());
                Box::pin(async move { start_server(&name, &spec).await.map(External::into_client) })
            });
            client
                .add_server(name, server.into_client(), restart)
                .map_err(|error| format!("server {name}: {error}"))?;
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
            self.agent_setup.limits.over(self.task.attempt_limits),
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
            .agent_setup
            .agent(&self.task, &self.planned, &self.runner.sandbox)
        {
            Ok(agent) => agent,
            Err(message) => return Ok(Acted::Over(Outcome::InvalidTask(message))),
        };
        // Calls are stopped when the session exceeds its memory, which ends the agent's part with a limit.
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

/// Recorder that reports events to the listener before it writes them to the journal.
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
            // Failed tries cost nothing.
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

/// Starts an external server, with the environment variables of this process that its configuration names.
async fn start_server(name: &str, spec: &ServerSpec) -> Result<External, String> {
    let variable = |name: &str| std::env::var(name).ok();
    let started = External::start(name, spec, variable).await;
    started.map_err(|error| error_chain(&error))
}
