//! The rows of one experiment, on their way to another journal.
//!
//! A line is a JSON object: the first says what follows, each other is one row. Ids of experiments and
//! attempts stay what they are; numbers of grades and regrades are those of the journal that takes them.

use std::collections::{HashMap, HashSet};
use std::io::{BufRead, Read, Write};

use mcpmark_snapshot::Digest;
use rusqlite::types::{Value as Sql, ValueRef};
use rusqlite::{OptionalExtension, Transaction, params_from_iter};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::durable::surely_or;
use super::schema::{CARRIED, FORMAT, SUMMARISE};
use super::{Journal, JournalError};
use crate::Spec;

const SCHEMA: u32 = 1;

/// The most bytes of one row: a tool's result may have 16 MiB, and its text may double in JSON.
const LONGEST: u64 = 256 << 20;

/// The tables, and which of their rows belong to the experiment `?1`; what a row names comes before it.
const TABLES: [(&str, &str); 9] = [
    ("experiments", "id = ?1"),
    ("attempts", "experiment = ?1 ORDER BY id"),
    (
        "messages",
        "attempt IN (SELECT id FROM attempts WHERE experiment = ?1) ORDER BY attempt, seq",
    ),
    (
        "tool_calls",
        "attempt IN (SELECT id FROM attempts WHERE experiment = ?1) ORDER BY attempt, seq",
    ),
    (
        "model_calls",
        "attempt IN (SELECT id FROM attempts WHERE experiment = ?1) ORDER BY attempt, seq",
    ),
    (
        "tool_sets",
        "digest IN (SELECT content ->> '$.tools' FROM messages WHERE role = 'system'
         AND attempt IN (SELECT id FROM attempts WHERE experiment = ?1)) ORDER BY digest",
    ),
    (
        "regrades",
        "id IN (SELECT regrade FROM grades WHERE attempt IN
         (SELECT id FROM attempts WHERE experiment = ?1)) ORDER BY id",
    ),
    (
        "grades",
        "attempt IN (SELECT id FROM attempts WHERE experiment = ?1) ORDER BY id",
    ),
    (
        "checks",
        "grade IN (SELECT id FROM grades WHERE attempt IN
         (SELECT id FROM attempts WHERE experiment = ?1)) ORDER BY grade, seq",
    ),
];

/// What comes of attempts, and of grades.
const OUTCOMES: [&str; 6] = [
    "graded",
    "verifier-fault",
    "infra-error",
    "invalid-task",
    "held-back",
    "cancelled",
];
const GRADES: [&str; 2] = ["graded", "verifier-fault"];

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    schema: u32,
    journal: i32,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    table: String,
    row: Map<String, Value>,
}

/// Why rows cannot be carried.
#[derive(Debug, thiserror::Error)]
pub enum CarryError {
    /// The journal cannot be read or written, or has the experiment already.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The rows cannot be read or written.
    #[error("the rows of the experiment cannot be carried")]
    Io(#[from] std::io::Error),
    /// The rows are of another format.
    #[error("the experiment is of {what} {found}, and this mcpmark carries {known}")]
    Format {
        /// What has the format.
        what: &'static str,
        /// Its format.
        found: i64,
        /// What is known here.
        known: i64,
    },
    /// A line is no row, or one of something else.
    #[error("row {line} of the experiment: {problem}")]
    Row {
        /// Counted from 1.
        line: u64,
        /// What is wrong with it.
        problem: String,
    },
    /// An attempt needs something that was not carried with it.
    #[error("attempt {attempt} needs the {what} {digest}, which is not carried with it")]
    Missing {
        /// The attempt.
        attempt: String,
        /// What it is.
        what: &'static str,
        /// Its digest.
        digest: Digest,
    },
}

impl From<rusqlite::Error> for CarryError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Journal(error.into())
    }
}

