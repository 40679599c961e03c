//! Writes of experiments, attempts, trajectories and grades.

use std::sync::Arc;
use std::time::Duration;

use mcpmark_agent::{CallStatus, End, Event, ModelCall, RecordError, Recorder};
use mcpmark_model::{Cost, Usage};
use mcpmark_snapshot::Digest;
use rusqlite::{OptionalExtension, Transaction, params};
use serde_json::json;

use super::durable::{write, write_durable};
use super::sums::{sum_experiment, sum_grade, sum_whole_attempt};
use super::texts::pack;
use super::{Journal, JournalError, MAX_AMOUNT, now_ms};
use crate::{InterfaceVersions, MessageRole, Outcome, ScoreRule};

/// Key of an attempt within its experiment.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct AttemptKey {
    /// Id of the task: `<service>/<world>/<task>`.
    pub task: Arc<str>,
    /// Name of the agent.
    pub agent: Arc<str>,
    /// Settings of the agent, as canonical JSON.
    pub agent_settings: Arc<str>,
    /// Name of the model, `provider/name`, if the agent uses one.
    pub model: Option<Arc<str>>,
    /// Settings of the model, as canonical JSON.
    pub model_settings: Arc<str>,
    /// Number of the repetition, from 1.
    pub k: u32,
}

/// Grade of an attempt to be written.
#[derive(Debug, Clone)]
pub struct GradeRecord<'a> {
    /// Digest of the verifier: a component or a script.
    pub verifier: Digest,
    /// Profile of the engine.
    pub engine: &'a str,
    /// Digest of the grading terms, a document in the store.
    pub terms: Digest,
    /// Digest of the task that the verifier belongs to.
    pub task_digest: Digest,
    /// Outcome of the grade.
    pub outcome: &'a Outcome,
    /// Servers that answered the verifier.
    pub interfaces: InterfaceVersions,
    /// Log of the verifier.
    pub log: &'a str,
}

impl Journal {
    /// Adds an experiment and returns its id.
    ///
    /// # Errors
    ///
    /// Returns an error if the name is taken, or the row cannot be written.
    pub fn create_experiment(&self, name: &str, spec: &str) -> Result<String, JournalError> {
        let now = now_ms();
        let unique = format!("mcpmark:experiment:{name}:{now}:{}", std::process::id());
        let id = short_id(&unique);
        write_durable(&mut self.lock(), |transaction| {
            let taken = transaction
                .query_row("SELECT 1 FROM experiments WHERE name = ?1", [name], |_| {
                    Ok(())
                })
                .optional()?;
            if taken.is_some() {
                return Err(JournalError::NameTaken(name.to_owned()));
            }
            transaction.execute(
                "INSERT INTO experiments (id, name, created_ms, spec) VALUES (?1, ?2, ?3, ?4)",
                params![id, name, now, spec],
            )?;
            sum_experiment(transaction, &id)?;
            Ok(id)
        })
    }

    /// Replaces the specification of an experiment, after it has grown or its tasks have moved.
    ///
    /// # Errors
    ///
    /// Returns an error if the row cannot be written.
    pub fn keep_spec(&self, experiment: &str, spec: &str) -> Result<(), JournalError> {
        write_durable(&mut self.lock(), |transaction| {
            transaction.execute(
                "UPDATE experiments SET spec = ?2 WHERE id = ?1",
                params![experiment, spec],
            )?;
            sum_experiment(transaction, experiment)
        })
    }

    /// Records that a user of this journal accepted the specification of an imported experiment.
    ///
    /// # Errors
    ///
    /// Returns an error if the row cannot be written.
    pub fn approve_plan(&self, experiment: &str) -> Result<(), JournalError> {
        write_durable(&mut self.lock(), |transaction| {
            transaction.execute(
                "UPDATE experiments SET accepted_ms = ?2 WHERE id = ?1 AND imported_ms IS NOT NULL",
                params![experiment, now_ms()],
            )?;
            sum_experiment(transaction, experiment)
        })
    }

