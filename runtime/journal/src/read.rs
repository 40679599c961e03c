//! Queries of experiments, attempts, grades and trajectories.

use std::collections::HashMap;

use mcpmark_model::{Cost, Usage};
use mcpmark_snapshot::Digest;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension, Row, ToSql, params};
use serde_json::Value;

use super::columns::Columns;
use super::grades::StoredGrade;
use super::rows::{AttemptRow, CallRow, ExperimentRow, MessageRow, ModelCallRow, Trajectory};
use super::sums::{
    ATTEMPT, EXPERIMENT, GRADE, MESSAGES, MODEL_CALLS, Part, RowSums, TOOL_CALLS, compare_row,
    shown,
};
use super::texts::unpack;
use super::{End, Journal, JournalError};

/// Returns the query of attempts `a` and experiments `e` with the columns that [`attempt_row`] reads.
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

/// Index of the first column of [`GRADE`] in the query of [`attempts_where`].
const GRADE_AT: usize = ATTEMPT.len() + 2;

/// SQL condition that selects the last try of each attempt.
pub(super) const LAST_TRY: &str = "NOT EXISTS (
    SELECT 1 FROM attempts b
    WHERE b.experiment = a.experiment AND b.position = a.position AND b.try > a.try)";

impl Journal {
    /// Returns at most `limit` experiments, the newest first.
    ///
    /// # Errors
    ///
    /// Returns an error if the journal cannot be read.
    pub fn experiments(&self, limit: usize) -> Result<Vec<ExperimentRow>, JournalError> {
        self.experiments_since(None, limit)
    }

    /// Returns at most `limit` experiments that were created at `start_ms` or later, the newest first.
    ///
    /// # Errors
    ///
    /// Returns an error if the journal cannot be read.
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

    /// Returns the newest experiment that was not imported.
    ///
    /// # Errors
    ///
    /// Returns an error if the journal cannot be read.
    pub fn latest_local(&self) -> Result<Option<ExperimentRow>, JournalError> {
        let newest = "WHERE imported_ms IS NULL ORDER BY created_ms DESC, id LIMIT ?1";
        Ok(experiments(&self.lock(), newest, &[&1])?.pop())
    }

    /// Returns an experiment by its name.
    ///
    /// # Errors
    ///
    /// Returns an error if no experiment has this name, or the journal cannot be read.
    pub fn experiment(&self, name: &str) -> Result<ExperimentRow, JournalError> {
        experiments(&self.lock(), "WHERE name = ?1", &[&name])?
            .pop()
            .ok_or_else(|| JournalError::Unknown {
                what: "experiment",
                name: name.to_owned(),
            })
    }

    /// Returns the last try of each attempt of an experiment, in the order of the plan.
    ///
    /// # Errors
    ///
    /// Returns an error if the journal cannot be read.
    pub fn attempts(&self, experiment: &str) -> Result<Vec<AttemptRow>, JournalError> {
        let connection = self.lock();
        let mut query = connection.prepare_cached(&attempts_where(&format!(
            "e.name = ?1 AND {LAST_TRY} ORDER BY a.position"
        )))?;
        let mut rows = query.query([experiment])?;
        let mut attempts = Vec::new();
        let mut grades = HashMap::new();
        while let Some(row) = rows.next()? {
            if let Some(grade) = grade_of(row)? {
                grades.insert(grade.id(), (attempts.len(), grade));
            }
            attempts.push(attempt_row(row)?);
        }
        let mut query = connection.prepare_cached(
            "SELECT c.grade, c.seq, c.name, c.passed, c.detail
             FROM experiments e JOIN attempts a ON a.experiment = e.id
             JOIN checks c ON c.grade = a.grade WHERE e.name = ?1 ORDER BY c.grade, c.seq",
        )?;
        let mut rows = query.query([experiment])?;
        while let Some(row) = rows.next()? {
            if let Some((_, grade)) = grades.get_mut(&row.get(0)?) {
                grade.add_check(row, 1)?;
            }
        }
        for (index, grade) in grades.into_values() {
            attempts[index].grade = Some(grade.end()?);
        }
        Ok(attempts)
    }