impl Journal {
    /// Writes the rows of an experiment, all as they are at one moment.
    ///
    /// # Errors
    ///
    /// When there is no such experiment, or something cannot be read or written.
    pub fn carry(&self, experiment: &str, out: &mut dyn Write) -> Result<(), CarryError> {
        let id = self.experiment(experiment)?.id;
        let mut connection = self.lock();
        let transaction = connection.transaction()?;
        let head = Head {
            schema: SCHEMA,
            journal: FORMAT,
        };
        write_line(out, &head)?;
        for (table, which) in TABLES {
            let mut query = transaction.prepare(&format!("SELECT * FROM {table} WHERE {which}"))?;
            let names: Vec<String> = query.column_names().map(str::to_owned).collect();
            let mut rows = query.query([&id])?;
            while let Some(row) = rows.next()? {
                let mut object = Map::new();
                for (index, name) in names.iter().enumerate() {
                    object.insert(name.clone(), json(row.get_ref(index)?));
                }
                let table = table.to_owned();
                write_line(out, &Line { table, row: object })?;
            }
        }
        Ok(())
    }

    /// Takes over an experiment from the rows of another journal, all of it or nothing. Gives its name.
    ///
    /// # Errors
    ///
    /// When the rows are not those of one experiment, or there is one of that name or id, or it
    /// needs something that is not `kept`.
    pub fn take_over(
        &self,
        rows: &mut dyn BufRead,
        kept: &dyn Fn(&Digest) -> bool,
    ) -> Result<String, CarryError> {
        let mut lines = Lines { rows, line: 0 };
        let head: Option<Head> = lines.next()?;
        let head = head.ok_or_else(|| lines.wrong("it is missing"))?;
        let (schema, journal) = (i64::from(SCHEMA), i64::from(FORMAT));
        for (what, found, oldest, known) in [
            ("schema", i64::from(head.schema), schema, schema),
            (
                "journal format",
                i64::from(head.journal),
                i64::from(CARRIED),
                journal,
            ),
        ] {
            if !(oldest..=known).contains(&found) {
                return Err(CarryError::Format { what, found, known });
            }
        }
        surely_or(&mut self.lock(), |transaction| {
            let mut taking = Taking::default();
            while let Some(line) = lines.next::<Line>()? {
                taking.take(transaction, line, &lines)?;
            }
            let mut needs = taking.needs.drain(..);
            if let Some((attempt, what, digest)) = needs.find(|(.., digest)| !kept(digest)) {
                return Err(CarryError::Missing {
                    attempt,
                    what,
                    digest,
                });
            }
            drop(needs);
            for attempt in &taking.attempts {
                let summed = transaction.execute(SUMMARISE, [attempt]);
                summed.map_err(|error| {
                    lines.refused(error, "what belongs to an attempt before it")
                })?;
            }
            let experiment = taking.experiment.take();
            Ok(experiment
                .ok_or_else(|| lines.wrong("no experiment is in it"))?
                .1)
        })
    }
}

fn write_line(out: &mut dyn Write, line: &impl Serialize) -> Result<(), CarryError> {
    serde_json::to_writer(&mut *out, line).map_err(std::io::Error::from)?;
    Ok(out.write_all(b"\n")?)
}

fn json(value: ValueRef<'_>) -> Value {
    match value {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number) => number.into(),
        ValueRef::Real(number) => number.into(),
        // No table has blobs, and all text is UTF-8.
        ValueRef::Text(text) | ValueRef::Blob(text) => String::from_utf8_lossy(text).into(),
    }
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

struct Lines<'a> {
    rows: &'a mut dyn BufRead,
    line: u64,
}

