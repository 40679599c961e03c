//! Tests of check sums: changed values, missing or additional rows, and flipped bits are reported.

use std::fs;
use std::path::{Path, PathBuf};

use mcpmark_snapshot::Digest;
use mcpmark_verdict::{Fault, FaultKind};

use super::check::{CONTRADICTS, NO_DIGEST, UNSUMMED};
use super::*;
use crate::{GradeRecord, InterfaceVersions, Journal, Outcome, OutcomeKind};

const ID: &str = "0123456789ab";

const TASK: &str = "sha256:1111111111111111111111111111111111111111111111111111111111111111";
const START: &str = "sha256:2222222222222222222222222222222222222222222222222222222222222222";
const STATE: &str = "sha256:3333333333333333333333333333333333333333333333333333333333333333";
const VERIFIER: &str = "sha256:4444444444444444444444444444444444444444444444444444444444444444";

/// Creates a journal with a row in each table that has check sums, and computes them.
fn sample(dir: &Path) -> PathBuf {
    let path = dir.join("journal.db");
    let journal = Journal::open(&path).unwrap();
    let spec = r#"{"tasks":["t"],"agent":"nop","attempts":1}"#;
    let id = journal.create_experiment("e", spec).unwrap();
    let tools = r#"[{"name":"look-tools"}]"#;
    let digest = Digest::of(tools.as_bytes()).hex();
    let rows = format!(
        "INSERT INTO attempts (id, experiment, position, task, agent, agent_settings, model, model_settings, k, try,
             bundle, world, status, started_ms, ended_ms, ended, answer, state, outcome)
             VALUES ('{ID}', '{id}', 0, 't', 'nop', '{{}}', 'a/b', '{{}}', 1, 1, '{TASK}', '{START}',
             'finished', 1, 2, 'completed', 'my-answer', '{STATE}', 'graded');
         INSERT INTO messages VALUES ('{ID}', 1, 0, 'user', '{{\"text\":\"first-message\"}}', 1),
             ('{ID}', 2, 0, 'system', '{{\"tools\":\"{digest}\"}}', 1);
         INSERT INTO tool_calls VALUES ('{ID}', 1, 1, 'c', 'look', '{{\"path\":\"my-argument\"}}', 1, 2,
             '{{\"text\":\"my-result\"}}', 0, NULL);
         INSERT INTO model_calls (attempt, seq, turn, purpose, try, started_ms, elapsed_us, status, raw, input_tokens)
             VALUES ('{ID}', 1, 1, 'turn', 1, 1, 1, 'ok', '{{\"text\":\"raw-reply\"}}', 7);
         INSERT INTO tool_sets VALUES ('{digest}', '{tools}');
         INSERT INTO grades (id, attempt, at_ms, verifier, engine, outcome, passed, score, log)
             VALUES (9, '{ID}', 1, '{VERIFIER}', 'x', 'graded', 0, 0.5, 'my-log');
         INSERT INTO checks VALUES (9, 0, 'first-check', 1, 'first-detail'), (9, 1, 'second-check', 0, 'why');"
    );
    journal.lock().execute_batch(&rows).unwrap();
    let long = format!("{{\"text\":\"{}\"}}", "long-text ".repeat(99));
    let long = crate::texts::pack(&journal.lock(), long).unwrap();
    let insert = "INSERT INTO messages VALUES (?1, 3, 1, 'user', ?2, 1)";
    journal.lock().execute(insert, [ID, &long]).unwrap();
    let mut unsummed = journal.check_rows().unwrap();
    unsummed.retain(|bad| bad.problem == UNSUMMED);
    assert_eq!(unsummed.len(), 5, "an attempt, three tables, a grade");
    journal
        .lock()
        .execute(super::super::SUMMARISE, [ID])
        .unwrap();
    journal.sum_rows().unwrap();
    drop(journal);
    assert_eq!(told(&path), (0, false, false));
    path
}