    /// Starts a new try of an attempt.
    ///
    /// # Errors
    ///
    /// Returns an error if the row cannot be written.
    pub fn start_attempt(
        self: &Arc<Self>,
        experiment: &str,
        position: usize,
        key: &AttemptKey,
        task_digest: Option<&Digest>,
        world: Option<&Digest>,
    ) -> Result<AttemptRecorder, JournalError> {
        let id = write(&mut self.lock(), |transaction| {
            let number: u32 = transaction.query_row(
                "SELECT coalesce(max(try), 0) + 1 FROM attempts
             WHERE experiment = ?1 AND position = ?8 AND task = ?2 AND agent = ?3
               AND agent_settings = ?4 AND model IS ?5 AND model_settings = ?6 AND k = ?7",
                params![
                    experiment,
                    key.task,
                    key.agent,
                    key.agent_settings,
                    key.model,
                    key.model_settings,
                    key.k,
                    position as i64
                ],
                |row| row.get(0),
            )?;
            let unique = json!([
                "mcpmark:attempt",
                experiment,
                key.task,
                key.agent,
                key.agent_settings,
                key.model,
                key.model_settings,
                key.k,
                number
            ]);
            let id = short_id(&unique.to_string());
            transaction.execute(
            "INSERT INTO attempts (id, experiment, position, task, agent, agent_settings, model,
                model_settings, k, try, bundle, world, status, started_ms)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, 'running', ?13)",
            params![
                id,
                experiment,
                position as i64,
                key.task,
                key.agent,
                key.agent_settings,
                key.model,
                key.model_settings,
                key.k,
                number,
                task_digest.map(ToString::to_string),
                world.map(ToString::to_string),
                now_ms()
            ],
        )?;
            Ok(id)
        })?;
        Ok(AttemptRecorder {
            journal: Arc::clone(self),
            id,
            messages: 0,
            calls: 0,
            model_calls: 0,
            spent: Spent::default(),
        })
    }

    /// Records the end of the agent's part, its answer and its duration.
    ///
    /// # Errors
    ///
    /// Returns an error if the row cannot be written.
    pub fn end_agent(
        &self,
        attempt: &str,
        end: &End,
        answer: Option<&str>,
        took: Duration,
    ) -> Result<(), JournalError> {
        self.lock().execute(
            "UPDATE attempts SET ended = ?2, ended_detail = ?3, answer = ?4, agent_us = ?5
             WHERE id = ?1",
            params![
                attempt,
                end.kind.as_str(),
                end.detail,
                answer,
                microseconds(took)
            ],
        )?;
        Ok(())
    }

    /// Records the final state, which is already in the store. If this process dies afterwards, a resumed run grades
    /// the attempt instead of repeating it.
    ///
    /// # Errors
    ///
    /// Returns an error if the row cannot be written.
    pub fn keep_state(&self, attempt: &str, state: &Digest) -> Result<(), JournalError> {
        write_durable(&mut self.lock(), |transaction| {
            transaction.execute(
                "UPDATE attempts SET state = ?2 WHERE id = ?1",
                params![attempt, state.to_string()],
            )?;
            Ok(())
        })
    }

    /// Finishes an attempt, with its grade if there is one.
    ///
    /// # Errors
    ///
    /// Returns an error if the rows cannot be written. Then none of them is.
    pub fn finish_attempt(
        &self,
        attempt: &str,
        outcome: &Outcome,
        grade: Option<&GradeRecord<'_>>,
    ) -> Result<(), JournalError> {
        write_durable(&mut self.lock(), |transaction| {
            if let Some(grade) = grade {
                insert_grade(transaction, attempt, grade, None)?;
            }
            // The fault of a verifier is in the grade.
            let error = outcome.fault().filter(|_| grade.is_none());
            let error = error.map(|fault| fault.message);
            transaction.execute(
                "UPDATE attempts SET status = 'finished', ended_ms = ?2, outcome = ?3, error = ?4
             WHERE id = ?1",
                params![attempt, now_ms(), outcome.as_str(), error],
            )?;
            transaction.execute(super::schema::SUMMARISE, [attempt])?;
            sum_whole_attempt(transaction, attempt)
        })
    }
}

