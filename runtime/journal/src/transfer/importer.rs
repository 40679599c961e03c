//! Importer of rows: validates each row, and assigns new numbers to grades and regrades.

use std::collections::HashMap;

use mcpmark_snapshot::Digest;
use rusqlite::types::Value as Sql;
use rusqlite::{OptionalExtension, Transaction, params_from_iter};
use serde_json::{Map, Value};

use super::{HERE, JournalError, Line, Lines, Need, RowTransferError, SUM, TABLES, validate};
use crate::grades::GradeKind;
use crate::texts::{is_packed, pack};
use crate::words::UnknownWord;
use crate::{InterfaceVersions, OutcomeKind, Scoring, Spec, now_ms, words};

/// State of the import of one experiment.
pub(super) struct RowImporter<'a> {
    transaction: &'a Transaction<'a>,
    /// Checks that the store has an object that an attempt needs. The error is the problem.
    kept: &'a dyn Fn(Need<'_>) -> Result<(), &'static str>,
    /// Id and name of the experiment.
    pub(super) experiment: Option<(String, String)>,
    plan: Option<validate::Plan>,
    /// Attempt of the previous row, as a cache: the rows of one attempt follow each other.
    last: Option<String>,
    grades: HashMap<i64, i64>,
    regrades: HashMap<i64, i64>,
}