impl Lines<'_> {
    fn next<T: for<'a> Deserialize<'a>>(&mut self) -> Result<Option<T>, CarryError> {
        self.line += 1;
        let mut bytes = Vec::new();
        let mut part = (&mut *self.rows).take(LONGEST);
        if part.read_until(b'\n', &mut bytes)? == 0 {
            return Ok(None);
        }
        if bytes.last() != Some(&b'\n') {
            return Err(self.wrong("it has no end"));
        }
        let parsed = serde_json::from_slice(&bytes);
        parsed
            .map(Some)
            .map_err(|error| self.wrong(&error.to_string()))
    }

    /// What SQLite does not take is the fault of the rows, unless SQLite itself is in trouble.
    fn refused(&self, error: rusqlite::Error, what: &str) -> CarryError {
        use rusqlite::ErrorCode::{ConstraintViolation, TypeMismatch, Unknown};
        match error.sqlite_error_code() {
            Some(ConstraintViolation | TypeMismatch | Unknown) => {
                self.wrong(&format!("{what} has no sound values ({error})"))
            }
            _ => error.into(),
        }
    }

    fn wrong(&self, problem: &str) -> CarryError {
        CarryError::Row {
            line: self.line,
            problem: problem.to_owned(),
        }
    }
}

/// What has come of an experiment.
#[derive(Default)]
struct Taking {
    /// Its id and name.
    experiment: Option<(String, String)>,
    attempts: HashSet<String>,
    grades: HashMap<i64, i64>,
    regrades: HashMap<i64, i64>,
    /// What attempts need of the store, and what that is.
    needs: Vec<(String, &'static str, Digest)>,
}

impl Taking {
    fn take(
        &mut self,
        transaction: &Transaction<'_>,
        line: Line,
        lines: &Lines<'_>,
    ) -> Result<(), CarryError> {
        let Line { table, mut row } = line;
        let wrong = |problem: &str| lines.wrong(problem);
        let (table, _) = TABLES
            .iter()
            .find(|(known, _)| *known == table)
            .ok_or_else(|| wrong("it is of no table"))?;
        let text = |key: &str| row.get(key).and_then(Value::as_str).map(str::to_owned);
        let digest = |key: &str| match row.get(key) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => match value.as_str().and_then(|text| text.parse::<Digest>().ok()) {
                Some(digest) => Ok(Some(digest)),
                None => Err(lines.wrong(&format!("its {key} is no digest"))),
            },
        };
        let outcome = |known: &[&str]| match row.get("outcome") {
            None | Some(Value::Null) => Ok(()),
            Some(value) if value.as_str().is_some_and(|text| known.contains(&text)) => Ok(()),
            Some(_) => Err(lines.wrong("its outcome is none that is known")),
        };
        let own = text("attempt").is_some_and(|attempt| self.attempts.contains(&attempt));
        let mut number = None;
        match *table {
            "experiments" => {
                let (id, name) = (text("id"), text("name"));
                let (Some(id), Some(name)) = (id.filter(is_id), name.filter(is_name)) else {
                    return Err(wrong("its id or name is none"));
                };
                if let Some(spec) = text("spec")
                    && let Err(error) = serde_json::from_str::<Spec>(&spec)
                {
                    return Err(wrong(&format!("it does not say what it runs: {error}")));
                }
                let taken = "SELECT 1 FROM experiments WHERE name = ?1 OR id = ?2";
                let taken = transaction
                    .query_row(taken, [&name, &id], |_| Ok(()))
                    .optional()?;
                if taken.is_some() {
                    return Err(JournalError::NameTaken(name).into());
                }
                if self.experiment.replace((id, name)).is_some() {
                    return Err(wrong("a second experiment is in it"));
                }
            }
            "attempts" => {
                let ours = self.experiment.as_ref().map(|(id, _)| id.as_str());
                let id = text("id").filter(is_id);
                let id = id.filter(|_| ours.is_some() && text("experiment").as_deref() == ours);
                let id = id.ok_or_else(|| wrong("it is no attempt of the experiment"))?;
                outcome(&OUTCOMES)?;
                digest("bundle")?;
                for (key, what) in [("world", "starting state"), ("state", "state")] {
                    let found = digest(key)?;
                    let found = found.map(|digest| (id.clone(), what, digest));
                    self.needs.extend(found);
                }
                self.attempts.insert(id);
                // It is summed up when all of it is there.
                row.insert("grade".to_owned(), Value::Null);
            }
            "tool_sets" => {
                let of_tools = text("tools").map(|tools| Digest::of(tools.as_bytes()).hex());
                if of_tools.is_none() || of_tools != text("digest") {
                    return Err(wrong("its tools do not have its digest"));
                }
            }
            "regrades" => number = row.insert("id".to_owned(), Value::Null),
            "grades" => {
                if !own {
                    return Err(wrong("it is of no attempt of the experiment"));
                }
                outcome(&GRADES)?;
                digest("bundle")?;
                // Before terms were kept, no verifier was.
                if let Some(terms) = digest("terms")? {
                    let verifier = digest("verifier")?.map(|digest| ("verifier", digest));
                    let all = [Some(("document of terms", terms)), verifier];
                    let attempt = text("attempt").unwrap_or_default();
                    for (what, digest) in all.into_iter().flatten() {
                        self.needs.push((attempt.clone(), what, digest));
                    }
                }
                renumber(&mut row, "regrade", &self.regrades, lines)?;
                // Journals of format 4 do not say whose verifier it is.
                row.entry("bundle").or_insert(Value::Null);
                number = row.insert("id".to_owned(), Value::Null);
            }
            "checks" => {
                if !row.get("grade").is_some_and(Value::is_i64) {
                    return Err(wrong("it is of no grade"));
                }
                renumber(&mut row, "grade", &self.grades, lines)?;
            }
            _ if own => {}
            _ => return Err(wrong("it is of no attempt of the experiment")),
        }
        insert(transaction, table, row, lines)?;
        if let Some(number) = number {
            let number = number.as_i64().ok_or_else(|| wrong("it has no number"))?;
            let numbers = match *table {
                "grades" => &mut self.grades,
                _ => &mut self.regrades,
            };
            numbers.insert(number, transaction.last_insert_rowid());
        }
        Ok(())
    }
}