/// Returns the number of bad rows, whether the queries of reports, exports and receipts fail, and whether the export of
/// the experiment fails.
fn told(path: &Path) -> (usize, bool, bool) {
    let journal = Journal::open(path).unwrap();
    let bad = journal.check_rows().map_or(1, |bad| bad.len());
    let read = || {
        journal.experiment("e")?;
        journal.survey("e")?;
        journal.survey_attempt(ID)?;
        journal.attempts("e")?;
        journal.attempt(ID)?;
        journal.grades(ID)?;
        for message in journal.trajectory(ID)?.messages {
            if let Some(digest) = message.content["tools"].as_str() {
                journal.tool_set(digest)?;
            }
        }
        journal.model_calls(ID)?;
        Ok::<_, JournalError>(())
    };
    let carried = journal.export_rows("e", &mut Vec::new());
    (bad, read().is_err(), carried.is_err())
}

#[test]
fn a_value_that_is_changed_by_others_is_told() {
    let dir = tempfile::tempdir().unwrap();
    let sound = sample(dir.path());
    let mut changes = Vec::new();
    let connection = Connection::open(&sound).unwrap();
    for table in [
        "experiments",
        "attempts",
        "messages",
        "tool_calls",
        "model_calls",
        "tool_sets",
        "grades",
        "checks",
        "row_sums",
        "texts",
    ] {
        let mut query = connection
            .prepare("SELECT name, type FROM pragma_table_info(?1)")
            .unwrap();
        let columns = query
            .query_map([table], |row| Ok((row.get(0)?, row.get(1)?)))
            .unwrap();
        changes.extend(columns.map(|column| {
            let (name, kind): (String, String) = column.unwrap();
            (table, name, kind)
        }));
    }
    drop(connection);
    assert!(changes.len() > 90, "{}", changes.len());
    for (number, (table, column, kind)) in changes.into_iter().enumerate() {
        // The number of a regrade belongs to this journal, and no grade depends on it.
        if column == "regrade" {
            continue;
        }
        // Texts are found by their digests.
        if (table, column.as_str()) == ("texts", "id") {
            continue;
        }
        let path = dir.path().join(format!("{number}.db"));
        fs::copy(&sound, &path).unwrap();
        let other = match kind.as_str() {
            "TEXT" => format!("coalesce({column}, '') || 'x'"),
            "BLOB" => format!("substr({column}, 2)"),
            // Numbered rows keep distinct numbers.
            _ => format!("coalesce({column}, 0) + 100"),
        };
        let connection = Connection::open(&path).unwrap();
        connection
            .execute_batch(&format!(
                "PRAGMA foreign_keys = 0; PRAGMA ignore_check_constraints = 1;
                 UPDATE {table} SET {column} = {other};"
            ))
            .unwrap();
        drop(connection);
        let (bad, read, carried) = told(&path);
        assert!(bad > 0, "{table}.{column}");
        // A row whose key was changed is not found, so neither the queries nor the export read it.
        let is_place = matches!(
            column.as_str(),
            "id" | "experiment" | "attempt" | "of_table"
        ) || (table, column.as_str()) == ("experiments", "name");
        assert!(carried || is_place, "{table}.{column}");
        assert!(read || is_place, "{table}.{column}");
    }
}

#[test]
fn rows_that_are_missing_or_too_many_are_told() {
    let dir = tempfile::tempdir().unwrap();
    let sound = sample(dir.path());
    for (number, change) in [
        "DELETE FROM messages WHERE seq = 1",
        "DELETE FROM messages WHERE seq = 2",
        "DELETE FROM tool_calls",
        "DELETE FROM model_calls",
        "DELETE FROM tool_sets",
        "DELETE FROM checks WHERE seq = 1",
        "INSERT INTO checks VALUES (9, 2, 'third', 1, '')",
        "INSERT INTO messages SELECT attempt, 4, turn, role, content, at_ms FROM messages WHERE seq = 1",
    ]
    .into_iter()
    .enumerate()
    {
        let path = dir.path().join(format!("{number}.db"));
        fs::copy(&sound, &path).unwrap();
        Connection::open(&path).unwrap().execute_batch(change).unwrap();
        let (bad, read, carried) = told(&path);
        assert!(bad > 0 && read && carried, "{change}");
    }
}