/// Adds a grade of an attempt with its checks.
pub(super) fn insert_grade(
    transaction: &Transaction<'_>,
    attempt: &str,
    grade: &GradeRecord<'_>,
    regrade: Option<i64>,
) -> Result<(), JournalError> {
    let fault = grade.outcome.fault();
    let mut insert = transaction.prepare_cached(
        "INSERT INTO grades (attempt, at_ms, verifier, engine, outcome, passed, score, fault_kind,
            fault_message, log, regrade, terms, bundle, scoring, interfaces)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)",
    )?;
    let scoring = grade.outcome.scoring();
    let scoring = scoring.filter(|scoring| scoring.rule != ScoreRule::Share);
    let scoring = scoring.map(serde_json::to_string).transpose()?;
    let interfaces = Some(&grade.interfaces).filter(|interfaces| !interfaces.is_empty());
    let interfaces = interfaces.map(serde_json::to_string).transpose()?;
    insert.execute(params![
        attempt,
        now_ms(),
        grade.verifier.to_string(),
        grade.engine,
        grade.outcome.as_str(),
        grade.outcome.passed(),
        grade.outcome.score(),
        fault.as_ref().map(|fault| &fault.kind),
        fault.as_ref().map(|fault| &fault.message),
        grade.log,
        regrade,
        grade.terms.to_string(),
        grade.task_digest.to_string(),
        scoring,
        interfaces,
    ])?;
    let id = transaction.last_insert_rowid();
    let mut insert = transaction.prepare_cached(
        "INSERT INTO checks (grade, seq, name, passed, detail) VALUES (?1, ?2, ?3, ?4, ?5)",
    )?;
    for (seq, check) in grade.outcome.checks().iter().enumerate() {
        let seq = i64::try_from(seq).unwrap_or(i64::MAX);
        insert.execute(params![id, seq, check.name, check.passed, check.detail])?;
    }
    sum_grade(transaction, id)
}

/// Recorder of one attempt, which writes its messages and calls as they happen.
#[derive(Debug)]
pub struct AttemptRecorder {
    journal: Arc<Journal>,
    id: String,
    messages: u32,
    calls: u32,
    model_calls: u32,
    spent: Spent,
}

/// Usage and cost of the requests of an attempt.
#[derive(Debug, Default, Clone, Copy)]
struct Spent {
    usage: Known<Usage>,
    cost: Known<Cost>,
}

/// Sum that becomes unknown if one of its parts is unknown.
#[derive(Debug, Clone, Copy, Default)]
enum Known<T> {
    #[default]
    Nothing,
    Sum(T),
    Unknown,
}

impl<T: Copy> Known<T> {
    fn add(&mut self, part: Option<T>, sum: impl Fn(T, T) -> Option<T>) {
        let total = match (*self, part) {
            (Self::Nothing, part) => part,
            (Self::Sum(so_far), Some(part)) => sum(so_far, part),
            (Self::Sum(_), None) | (Self::Unknown, _) => None,
        };
        *self = total.map_or(Self::Unknown, Self::Sum);
    }

    fn get(self) -> Option<T> {
        match self {
            Self::Sum(sum) => Some(sum),
            Self::Nothing | Self::Unknown => None,
        }
    }
}

impl Spent {
    /// Adds a request. A failed request without usage counts as free.
    fn add(&mut self, call: &ModelCall) {
        if call.status == CallStatus::Ok || call.usage.is_some() {
            self.usage.add(call.usage, |a, b| Some(a + b));
            self.cost.add(call.cost, Cost::checked_add);
        }
    }
}

