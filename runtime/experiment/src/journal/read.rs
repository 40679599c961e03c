use std::collections::HashMap;

use mcpmark_agent::{Cost, Usage};
use mcpmark_sandbox::Check;
use mcpmark_snapshot::Digest;
use rusqlite::types::{Type, ValueRef};
use rusqlite::{Connection, OptionalExtension, Row, ToSql, params};
use serde_json::Value;

use super::columns::Columns;
use super::sums::{
    ATTEMPT, EXPERIMENT, GRADE, GradeSum, MESSAGES, MODEL_CALLS, Part, RowSums, TOOL_CALLS,
    compare_row, shown,
};
use super::texts::unpack;
use super::{Journal, JournalError};
use crate::{ScoreRule, Scoring};

/// An experiment and how far it has come.
#[derive(Debug, Clone, PartialEq)]
pub struct ExperimentRow {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// When it was begun, in milliseconds since 1970-01-01T00:00:00Z.
    pub created_ms: i64,
    /// When it was taken in from another journal, where it was.
    pub imported_ms: Option<i64>,
    /// When somebody here agreed to what it runs, where it was taken in.
    pub accepted_ms: Option<i64>,
    /// What it runs, as JSON.
    pub spec: String,
    /// Attempts that were begun, the last try of each.
    pub attempts: u32,
    /// Attempts that were graded, or whose state stops the verifier, which is a failure too.
    pub graded: u32,
    /// Attempts that passed.
    pub passed: u32,
}

impl ExperimentRow {
    /// Whether others have written what it runs, and nobody here has agreed to that.
    pub fn is_foreign(&self) -> bool {
        self.imported_ms.is_some() && self.accepted_ms.is_none()
    }
}

/// An attempt with its last grade.
#[derive(Debug, Clone, PartialEq)]
pub struct AttemptRow {
    /// Its id.
    pub id: String,
    /// The experiment's name.
    pub experiment: String,
    /// Its place in the experiment's plan.
    pub position: usize,
    /// `<service>/<world>/<task>`.
    pub task: String,
    /// The agent's name.
    pub agent: String,
    /// The agent's settings, as canonical JSON.
    pub agent_settings: String,
    /// The model, where one acts.
    pub model: Option<String>,
    /// The model's settings, as canonical JSON.
    pub model_settings: String,
    /// Which repetition, from 1.
    pub k: u32,
    /// Which try, from 1.
    pub try_number: u32,
    /// The task's digest.
    pub bundle: Option<String>,
    /// The starting state's digest.
    pub world: Option<String>,
    /// `running`, `finished` or `abandoned`.
    pub status: String,
    /// When it began, in milliseconds since 1970-01-01T00:00:00Z.
    pub started_ms: i64,
    /// When it ended.
    pub ended_ms: Option<i64>,
    /// How the agent's part ended.
    pub ended: Option<String>,
    /// More about that.
    pub ended_detail: Option<String>,
    /// The agent's last message.
    pub answer: Option<String>,
    /// Replies of the agent.
    pub turns: u32,
    /// Tool calls of the agent.
    pub tool_calls: u32,
    /// Those whose arguments were no JSON object, and replies that cannot be read.
    pub malformed_calls: u32,
    /// Tokens of all its requests; none where no model acted or a reply does not say.
    pub usage: Option<Usage>,
    /// What they cost; none where that is not known.
    pub cost: Option<Cost>,
    /// Wall time of the agent's part, in microseconds, once it is over.
    pub agent_us: Option<i64>,
    /// The share of it that was spent waiting for the model.
    pub model_us: Option<i64>,
    /// The share of it that was spent waiting for tools.
    pub tool_us: Option<i64>,
    /// The final state's digest.
    pub state: Option<String>,
    /// What came of it.
    pub outcome: Option<String>,
    /// The error, where there was no grade.
    pub error: Option<String>,
    /// The last grade.
    pub grade: Option<GradeRow>,
}

impl AttemptRow {
    /// Whether its process died so often that it is not begun again.
    pub fn died(&self) -> bool {
        self.status == "abandoned" && self.outcome.as_deref() == Some("infra-error")
    }
}