    /// Returns an attempt by its id or a prefix of the id.
    ///
    /// # Errors
    ///
    /// Returns an error if none or several attempts match, or the journal cannot be read.
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
        // Ids are lower-case hexadecimal, and `g` sorts after all of their digits.
        let mut rows = query.query([prefix.to_ascii_lowercase()])?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            found.push((attempt_row(row)?, grade_of(row)?));
        }
        let count = found.len();
        match found.pop() {
            None => Err(unknown()),
            Some(_) if count > 1 => Err(JournalError::Ambiguous {
                name: prefix.to_owned(),
                count,
            }),
            Some((mut attempt, grade)) => {
                let grade = grade.map(|grade| grade.with_checks(&connection));
                attempt.grade = grade.transpose()?;
                Ok(attempt)
            }
        }
    }

    /// Returns the newest passed attempt of a task from the given starting state. Its grade is not read.
    ///
    /// # Errors
    ///
    /// Returns an error if the journal cannot be read.
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
        rows.next()?.map(attempt_row).transpose()
    }

    /// Returns the messages and tool calls of an attempt, by its full id.
    ///
    /// # Errors
    ///
    /// Returns an error if the journal cannot be read.
    pub fn trajectory(&self, attempt: &str) -> Result<Trajectory, JournalError> {
        let connection = self.lock();
        let mut trajectory = Trajectory::default();
        rows_of(&connection, &MESSAGES, attempt, |columns| {
            trajectory.messages.push(MessageRow {
                turn: columns.next()?,
                role: columns.word(|| format!("a message of attempt {attempt}"), "role")?,
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

    /// Returns the requests to the model of an attempt in order, by its full id.
    ///
    /// # Errors
    ///
    /// Returns an error if the journal cannot be read.
    pub fn model_calls(&self, attempt: &str) -> Result<Vec<ModelCallRow>, JournalError> {
        let connection = self.lock();
        let mut calls = Vec::new();
        let place = || format!("a model call of attempt {attempt}");
        rows_of(&connection, &MODEL_CALLS, attempt, |columns| {
            calls.push(ModelCallRow {
                turn: columns.next()?,
                purpose: columns.word(place, "purpose")?,
                try_number: columns.next()?,
                started_ms: columns.next()?,
                elapsed_us: columns.next()?,
                status: columns.word(place, "status")?,
                error_kind: columns.next()?,
                error: columns.next()?,
                request_digest: columns.optional_hex_digest(place, "request_digest")?,
                raw: optional_json(&connection, columns.next()?)?,
                usage: usage(columns)?,
                cost: cost(columns)?,
            });
            Ok(())
        })?;
        Ok(calls)
    }

    /// Returns the tools that a model saw, by the digest in the system message of its attempt.
    ///
    /// # Errors
    ///
    /// Returns an error if the journal cannot be read, or has no tools that match this digest.
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
            _ => Err(JournalError::Damaged(format!("tool set {digest}"))),
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
    // With `max(try)`, SQLite takes the bare columns from the row of the last try. The index covers all of them.
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

/// Reads an attempt without its grade.
fn attempt_row(row: &Row<'_>) -> Result<AttemptRow, JournalError> {
    compare_row(row, ATTEMPT.len(), || format!("attempt {}", shown(row, 0)))?;
    let mut columns = Columns::of(row);
    let place = || format!("attempt {}", shown(row, 0));
    Ok(AttemptRow {
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
        task_digest: columns.optional_digest(place, "bundle")?,
        world: columns.optional_digest(place, "world")?,
        status: columns.word(place, "status")?,
        started_ms: columns.next()?,
        ended_ms: columns.next()?,
        end: end(&mut columns, place)?,
        answer: columns.next()?,
        state: columns.optional_digest(place, "state")?,
        outcome: columns.optional_word(place, "outcome")?,
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
    })
}

/// Reads the last grade of an attempt without its checks; none if the attempt has no grade.
fn grade_of(row: &Row<'_>) -> Result<Option<StoredGrade>, JournalError> {
    if row.get_ref(GRADE_AT)? == ValueRef::Null {
        return Ok(None);
    }
    StoredGrade::of(row, GRADE_AT).map(Some)
}

/// Reads the columns `ended` and `ended_detail`. `place` describes the row.
fn end(
    columns: &mut Columns<'_, '_>,
    place: impl Fn() -> String,
) -> Result<Option<End>, JournalError> {
    let kind = columns.optional_word(&place, "ended")?;
    let detail: Option<String> = columns.next()?;
    match (kind, detail) {
        (Some(kind), detail) => Ok(Some(End { kind, detail })),
        (None, None) => Ok(None),
        (None, Some(_)) => Err(JournalError::Contradiction {
            row: place(),
            columns: "ended is null, ended_detail is present".to_owned(),
        }),
    }
}

/// Reads the rows of one table that belong to an attempt in order, without the column `seq`, and compares their check
/// sums.
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

/// Reads the four token columns of an attempt or a model call. The usage is unknown if the input tokens are null.
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