impl<'a> RowImporter<'a> {
    pub(super) fn into(
        transaction: &'a Transaction<'a>,
        kept: &'a dyn Fn(Need<'_>) -> Result<(), &'static str>,
    ) -> Self {
        Self {
            transaction,
            kept,
            experiment: None,
            plan: None,
            last: None,
            grades: HashMap::new(),
            regrades: HashMap::new(),
        }
    }

    /// Returns true if the attempt was already imported as part of this experiment.
    fn is_own(&mut self, attempt: &str) -> Result<bool, RowTransferError> {
        let Some((experiment, _)) = &self.experiment else {
            return Ok(false);
        };
        if self.last.as_deref() != Some(attempt) {
            let query = "SELECT 1 FROM attempts WHERE id = ?1 AND experiment = ?2";
            let mut query = self.transaction.prepare_cached(query)?;
            let there = query.exists([attempt, experiment])?;
            self.last = there.then(|| attempt.to_owned());
        }
        Ok(self.last.is_some())
    }

    fn need(&self, attempt: &str, need: Need<'_>) -> Result<(), RowTransferError> {
        (self.kept)(need).map_err(|problem| RowTransferError::Missing {
            attempt: attempt.to_owned(),
            what: need.what(),
            digest: *need.digest(),
            problem,
        })
    }

    /// Returns the name of the experiment that has an attempt with this id; none if no such attempt exists.
    fn whose(&self, attempt: &str) -> Result<Option<String>, RowTransferError> {
        let query = "SELECT e.name FROM attempts a JOIN experiments e ON e.id = a.experiment
                     WHERE a.id = ?1";
        let mut query = self.transaction.prepare_cached(query)?;
        Ok(query.query_row([attempt], |row| row.get(0)).optional()?)
    }

    pub(super) fn take(&mut self, line: Line, lines: &Lines<'_>) -> Result<(), RowTransferError> {
        let transaction = self.transaction;
        let Line { table, mut row } = line;
        let wrong = |problem: &str| lines.wrong(problem);
        let (table, _) = TABLES
            .iter()
            .find(|(known, _)| *known == table)
            .ok_or_else(|| wrong("unknown table"))?;
        let attempt = row.get("attempt").and_then(Value::as_str);
        let own = match attempt {
            Some(attempt) => self.is_own(attempt)?,
            None => false,
        };
        let text = |key: &str| row.get(key).and_then(Value::as_str).map(str::to_owned);
        let is_set = |key: &str| row.get(key).is_some_and(|value| !value.is_null());
        let digest = |key: &str| match row.get(key) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => match value.as_str().and_then(|text| text.parse::<Digest>().ok()) {
                Some(digest) => Ok(Some(digest)),
                None => Err(lines.wrong(&format!("its {key} is not a digest"))),
            },
        };
        let unknown_outcome = |UnknownWord { expected, .. }: UnknownWord| {
            wrong(&format!("unknown outcome; expected one of {expected}"))
        };
        if let Some(problem) = validate::problem(table, &row) {
            return Err(wrong(&problem));
        }
        let mut number = None;
        match *table {
            "experiments" => {
                let (id, name) = (text("id"), text("name"));
                let (Some(id), Some(name)) = (id.filter(is_id), name.filter(is_name)) else {
                    return Err(wrong("its id or name is not valid"));
                };
                if let Some(spec) = text("spec") {
                    let spec = serde_json::from_str::<Spec>(&spec);
                    let spec = spec.map_err(|error| error.to_string());
                    let spec = spec.and_then(|spec| match validate::plan_problem(&spec) {
                        Some(problem) => Err(problem),
                        None => Ok(spec),
                    });
                    match spec {
                        Ok(spec) => self.plan = Some(validate::Plan::of(spec)),
                        Err(error) => {
                            return Err(wrong(&format!("its plan is not valid: {error}")));
                        }
                    }
                }
                let taken = "SELECT 1 FROM experiments WHERE name = ?1 OR id = ?2";
                let taken = transaction
                    .query_row(taken, [&name, &id], |_| Ok(()))
                    .optional()?;
                if taken.is_some() {
                    return Err(JournalError::NameTaken(name).into());
                }
                if self.experiment.replace((id, name)).is_some() {
                    return Err(wrong("expected one experiment, found a second one"));
                }
                let now = now_ms();
                // Clocks differ. The creation time is limited to now, so that an imported experiment is not newer than
                // later local ones.
                let created = row.get("created_ms").and_then(Value::as_i64);
                if let Some(created) = created {
                    row.insert("created_ms".to_owned(), created.clamp(0, now).into());
                }
                for (name, value) in HERE.iter().zip([now.into(), Value::Null]) {
                    if row.insert((*name).to_owned(), value).is_some() {
                        return Err(wrong("its columns do not match its table"));
                    }
                }
            }
            "attempts" => {
                let ours = self.experiment.as_ref().map(|(id, _)| id.as_str());
                let id = text("id").filter(is_id);
                let id = id.filter(|_| ours.is_some() && text("experiment").as_deref() == ours);
                let id = id.ok_or_else(|| wrong("it is not an attempt of the experiment"))?;
                if let Some(whose) = self.whose(&id)? {
                    return Err(wrong(&format!(
                        "attempt {id} already exists in experiment {whose:?}"
                    )));
                }
                if !self.plan.as_ref().is_some_and(|plan| plan.has(&row)) {
                    return Err(wrong(
                        "the plan of the experiment has another attempt or none at its position",
                    ));
                }
                if let Some(outcome) = text("outcome") {
                    words::parse::<OutcomeKind>(&outcome).map_err(unknown_outcome)?;
                } else if is_set("outcome") {
                    return Err(wrong("its outcome is not a text"));
                }
                if !is_set("ended") && is_set("ended_detail") {
                    return Err(wrong("it has details of an end, but no end"));
                }
                digest("bundle")?;
                if let Some(start) = digest("world")? {
                    self.need(&id, Need::Start(&start))?;
                }
                if let Some(state) = digest("state")? {
                    self.need(&id, Need::State(&state))?;
                }
                // The summary columns are computed after all rows have been imported.
                row.insert("grade".to_owned(), Value::Null);
            }
            "tool_sets" => {
                let of_tools = text("tools").map(|tools| Digest::of(tools.as_bytes()).hex());
                if of_tools.is_none() || of_tools != text("digest") {
                    return Err(wrong("its tools do not match its digest"));
                }
            }
            "regrades" => number = row.insert("id".to_owned(), Value::Null),
            "grades" => {
                if !own {
                    return Err(wrong("it does not belong to an attempt of the experiment"));
                }
                if let Some(outcome) = text("outcome") {
                    words::parse::<GradeKind>(&outcome).map_err(unknown_outcome)?;
                }
                digest("bundle")?;
                let verifier = digest("verifier")?;
                let verifier = verifier.ok_or_else(|| wrong("its verifier is not a digest"))?;
                // Grades without terms are from before the store kept verifiers.
                if let Some(terms) = digest("terms")? {
                    let attempt = text("attempt").unwrap_or_default();
                    self.need(&attempt, Need::Terms(&terms, &verifier))?;
                    self.need(&attempt, Need::Verifier(&verifier))?;
                }
                renumber(&mut row, "regrade", &self.regrades, lines)?;
                // Journals of format 4 lack the task digest of a grade, those before 10 have a single score rule, and
                // those before 11 do not name servers.
                row.entry("bundle").or_insert(Value::Null);
                match row.entry("scoring").or_insert(Value::Null) {
                    Value::Null => {}
                    Value::String(scoring) => {
                        let read = serde_json::from_str::<Scoring>(scoring);
                        read.map_err(|error| wrong(&format!("its scoring is not valid: {error}")))?;
                    }
                    _ => return Err(wrong("its scoring is not a text")),
                }
                match row.entry("interfaces").or_insert(Value::Null) {
                    Value::Null => {}
                    Value::String(interfaces) => {
                        let read = serde_json::from_str::<InterfaceVersions>(interfaces);
                        read.map_err(|error| {
                            wrong(&format!("its interfaces are not valid: {error}"))
                        })?;
                    }
                    _ => return Err(wrong("its interfaces are not a text")),
                }
                number = row.insert("id".to_owned(), Value::Null);
            }
            "checks" => {
                if !row.get("grade").is_some_and(Value::is_i64) {
                    return Err(wrong("it does not belong to a grade"));
                }
                renumber(&mut row, "grade", &self.grades, lines)?;
            }
            _ if own => {}
            _ => return Err(wrong("it does not belong to an attempt of the experiment")),
        }
        insert(transaction, table, row, lines)?;
        if let Some(number) = number {
            let number = number
                .as_i64()
                .ok_or_else(|| wrong("its id is not a number"))?;
            let numbers = match *table {
                "grades" => &mut self.grades,
                _ => &mut self.regrades,
            };
            numbers.insert(number, transaction.last_insert_rowid());
        }
        Ok(())
    }
}