/// One grade.
#[derive(Debug, Clone, PartialEq)]
pub struct GradeRow {
    /// The verifier's digest.
    pub verifier: String,
    /// The engine's profile.
    pub engine: String,
    /// What else the grade follows from, in the store; none in journals of old.
    pub terms: Option<String>,
    /// The digest of the task whose verifier judged; none in journals of old.
    pub bundle: Option<String>,
    /// `graded`, `state-fault` or `verifier-fault`.
    pub outcome: String,
    /// Whether all checks passed.
    pub passed: Option<bool>,
    /// How much of the task is done, from 0 to 1; none where the verifier broke.
    pub score: Option<f64>,
    /// The kind of the fault that ended the verifier.
    pub fault_kind: Option<String>,
    /// What happened to the verifier.
    pub fault_message: Option<String>,
    /// What the verifier logged.
    pub log: String,
    /// What the score follows from beside the checks.
    pub scoring: Scoring,
    /// The checks.
    pub checks: Vec<Check>,
}

impl GradeRow {
    /// The rule by which the score was computed; none without a verdict.
    pub fn score_rule(&self) -> Option<ScoreRule> {
        (self.outcome == "graded").then_some(self.scoring.rule)
    }
}

/// One message of a trajectory.
#[derive(Debug, Clone, PartialEq)]
pub struct MessageRow {
    /// The turn; 0 for the instruction.
    pub turn: u32,
    /// `system`, `user`, `assistant`, `note` or `compaction`.
    pub role: String,
    /// The message as JSON: `text`, and
    /// - of `system`: `tools`, the digest of the tools that the model saw, and `adapted`, a list
    ///   of what was changed in them for the provider;
    /// - of `assistant`: `reasoning` where there is some, `unreadable` where it is in none of the
    ///   forms that it may have, and `calls`, each with `id`, `name`, `arguments`, and
    ///   `malformed` where the model wrote no JSON object;
    /// - of `compaction`, instead of a text: `request` with `system` and `text`, `history`, the
    ///   messages that are summed up, `summary`, and `kept`, the messages that the model sees
    ///   from there on.
    pub content: Value,
    /// When it was recorded, in milliseconds since 1970-01-01T00:00:00Z.
    pub at_ms: i64,
}

/// One request to a model, also one that failed.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelCallRow {
    /// The turn that it was to give.
    pub turn: u32,
    /// `turn` or `compaction`.
    pub purpose: String,
    /// Which try, from 1.
    pub try_number: u32,
    /// When it began, in milliseconds since 1970-01-01T00:00:00Z.
    pub started_ms: i64,
    /// How long it took, in microseconds.
    pub elapsed_us: i64,
    /// `ok`, `retry` or `failed`.
    pub status: String,
    /// The kind of error.
    pub error_kind: Option<String>,
    /// The error.
    pub error: Option<String>,
    /// The SHA-256 of the request's body, in hexadecimal.
    pub request_digest: Option<String>,
    /// The reply as the provider sent it.
    pub raw: Option<Value>,
    /// What the provider says it took.
    pub usage: Option<Usage>,
    /// What it cost, where that is known.
    pub cost: Option<Cost>,
}

/// One tool call of a trajectory.
#[derive(Debug, Clone, PartialEq)]
pub struct CallRow {
    /// The turn that asked for it.
    pub turn: u32,
    /// Names the call within the attempt.
    pub call_id: String,
    /// The tool.
    pub name: String,
    /// Its arguments: an object, or a string where the model wrote what is none.
    pub arguments: Value,
    /// When it began, in milliseconds since 1970-01-01T00:00:00Z.
    pub started_ms: i64,
    /// How long it took, in microseconds; none if it never came back.
    pub elapsed_us: Option<i64>,
    /// Its result.
    pub result: Option<Value>,
    /// Whether the tool said that it failed.
    pub is_error: bool,
    /// Why there is no result.
    pub error: Option<String>,
}

/// What was said and done in an attempt.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Trajectory {
    /// The messages in order.
    pub messages: Vec<MessageRow>,
    /// The tool calls in order.
    pub calls: Vec<CallRow>,
}