impl AttemptRecorder {
    /// Returns the id of the attempt.
    pub fn id(&self) -> &str {
        &self.id
    }

    fn write(&mut self, event: Event<'_>) -> Result<(), JournalError> {
        let journal = Arc::clone(&self.journal);
        let bill = matches!(event, Event::ModelCall(_));
        write(&mut journal.lock(), |transaction| {
            self.insert(transaction, event)
        })?;
        if bill {
            journal.syncer.request();
        }
        Ok(())
    }

    fn insert(
        &mut self,
        transaction: &Transaction<'_>,
        event: Event<'_>,
    ) -> Result<(), JournalError> {
        match event {
            Event::Instruction(text) => {
                let content = json!({ "text": text }).to_string();
                self.message(transaction, 0, MessageRole::User, &content)
            }
            Event::Setup {
                system,
                tools,
                adapted,
                view,
            } => {
                let tools = serde_json::to_string(tools)?;
                let digest = Digest::of(tools.as_bytes()).hex();
                transaction
                    .prepare_cached(
                        "INSERT OR IGNORE INTO tool_sets (digest, tools) VALUES (?1, ?2)",
                    )?
                    .execute(params![digest, tools])?;
                let content = json!({
                    "text": system, "tools": digest, "adapted": adapted, "results": view,
                });
                self.message(transaction, 0, MessageRole::System, &content.to_string())
            }
            Event::ModelCall(call) => self.model_call(transaction, call),
            Event::Compaction { turn, content } => self.message(
                transaction,
                turn,
                MessageRole::Compaction,
                &content.to_string(),
            ),
            Event::Told { turn, text } | Event::Note { turn, text } => {
                let role = match event {
                    Event::Told { .. } => MessageRole::User,
                    _ => MessageRole::Note,
                };
                let content = json!({ "text": text }).to_string();
                self.message(transaction, turn, role, &content)
            }
            Event::Reply { turn, reply } => {
                self.message(
                    transaction,
                    turn,
                    MessageRole::Assistant,
                    &serde_json::to_string(reply)?,
                )?;
                let malformed = reply.calls.iter().filter(|call| call.malformed.is_some());
                let malformed = malformed.count() as i64 + i64::from(reply.unreadable);
                transaction
                    .prepare_cached(
                        "UPDATE attempts SET turns = ?2, malformed_calls = malformed_calls + ?3
                         WHERE id = ?1",
                    )?
                    .execute(params![self.id, turn, malformed])?;
                Ok(())
            }
            Event::CallStarted { turn, call } => {
                self.calls += 1;
                let arguments = match &call.malformed {
                    Some(text) => serde_json::to_string(text)?,
                    None => serde_json::to_string(&call.arguments)?,
                };
                transaction
                    .prepare_cached(
                        "INSERT INTO tool_calls
                            (attempt, seq, turn, call_id, name, arguments, started_ms)
                         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
                    )?
                    .execute(params![
                        self.id,
                        self.calls,
                        turn,
                        call.id,
                        call.name,
                        pack(transaction, arguments)?,
                        now_ms()
                    ])?;
                transaction
                    .prepare_cached("UPDATE attempts SET tool_calls = ?2 WHERE id = ?1")?
                    .execute(params![self.id, self.calls])?;
                Ok(())
            }
            Event::CallEnded {
                result, elapsed, ..
            } => {
                let (output, is_error, error) = match result {
                    Ok(output) => (
                        Some(pack(transaction, serde_json::to_string(output)?)?),
                        Some(output.is_error),
                        None,
                    ),
                    Err(error) => (None, None, Some(error)),
                };
                transaction
                    .prepare_cached(
                        "UPDATE tool_calls
                         SET elapsed_us = ?3, result = ?4, is_error = ?5, error = ?6
                         WHERE attempt = ?1 AND seq = ?2",
                    )?
                    .execute(params![
                        self.id,
                        self.calls,
                        microseconds(elapsed),
                        output,
                        is_error,
                        error
                    ])?;
                transaction
                    .prepare_cached(
                        "UPDATE attempts SET tool_us = coalesce(tool_us, 0) + ?2 WHERE id = ?1",
                    )?
                    .execute(params![self.id, microseconds(elapsed)])?;
                Ok(())
            }
        }
    }