/// Puts the number that something has here in the place of the one that it had.
fn renumber(
    row: &mut Map<String, Value>,
    key: &str,
    numbers: &HashMap<i64, i64>,
    lines: &Lines<'_>,
) -> Result<(), CarryError> {
    if let Some(value) = row.get_mut(key).filter(|value| !value.is_null()) {
        let known = value.as_i64().and_then(|number| numbers.get(&number));
        *value = (*known.ok_or_else(|| lines.wrong("it names what is not in it"))?).into();
    }
    Ok(())
}

/// Adds a row that has the columns of its table, no more and no fewer.
fn insert(
    transaction: &Transaction<'_>,
    table: &str,
    mut row: Map<String, Value>,
    lines: &Lines<'_>,
) -> Result<(), CarryError> {
    let query = transaction.prepare_cached(&format!("SELECT * FROM {table} LIMIT 0"))?;
    let columns: Vec<String> = query.column_names().map(str::to_owned).collect();
    drop(query);
    let values: Option<Vec<Sql>> = columns.iter().map(|name| sql(row.remove(name)?)).collect();
    let values = values.filter(|_| row.is_empty());
    let values = values.ok_or_else(|| lines.wrong("its columns are not those of its table"))?;
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
        .map_err(|error| lines.refused(error, "it"))
}

/// Ids name lock files, too.
#[expect(clippy::ptr_arg, reason = "a filter of an option")]
fn is_id(id: &String) -> bool {
    (8..=64).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_hexdigit())
}