/// What [`attempt_row`] reads of attempts `a` of experiments `e`.
fn attempts_where(condition: &str) -> String {
    let columns = ATTEMPT.map(|column| format!("a.{column}")).join(", ");
    format!(
        "
SELECT {columns}, a.sum, e.name, {GRADE}
FROM attempts a
JOIN experiments e ON e.id = a.experiment
LEFT JOIN grades g ON g.id = a.grade
WHERE {condition}"
    )
}

/// Where the columns of [`GRADE`] begin in it.
const GRADE_AT: usize = ATTEMPT.len() + 2;

/// Only the last try of each attempt counts.
pub(super) const LAST_TRY: &str = "NOT EXISTS (
    SELECT 1 FROM attempts b
    WHERE b.experiment = a.experiment AND b.position = a.position AND b.try > a.try)";

impl Journal {
    /// The experiments, the newest first, at most `limit` of them.
    ///
    /// # Errors
    ///
    /// When the journal cannot be read.
    pub fn experiments(&self, limit: usize) -> Result<Vec<ExperimentRow>, JournalError> {
        self.experiments_since(None, limit)
    }

    /// The newest experiments, of which none began before `start_ms` where that is given.
    ///
    /// # Errors
    ///
    /// When the journal cannot be read.
    pub fn experiments_since(
        &self,
        start_ms: Option<i64>,
        limit: usize,
    ) -> Result<Vec<ExperimentRow>, JournalError> {
        experiments(
            &self.lock(),
            "WHERE created_ms >= ?1 ORDER BY created_ms DESC, id LIMIT ?2",
            &[
                &start_ms.unwrap_or(i64::MIN),
                &i64::try_from(limit).unwrap_or(i64::MAX),
            ],
        )
    }

    /// The newest experiment that was begun here.
    ///
    /// # Errors
    ///
    /// When the journal cannot be read.
    pub fn newest_of_here(&self) -> Result<Option<ExperimentRow>, JournalError> {
        let newest = "WHERE imported_ms IS NULL ORDER BY created_ms DESC, id LIMIT ?1";
        Ok(experiments(&self.lock(), newest, &[&1])?.pop())
    }

    /// One experiment by its name.
    ///
    /// # Errors
    ///
    /// When there is none of that name.
    pub fn experiment(&self, name: &str) -> Result<ExperimentRow, JournalError> {
        experiments(&self.lock(), "WHERE name = ?1", &[&name])?
            .pop()
            .ok_or_else(|| JournalError::Unknown {
                what: "experiment",
                name: name.to_owned(),
            })
    }

    /// The attempts of an experiment in the order of its plan, the last try of each.
    ///
    /// # Errors
    ///
    /// When the journal cannot be read.
    pub fn attempts(&self, experiment: &str) -> Result<Vec<AttemptRow>, JournalError> {
        let connection = self.lock();
        let mut query = connection.prepare_cached(&attempts_where(&format!(
            "e.name = ?1 AND {LAST_TRY} ORDER BY a.position"
        )))?;
        let mut rows = query.query([experiment])?;
        let mut attempts = Vec::new();
        let mut grades = HashMap::new();
        while let Some(row) = rows.next()? {
            let (attempt, sum) = attempt_row(row)?;
            if let Some(sum) = sum {
                grades.insert(sum.id, (attempts.len(), sum));
            }
            attempts.push(attempt);
        }
        let mut query = connection.prepare_cached(
            "SELECT c.grade, c.seq, c.name, c.passed, c.detail
             FROM experiments e JOIN attempts a ON a.experiment = e.id
             JOIN checks c ON c.grade = a.grade WHERE e.name = ?1 ORDER BY c.grade, c.seq",
        )?;
        let mut rows = query.query([experiment])?;
        while let Some(row) = rows.next()? {
            let Some((index, sum)) = grades.get_mut(&row.get(0)?) else {
                continue;
            };
            sum.add(row, 1)?;
            let attempt: Option<&mut AttemptRow> = attempts.get_mut(*index);
            if let Some(grade) = attempt.and_then(|attempt| attempt.grade.as_mut()) {
                grade.checks.push(check(row, 2)?);
            }
        }
        for (_, sum) in grades.into_values() {
            sum.end()?;
        }
        Ok(attempts)
    }