#[test]
fn a_bit_that_flips_in_the_file_is_told() {
    let dir = tempfile::tempdir().unwrap();
    let path = sample(dir.path());
    // Moves all rows from the log into the file, and removes old content.
    let connection = Connection::open(&path).unwrap();
    connection.execute("VACUUM", []).unwrap();
    connection
        .pragma_update(None, "journal_mode", "DELETE")
        .unwrap();
    drop(connection);
    let sound = fs::read(&path).unwrap();
    for text in [
        "my-answer",
        STATE,
        "first-message",
        "my-argument",
        "my-result",
        "raw-reply",
        "look-tools",
        VERIFIER,
        "my-log",
        "first-check",
        "first-detail",
    ] {
        let places = sound.windows(text.len()).enumerate();
        let places: Vec<_> = places
            .filter(|(_, part)| *part == text.as_bytes())
            .collect();
        assert!(!places.is_empty(), "{text}");
        for (place, _) in places {
            let mut bytes = sound.clone();
            // Some of the flipped bits result in invalid UTF-8.
            bytes[place + 2] ^= if place % 2 == 0 { 0x01 } else { 0x80 };
            fs::write(&path, bytes).unwrap();
            let (bad, read, _) = told(&path);
            assert!(bad > 0 && read, "{text} at {place}");
        }
    }
}

#[test]
fn columns_that_repeat_others_are_compared_with_them() {
    for (change, row) in [
        ("UPDATE grades SET passed = 1", "grade 9"),
        ("UPDATE attempts SET passed = 1", "attempt 0123456789ab"),
    ] {
        let dir = tempfile::tempdir().unwrap();
        let journal = Journal::open(&sample(dir.path())).unwrap();
        journal.lock().execute(change, []).unwrap();
        // Detected even if the check sums match.
        journal.sum_rows().unwrap();
        let bad = journal.check_rows().unwrap();
        let told = |bad: &BadRow| bad.row == row && bad.problem == CONTRADICTS;
        assert!(bad.iter().any(told), "{bad:?}");
    }
}

#[test]
fn a_damaged_message_does_not_prevent_the_removal_of_other_experiments() {
    let dir = tempfile::tempdir().unwrap();
    let journal = Journal::open(&sample(dir.path())).unwrap();
    let other = journal.create_experiment("other", "{}").unwrap();
    let damage = "UPDATE messages SET content = 'x' WHERE role = 'system'";
    journal.lock().execute(damage, []).unwrap();
    let tool_sets = || -> i64 {
        let count = "SELECT count(*) FROM tool_sets";
        let connection = journal.lock();
        connection.query_row(count, [], |row| row.get(0)).unwrap()
    };
    journal.remove(&[other.as_str()]).unwrap();
    assert_eq!(tool_sets(), 1, "the damaged message may refer to it");
    let damaged = journal.experiment("e").unwrap().id;
    journal.remove(&[damaged.as_str()]).unwrap();
    assert_eq!(tool_sets(), 0);
}

#[test]
fn a_damaged_reply_does_not_prevent_a_regrade() {
    let dir = tempfile::tempdir().unwrap();
    let journal = Journal::open(&sample(dir.path())).unwrap();
    let damage = "UPDATE model_calls SET raw = 'x'";
    journal.lock().execute(damage, []).unwrap();
    let regrade = journal.begin_regrade("plan").unwrap().id;
    let outcome = Outcome::VerifierFault(Fault {
        kind: FaultKind::Output,
        message: "no checks".to_owned(),
    });
    let digest = Digest::of(b"");
    let grade = GradeRecord {
        verifier: digest,
        engine: "x",
        terms: digest,
        task_digest: digest,
        outcome: &outcome,
        interfaces: InterfaceVersions::default(),
        log: "",
    };
    journal.regrade(regrade, &[(ID, grade)]).unwrap();
    let row = journal.attempt(ID).unwrap();
    assert_eq!(row.outcome, Some(OutcomeKind::VerifierFault));
    let grade = row.grade.unwrap();
    assert_eq!(grade.result.outcome(), OutcomeKind::VerifierFault);
    // Only the damaged row is reported.
    let bad = journal.check_rows().unwrap();
    let rows: Vec<&str> = bad.iter().map(|bad| bad.row.as_str()).collect();
    assert_eq!(rows, [format!("row 1 of model_calls of attempt {ID}")]);
}