#[expect(clippy::ptr_arg, reason = "a filter of an option")]
fn is_name(name: &String) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    (1..=100).contains(&name.len()) && name.bytes().all(allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn journal() -> (tempfile::TempDir, Journal) {
        let dir = tempfile::tempdir().unwrap();
        let journal = Journal::open(&dir.path().join("journal.db")).unwrap();
        (dir, journal)
    }

    const SPEC: &str = r#"{"tasks":["t"],"agent":"nop","attempts":1}"#;

    /// The rows of an experiment with one attempt, one message, and one grade of a regrade.
    fn sample() -> Vec<String> {
        let (_dir, journal) = journal();
        let id = journal.create_experiment("e", SPEC).unwrap();
        let connection = journal.lock();
        connection
            .execute_batch(&format!(
                "INSERT INTO regrades (id, plan, begun_ms) VALUES (7, 'p', 1);
                 INSERT INTO attempts (id, experiment, position, task, agent, agent_settings,
                     model_settings, k, try, status, started_ms)
                     VALUES ('0123456789ab', '{id}', 0, 't', 'nop', '{{}}', '{{}}', 1, 1, 'finished', 1);
                 INSERT INTO messages VALUES ('0123456789ab', 0, 0, 'user', '{{}}', 1);
                 INSERT INTO grades (id, attempt, at_ms, verifier, engine, outcome, passed, score, log,
                     regrade) VALUES (9, '0123456789ab', 1, 'v', 'x', 'graded', 1, 0.5, '[]', 7);
                 INSERT INTO checks VALUES (9, 0, 'c', 1, 'd');"
            ))
            .unwrap();
        drop(connection);
        let mut rows = Vec::new();
        journal.carry("e", &mut rows).unwrap();
        let text = String::from_utf8(rows).unwrap();
        text.lines().map(str::to_owned).collect()
    }

    fn take(journal: &Journal, rows: &[String]) -> Result<String, CarryError> {
        let text: String = rows.iter().map(|row| format!("{row}\n")).collect();
        journal.take_over(&mut text.as_bytes(), &|_| true)
    }

    #[test]
    fn numbers_are_those_of_the_journal_that_takes_them() {
        let rows = sample();
        assert_eq!(rows.len(), 7);
        let (_dir, journal) = journal();
        let other = "INSERT INTO regrades (plan, begun_ms) VALUES ('q', 1)";
        journal.lock().execute(other, []).unwrap();
        assert_eq!(take(&journal, &rows).unwrap(), "e");
        let row = journal.attempts("e").unwrap().remove(0);
        let grade = row.grade.unwrap();
        assert_eq!((grade.passed, grade.score), (Some(true), Some(0.5)));
        let numbers =
            "SELECT g.id, g.regrade, c.grade FROM grades g JOIN checks c ON c.grade = g.id";
        let numbers: (i64, i64, i64) = journal
            .lock()
            .query_row(numbers, [], |row| {
                Ok((row.get(0)?, row.get(1)?, row.get(2)?))
            })
            .unwrap();
        assert_eq!(numbers, (1, 2, 1));
        let again = take(&journal, &rows).unwrap_err();
        assert!(again.to_string().contains("is there already"), "{again}");
    }

    #[test]
    fn rows_of_a_journal_that_did_not_say_whose_verifier_judged_are_taken_in() {
        let mut rows = sample();
        let (now, then) = (format!("\"journal\":{FORMAT}"), "\"journal\":4");
        rows[0] = rows[0].replace(&now, then);
        rows[5] = rows[5].replace(",\"bundle\":null", "");
        assert!(rows[0].contains(then) && !rows[5].contains("bundle"));
        let (_dir, journal) = journal();
        assert_eq!(take(&journal, &rows).unwrap(), "e");
        let row = journal.attempts("e").unwrap().remove(0);
        assert_eq!(row.grade.unwrap().bundle, None);
    }

    #[test]
    fn rows_of_something_else_are_refused_and_leave_nothing() {
        let rows = sample();
        let changed = |line: usize, from: &str, to: &str| {
            let mut rows = rows.clone();
            assert!(rows[line].contains(from), "{}", rows[line]);
            rows[line] = rows[line].replace(from, to);
            rows
        };
        let mut malformed = changed(3, "\"user\"", "\"assistant\"");
        malformed[3] = malformed[3].replace("\"{}\"", "\"{\"");
        let without = |line: usize| {
            let mut rows = rows.clone();
            rows.remove(line);
            rows
        };
        let spec = serde_json::to_string(SPEC).unwrap();
        let id = rows[1].split("\"id\":\"").nth(1).unwrap()[..12].to_owned();
        for (rows, word) in [
            (Vec::new(), "missing"),
            (changed(0, "\"schema\":1", "\"schema\":2"), "schema 2"),
            (
                changed(0, &format!("\"journal\":{FORMAT}"), "\"journal\":99"),
                "journal format 99",
            ),
            (rows[..1].to_vec(), "no experiment"),
            (changed(1, &id, "../../../../etc"), "id or name"),
            (
                changed(1, "\"name\":\"e\"", "\"name\":\"e/../x\""),
                "id or name",
            ),
            (changed(1, "experiments", "sqlite_master"), "of no table"),
            (changed(1, "\"spec\":", "\"spice\":"), "columns"),
            (changed(1, "\"spec\":", "\"more\":1,\"spec\":"), "columns"),
            (changed(1, &spec, "[]"), "columns"),
            (changed(1, &spec, "\"not json\""), "what it runs"),
            (
                changed(2, "\"world\":null", "\"world\":\"zzz\""),
                "its world is no digest",
            ),
            (
                changed(2, "\"outcome\":null", "\"outcome\":\"bogus\""),
                "its outcome is none that is known",
            ),
            (changed(2, "finished", "bogus"), "no sound values"),
            (changed(2, "\"k\":1", "\"k\":\"many\""), "no sound values"),
            (
                changed(2, "\"task\":\"t\"", "\"task\":null"),
                "no sound values",
            ),
            (malformed, "what belongs to an attempt before it"),
            (
                changed(5, "\"graded\"", "\"held-back\""),
                "its outcome is none that is known",
            ),
            (
                changed(5, "\"terms\":null", "\"terms\":\"x\""),
                "its terms is no digest",
            ),
            (without(1), "no attempt of the experiment"),
            (
                changed(2, &id, "aaaaaaaaaaaa"),
                "no attempt of the experiment",
            ),
            (without(2), "no attempt of the experiment"),
            (
                changed(3, "0123456789ab", "ba9876543210"),
                "no attempt of the experiment",
            ),
            (without(4), "names what is not in it"),
            (without(5), "names what is not in it"),
            (changed(6, "\"grade\":9", "\"grade\":null"), "of no grade"),
        ] {
            let (_dir, journal) = journal();
            let error = take(&journal, &rows).unwrap_err().to_string();
            assert!(error.contains(word), "{word}: {error}");
            assert!(journal.experiments(1).unwrap().is_empty(), "{word}");
        }
        let cut = &rows.join("\n")[..100];
        let (_dir, journal) = journal();
        assert!(journal.take_over(&mut cut.as_bytes(), &|_| true).is_err());
    }

    #[test]
    fn what_attempts_need_must_come_with_them() {
        let rows = sample();
        let digest = Digest::of(b"something");
        let other = Digest::of(b"something else");
        for (line, from, to, what) in [
            (
                2,
                "\"world\":null",
                format!("\"world\":\"{digest}\""),
                "starting state",
            ),
            (
                2,
                "\"state\":null",
                format!("\"state\":\"{digest}\""),
                "state",
            ),
            (
                5,
                "\"terms\":null",
                format!("\"terms\":\"{digest}\""),
                "document of terms",
            ),
            (
                5,
                "\"terms\":null",
                format!("\"terms\":\"{other}\""),
                "verifier",
            ),
        ] {
            let mut rows = rows.clone();
            rows[5] = rows[5].replace("\"verifier\":\"v\"", &format!("\"verifier\":\"{digest}\""));
            assert!(rows[line].contains(from), "{}", rows[line]);
            rows[line] = rows[line].replace(from, &to);
            let text: String = rows.iter().map(|row| format!("{row}\n")).collect();
            let (_dir, journal) = journal();
            let taken = journal.take_over(&mut text.as_bytes(), &|it| *it == other);
            let told = taken.unwrap_err().to_string();
            assert!(
                told.contains(&format!("needs the {what} {digest}")),
                "{told}"
            );
            assert!(journal.experiments(1).unwrap().is_empty());
            assert_eq!(
                journal.take_over(&mut text.as_bytes(), &|_| true).unwrap(),
                "e"
            );
        }
    }
}