    /// One attempt by its id or the beginning of it.
    ///
    /// # Errors
    ///
    /// When none fits, or more than one.
    pub fn attempt(&self, prefix: &str) -> Result<AttemptRow, JournalError> {
        let unknown = || JournalError::Unknown {
            what: "attempt",
            name: prefix.to_owned(),
        };
        if prefix.is_empty() || !prefix.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(unknown());
        }
        let connection = self.lock();
        let mut query =
            connection.prepare_cached(&attempts_where("a.id >= ?1 AND a.id < ?1 || 'g'"))?;
        // Ids are in lower case, and `g` comes after every digit of theirs.
        let mut rows = query.query([prefix.to_ascii_lowercase()])?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            found.push(attempt_row(row)?);
        }
        let count = found.len();
        match found.pop() {
            None => Err(unknown()),
            Some(_) if count > 1 => Err(JournalError::Ambiguous {
                name: prefix.to_owned(),
                count,
            }),
            Some((mut attempt, sum)) => {
                if let (Some(sum), Some(grade)) = (sum, attempt.grade.take()) {
                    attempt.grade = Some(whole(&connection, (grade, sum))?);
                }
                Ok(attempt)
            }
        }
    }

    /// The newest attempt at a task from one starting state that passed.
    ///
    /// # Errors
    ///
    /// When the journal cannot be read.
    pub fn passing_attempt(
        &self,
        task: &str,
        world: &Digest,
    ) -> Result<Option<AttemptRow>, JournalError> {
        let connection = self.lock();
        let mut query = connection.prepare_cached(&attempts_where(
            "a.task = ?1 AND a.world = ?2 AND a.passed = 1 ORDER BY a.started_ms DESC LIMIT 1",
        ))?;
        let mut rows = query.query(params![task, world.to_string()])?;
        let found = rows.next()?.map(attempt_row).transpose()?;
        Ok(found.map(|(attempt, _)| attempt))
    }

    /// What was said and done in an attempt, by its whole id.
    ///
    /// # Errors
    ///
    /// When the journal cannot be read.
    pub fn trajectory(&self, attempt: &str) -> Result<Trajectory, JournalError> {
        let connection = self.lock();
        let mut trajectory = Trajectory::default();
        rows_of(&connection, &MESSAGES, attempt, |columns| {
            trajectory.messages.push(MessageRow {
                turn: columns.next()?,
                role: columns.next()?,
                content: json(&connection, columns.next()?)?,
                at_ms: columns.next()?,
            });
            Ok(())
        })?;
        rows_of(&connection, &TOOL_CALLS, attempt, |columns| {
            trajectory.calls.push(CallRow {
                turn: columns.next()?,
                call_id: columns.next()?,
                name: columns.next()?,
                arguments: json(&connection, columns.next()?)?,
                started_ms: columns.next()?,
                elapsed_us: columns.next()?,
                result: optional_json(&connection, columns.next()?)?,
                is_error: columns.next::<Option<bool>>()?.unwrap_or(false),
                error: columns.next()?,
            });
            Ok(())
        })?;
        Ok(trajectory)
    }

    /// The requests to the model in an attempt, by its whole id, in order.
    ///
    /// # Errors
    ///
    /// When the journal cannot be read.
    pub fn model_calls(&self, attempt: &str) -> Result<Vec<ModelCallRow>, JournalError> {
        let connection = self.lock();
        let mut calls = Vec::new();
        rows_of(&connection, &MODEL_CALLS, attempt, |columns| {
            calls.push(ModelCallRow {
                turn: columns.next()?,
                purpose: columns.next()?,
                try_number: columns.next()?,
                started_ms: columns.next()?,
                elapsed_us: columns.next()?,
                status: columns.next()?,
                error_kind: columns.next()?,
                error: columns.next()?,
                request_digest: columns.next()?,
                raw: optional_json(&connection, columns.next()?)?,
                usage: usage(columns)?,
                cost: cost(columns)?,
            });
            Ok(())
        })?;
        Ok(calls)
    }

    /// The tools that a model saw, by the digest in its attempt's system message.
    ///
    /// # Errors
    ///
    /// When the journal cannot be read, or has other tools or none by this digest.
    pub fn tool_set(&self, digest: &str) -> Result<Value, JournalError> {
        let connection = self.lock();
        let mut query =
            connection.prepare_cached("SELECT tools FROM tool_sets WHERE digest = ?1")?;
        let tools = query.query_row([digest], |row| {
            Ok(row.get_ref(0)?.as_bytes().unwrap_or_default().to_vec())
        });
        match tools.optional()? {
            Some(tools) if Digest::of(&tools).hex() == digest => {
                Ok(serde_json::from_slice(&tools)?)
            }
            _ => Err(JournalError::Damaged(format!("the tools {digest}"))),
        }
    }
}