/// Changes the sample with matching check sums, so that only the values themselves are wrong, and returns the first
/// error of reading the attempt with its rows.
fn error_after(change: &str) -> String {
    let dir = tempfile::tempdir().unwrap();
    let journal = Journal::open(&sample(dir.path())).unwrap();
    let ignore = "PRAGMA ignore_check_constraints = 1;";
    let change = format!("{ignore} {change}");
    journal.lock().execute_batch(&change).unwrap();
    journal.sum_rows().unwrap();
    let attempt = journal.attempt(ID).map(drop);
    let read = attempt
        .and_then(|()| journal.trajectory(ID).map(drop))
        .and_then(|()| journal.model_calls(ID).map(drop));
    let error = read.unwrap_err().to_string();
    // Lists of attempts report the same error.
    if !change.contains("UPDATE m") {
        assert_eq!(journal.attempts("e").unwrap_err().to_string(), error);
    }
    error
}

#[test]
fn an_unknown_word_is_reported_with_its_row_and_column() {
    for (change, expected) in [
        (
            "UPDATE attempts SET ended = 'exploded'",
            "column ended of attempt 0123456789ab: expected completed, turn-limit, time-limit, token-limit, cost-limit, \
             memory-limit, context-overflow, agent-error, model-error, cancelled, found \"exploded\"",
        ),
        (
            "UPDATE attempts SET outcome = 'won'",
            "column outcome of attempt 0123456789ab: expected graded, state-fault, verifier-fault, infra-error, \
             invalid-task, held-back, cancelled, found \"won\"",
        ),
        (
            "UPDATE messages SET role = 'tool' WHERE seq = 1",
            "column role of a message of attempt 0123456789ab: expected system, user, assistant, note, compaction, \
             found \"tool\"",
        ),
        (
            "UPDATE model_calls SET purpose = 'chat'",
            "column purpose of a model call of attempt 0123456789ab: expected turn, compaction, found \"chat\"",
        ),
        (
            "UPDATE model_calls SET status = 'lost'",
            "column status of a model call of attempt 0123456789ab: expected ok, retry, failed, found \"lost\"",
        ),
        (
            "UPDATE grades SET outcome = 'infra-error'",
            "column outcome of grade 9 of attempt 0123456789ab: expected graded, state-fault, verifier-fault, \
             found \"infra-error\"",
        ),
        (
            "UPDATE grades SET fault_kind = 'boredom'",
            "column fault_kind of grade 9 of attempt 0123456789ab: expected trap, fuel, memory, time, wait, copy, \
             output, link, disagreement, unreadable, statement, found \"boredom\"",
        ),
    ] {
        let error = error_after(change);
        assert_eq!(error, format!("the journal is damaged: {expected}"));
    }
}