/// Replaces a number of the exporting journal with the one assigned by this journal.
fn renumber(
    row: &mut Map<String, Value>,
    key: &str,
    numbers: &HashMap<i64, i64>,
    lines: &Lines<'_>,
) -> Result<(), RowTransferError> {
    if let Some(value) = row.get_mut(key).filter(|value| !value.is_null()) {
        let known = value.as_i64().and_then(|number| numbers.get(&number));
        let problem = || lines.wrong(&format!("its {key} does not exist in the experiment"));
        *value = (*known.ok_or_else(problem)?).into();
    }
    Ok(())
}

/// Inserts a row, which must have exactly the columns of its table.
fn insert(
    transaction: &Transaction<'_>,
    table: &str,
    mut row: Map<String, Value>,
    lines: &Lines<'_>,
) -> Result<(), RowTransferError> {
    let query = transaction.prepare_cached(&format!("SELECT * FROM {table} LIMIT 0"))?;
    let columns: Vec<String> = query.column_names().map(str::to_owned).collect();
    drop(query);
    let value = |name: &String| match name.as_str() {
        SUM => Some(Sql::Null),
        name => sql(row.remove(name)?),
    };
    let values: Option<Vec<Sql>> = columns.iter().map(value).collect();
    let values = values.filter(|_| row.is_empty());
    let mut values = values.ok_or_else(|| lines.wrong("its columns do not match its table"))?;
    for (name, value) in columns.iter().zip(&mut values) {
        if let Sql::Text(text) = value
            && is_packed(table, name)
        {
            *text = pack(transaction, std::mem::take(text))?;
        }
    }
    let places = vec!["?"; columns.len()].join(", ");
    let or = if table == "tool_sets" {
        "OR IGNORE "
    } else {
        ""
    };
    let names = columns.join(", ");
    let text = format!("INSERT {or}INTO {table} ({names}) VALUES ({places})");
    let written = transaction
        .prepare_cached(&text)?
        .execute(params_from_iter(values));
    written
        .map(drop)
        .map_err(|error| lines.refused(error, "invalid values"))
}

/// Returns true for a valid id. Ids are also used as names of lock files.
#[expect(clippy::ptr_arg, reason = "a filter of an option")]
fn is_id(id: &String) -> bool {
    (8..=64).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_hexdigit())
}

#[expect(clippy::ptr_arg, reason = "a filter of an option")]
fn is_name(name: &String) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    (1..=100).contains(&name.len()) && name.bytes().all(allowed) && !name.starts_with(['-', '.'])
}

fn sql(value: Value) -> Option<Sql> {
    Some(match value {
        Value::Null => Sql::Null,
        Value::String(text) => Sql::Text(text),
        Value::Number(number) => match number.as_i64() {
            Some(number) => Sql::Integer(number),
            None => Sql::Real(number.as_f64()?),
        },
        Value::Bool(_) | Value::Array(_) | Value::Object(_) => return None,
    })
}