    fn message(
        &mut self,
        transaction: &Transaction<'_>,
        turn: u32,
        role: MessageRole,
        content: &str,
    ) -> Result<(), JournalError> {
        self.messages += 1;
        let content = pack(transaction, content.to_owned())?;
        transaction
            .prepare_cached(
                "INSERT INTO messages (attempt, seq, turn, role, content, at_ms)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            )?
            .execute(params![
                self.id,
                self.messages,
                turn,
                role.as_str(),
                content,
                now_ms()
            ])?;
        Ok(())
    }

    fn model_call(
        &mut self,
        transaction: &Transaction<'_>,
        call: &ModelCall,
    ) -> Result<(), JournalError> {
        self.model_calls += 1;
        self.spent.add(call);
        let raw = call.raw.as_ref().map(ToString::to_string);
        let raw = raw.map(|raw| pack(transaction, raw)).transpose()?;
        let (kind, message) = call.error.as_ref().map(|(kind, text)| (kind, text)).unzip();
        transaction
            .prepare_cached(
                "INSERT INTO model_calls (attempt, seq, turn, purpose, try, started_ms, elapsed_us,
                    status, error_kind, error, request_digest, raw, input_tokens, cached_tokens,
                    output_tokens, reasoning_tokens, cost_nano_usd)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)",
            )?
            .execute(params![
                self.id,
                self.model_calls,
                call.turn,
                call.purpose.as_str(),
                call.try_number,
                call.started_ms,
                microseconds(call.elapsed),
                call.status.as_str(),
                kind,
                message,
                call.request_digest,
                raw,
                call.usage.map(|usage| count(usage.input)),
                call.usage.map(|usage| count(usage.cached)),
                call.usage.map(|usage| count(usage.output)),
                call.usage.map(|usage| count(usage.reasoning)),
                call.cost.map(|cost| count(cost.nano_usd())),
            ])?;
        let (usage, cost) = (self.spent.usage.get(), self.spent.cost.get());
        transaction
            .prepare_cached(
                "UPDATE attempts SET input_tokens = ?2, cached_tokens = ?3, output_tokens = ?4,
                    reasoning_tokens = ?5, cost_nano_usd = ?6, model_us = coalesce(model_us, 0) + ?7
                 WHERE id = ?1",
            )?
            .execute(params![
                self.id,
                usage.map(|usage| count(usage.input)),
                usage.map(|usage| count(usage.cached)),
                usage.map(|usage| count(usage.output)),
                usage.map(|usage| count(usage.reasoning)),
                cost.map(|cost| count(cost.nano_usd())),
                microseconds(call.elapsed),
            ])?;
        Ok(())
    }
}

fn count(number: u64) -> i64 {
    i64::try_from(number).map_or(MAX_AMOUNT, |number| number.min(MAX_AMOUNT))
}

fn microseconds(duration: Duration) -> i64 {
    i64::try_from(duration.as_micros()).map_or(MAX_AMOUNT, |number| number.min(MAX_AMOUNT))
}

impl Recorder for AttemptRecorder {
    fn record(&mut self, event: Event<'_>) -> Result<(), RecordError> {
        self.write(event)
            .map_err(|error| RecordError(error.to_string()))
    }
}

/// Returns the first twelve hexadecimal digits of the digest of `unique`. They are short enough to type, and long
/// enough to merge the attempts of many machines.
fn short_id(unique: &str) -> String {
    Digest::of(unique.as_bytes()).hex()[..12].to_owned()
}