#[test]
fn a_contradictory_grade_is_reported_with_its_columns() {
    let verdict = "outcome is \"graded\", passed is 0, score is 0.5";
    let fault = "DELETE FROM checks; UPDATE grades SET fault_kind = 'trap', fault_message = 'x'";
    for (change, expected) in [
        (
            "UPDATE grades SET fault_kind = 'trap', fault_message = 'x'",
            &*format!(
                "{verdict}, fault_kind is \"trap\", fault_message is present, scoring is null, number of checks is 2"
            ),
        ),
        (
            "UPDATE grades SET fault_message = 'x'",
            &format!(
                "{verdict}, fault_kind is null, fault_message is present, scoring is null, number of checks is 2"
            ),
        ),
        (
            "UPDATE grades SET passed = NULL",
            "outcome is \"graded\", passed is null, score is 0.5, fault_kind is null, fault_message is null, \
             scoring is null, number of checks is 2",
        ),
        (
            &format!("{fault}, outcome = 'state-fault', score = 0.0, passed = 1"),
            "outcome is \"state-fault\", passed is 1, score is 0, fault_kind is \"trap\", fault_message is present, \
             scoring is null, number of checks is 0",
        ),
        (
            &format!("{fault}, outcome = 'verifier-fault'"),
            "outcome is \"verifier-fault\", passed is 0, score is 0.5, fault_kind is \"trap\", \
             fault_message is present, scoring is null, number of checks is 0",
        ),
        (
            "UPDATE grades SET outcome = 'verifier-fault', passed = NULL, score = NULL, fault_kind = 'trap', \
             fault_message = 'x'",
            "outcome is \"verifier-fault\", passed is null, score is null, fault_kind is \"trap\", \
             fault_message is present, scoring is null, number of checks is 2",
        ),
    ] {
        let error = error_after(change);
        let row = "grade 9 of attempt 0123456789ab";
        let expected = format!("the journal is damaged: {row} contradicts itself: {expected}");
        assert_eq!(error, expected);
        // `mcpmark store check` lists the grade.
        let dir = tempfile::tempdir().unwrap();
        let journal = Journal::open(&sample(dir.path())).unwrap();
        journal.lock().execute_batch(change).unwrap();
        journal.sum_rows().unwrap();
        let bad = journal.check_rows().unwrap();
        let listed = |bad: &BadRow| bad.row == "grade 9" && bad.problem == CONTRADICTS;
        assert!(bad.iter().any(listed), "{bad:?}");
    }
    let error = error_after("UPDATE attempts SET ended = NULL, ended_detail = 'x'");
    assert_eq!(
        error,
        "the journal is damaged: attempt 0123456789ab contradicts itself: ended is null, ended_detail is present"
    );
}

#[test]
fn an_invalid_digest_is_reported_with_its_row_and_column() {
    let request = Digest::of(b"request").hex();
    for (table, column, row) in [
        ("attempts", "bundle", "attempt 0123456789ab"),
        ("attempts", "world", "attempt 0123456789ab"),
        ("attempts", "state", "attempt 0123456789ab"),
        ("grades", "verifier", "grade 9"),
        ("grades", "terms", "grade 9"),
        ("grades", "bundle", "grade 9"),
        (
            "model_calls",
            "request_digest",
            "a model call of attempt 0123456789ab",
        ),
    ] {
        let dir = tempfile::tempdir().unwrap();
        let journal = Journal::open(&sample(dir.path())).unwrap();
        let set = |value: &str| {
            let change = format!("UPDATE {table} SET {column} = ?1");
            journal.lock().execute(&change, [value]).unwrap();
            // The check sums match, so only the value itself is wrong.
            journal.sum_rows().unwrap();
            let attempt = journal.attempt(ID).map(drop);
            attempt.and_then(|()| journal.model_calls(ID).map(drop))
        };
        let valid = if table == "model_calls" {
            &request
        } else {
            VERIFIER
        };
        set(valid).unwrap();
        assert_eq!(journal.check_rows().unwrap(), []);
        for invalid in [
            "",
            "sha256:0",
            &VERIFIER.to_uppercase(),
            &format!("{valid}0"),
        ] {
            let error = set(invalid).unwrap_err();
            let JournalError::InvalidDigest {
                row: found,
                column: of,
                ..
            } = &error
            else {
                panic!("{table}.{column}: {error}");
            };
            assert_eq!((&**found, *of), (row, column));
            let expected = format!("column {column} of {row} has an invalid digest");
            assert!(error.to_string().contains(&expected), "{error}");
            let bad = journal.check_rows().unwrap();
            assert!(
                bad.iter().any(|bad| bad.problem == NO_DIGEST),
                "{table}.{column} = {invalid:?}: {bad:?}"
            );
        }
    }
}