fn experiments(
    connection: &Connection,
    tail: &str,
    arguments: &[&dyn ToSql],
) -> Result<Vec<ExperimentRow>, JournalError> {
    let mut query =
        connection.prepare_cached(&format!("SELECT {EXPERIMENT}, sum FROM experiments {tail}"))?;
    // The bare columns beside `max(try)` are those of the last try, and the index has them all.
    let mut progress = connection.prepare_cached(
        "SELECT count(*), coalesce(sum(passed IS NOT NULL), 0), coalesce(sum(passed = 1), 0)
         FROM (SELECT max(try), outcome, passed FROM attempts INDEXED BY attempts_by_place
               WHERE experiment = ?1 GROUP BY position)",
    )?;
    let mut rows = query.query(arguments)?;
    let mut experiments = Vec::new();
    while let Some(row) = rows.next()? {
        compare_row(row, 6, || format!("experiment {}", shown(row, 0)))?;
        let id: String = row.get(0)?;
        let (attempts, graded, passed) =
            progress.query_row([&id], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
        experiments.push(ExperimentRow {
            id,
            name: row.get(1)?,
            created_ms: row.get(2)?,
            spec: row.get(3)?,
            imported_ms: row.get(4)?,
            accepted_ms: row.get(5)?,
            attempts,
            graded,
            passed,
        });
    }
    Ok(experiments)
}

/// An attempt, and its last grade's sum, to which its checks are still to be added.
fn attempt_row(row: &Row<'_>) -> Result<(AttemptRow, Option<GradeSum>), JournalError> {
    compare_row(row, ATTEMPT.len(), || format!("attempt {}", shown(row, 0)))?;
    let mut columns = Columns::of(row);
    let mut attempt = AttemptRow {
        id: columns.next()?,
        position: {
            columns.skip(1);
            columns.next::<i64>()? as usize
        },
        task: columns.next()?,
        agent: columns.next()?,
        agent_settings: columns.next()?,
        model: columns.next()?,
        model_settings: columns.next()?,
        k: columns.next()?,
        try_number: columns.next()?,
        bundle: columns.next()?,
        world: columns.next()?,
        status: columns.next()?,
        started_ms: columns.next()?,
        ended_ms: columns.next()?,
        ended: columns.next()?,
        ended_detail: columns.next()?,
        answer: columns.next()?,
        state: columns.next()?,
        outcome: columns.next()?,
        error: columns.next()?,
        usage: usage(&mut columns)?,
        cost: cost(&mut columns)?,
        turns: columns.next()?,
        tool_calls: columns.next()?,
        malformed_calls: columns.next()?,
        agent_us: columns.next()?,
        model_us: columns.next()?,
        tool_us: columns.next()?,
        grade: None,
        experiment: row.get(ATTEMPT.len() + 1)?,
    };
    if row.get_ref(GRADE_AT)? == ValueRef::Null {
        return Ok((attempt, None));
    }
    let (grade, sum) = grade_at(row, GRADE_AT)?;
    attempt.grade = Some(grade);
    Ok((attempt, Some(sum)))
}

/// A grade without its checks, by the columns of [`GRADE`] from `first` on.
pub(super) fn grade_at(row: &Row<'_>, first: usize) -> rusqlite::Result<(GradeRow, GradeSum)> {
    let sum = GradeSum::of(row, first)?;
    let mut columns = Columns::of(row);
    // Its id, its sum, its attempt and its time.
    columns.skip(first + 4);
    let grade = GradeRow {
        verifier: columns.next()?,
        engine: columns.next()?,
        terms: columns.next()?,
        bundle: columns.next()?,
        outcome: columns.next()?,
        passed: columns.next()?,
        score: columns.next()?,
        fault_kind: columns.next()?,
        fault_message: columns.next()?,
        log: columns.next()?,
        scoring: scoring(columns.next()?)?,
        checks: Vec::new(),
    };
    Ok((grade, sum))
}

/// What the score of a grade follows from; without a document, the share of checks.
pub(super) fn scoring(document: Option<String>) -> rusqlite::Result<Scoring> {
    let Some(document) = document else {
        return Ok(Scoring::default());
    };
    serde_json::from_str(&document)
        .map_err(|error| rusqlite::Error::FromSqlConversionFailure(0, Type::Text, Box::new(error)))
}

/// A grade with its checks, which is as it was written.
pub(super) fn whole(
    connection: &Connection,
    (mut grade, mut sum): (GradeRow, GradeSum),
) -> Result<GradeRow, JournalError> {
    let mut query = connection.prepare_cached(
        "SELECT seq, name, passed, detail FROM checks WHERE grade = ?1 ORDER BY seq",
    )?;
    let mut rows = query.query([sum.id])?;
    while let Some(row) = rows.next()? {
        sum.add(row, 0)?;
        grade.checks.push(check(row, 1)?);
    }
    sum.end()?;
    Ok(grade)
}

fn check(row: &Row<'_>, first: usize) -> rusqlite::Result<Check> {
    Ok(Check {
        name: row.get(first)?,
        passed: row.get(first + 1)?,
        detail: row.get(first + 2)?,
    })
}

/// Reads the rows of one table that belong to an attempt, in order, from the column after `seq` on.
fn rows_of(
    connection: &Connection,
    part: &Part,
    attempt: &str,
    mut read: impl FnMut(&mut Columns<'_, '_>) -> Result<(), JournalError>,
) -> Result<(), JournalError> {
    let mut sums = RowSums::of(connection, part, attempt)?;
    let mut query = connection.prepare_cached(&format!(
        "SELECT {} FROM {} WHERE attempt = ?1 ORDER BY seq",
        part.columns, part.table
    ))?;
    let mut rows = query.query([attempt])?;
    while let Some(row) = rows.next()? {
        sums.compare(row)?;
        let mut columns = Columns::of(row);
        columns.skip(1);
        read(&mut columns)?;
    }
    sums.end()
}

/// The four token columns that attempts and model calls have; the input says whether they are known.
fn usage(columns: &mut Columns<'_, '_>) -> rusqlite::Result<Option<Usage>> {
    let mut count = || {
        let number: Option<i64> = columns.next()?;
        Ok::<_, rusqlite::Error>(number.map(i64::unsigned_abs))
    };
    let [input, cached, output, reasoning] = [count()?, count()?, count()?, count()?];
    Ok(input.map(|input| Usage {
        input,
        cached: cached.unwrap_or(0),
        output: output.unwrap_or(0),
        reasoning: reasoning.unwrap_or(0),
    }))
}

fn cost(columns: &mut Columns<'_, '_>) -> rusqlite::Result<Option<Cost>> {
    let nano: Option<i64> = columns.next()?;
    Ok(nano.map(|nano| Cost::from_nano_usd(nano.unsigned_abs())))
}

fn json(connection: &Connection, text: String) -> Result<Value, JournalError> {
    Ok(serde_json::from_str(&unpack(connection, text)?)?)
}

fn optional_json(
    connection: &Connection,
    text: Option<String>,
) -> Result<Option<Value>, JournalError> {
    text.map(|text| json(connection, text)).transpose()
}
