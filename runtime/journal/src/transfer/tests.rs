//! Tests of export, import and removal of experiments.

use proptest::prelude::*;

use super::*;
use crate::MAX_AMOUNT;

fn journal() -> (tempfile::TempDir, Journal) {
    let dir = tempfile::tempdir().unwrap();
    let journal = Journal::open(&dir.path().join("journal.db")).unwrap();
    (dir, journal)
}

const VERIFIER: &str = "sha256:4444444444444444444444444444444444444444444444444444444444444444";

const SPEC: &str = r#"{"tasks":["t"],"agent":"nop","attempts":1}"#;

/// Returns the exported rows of an experiment with one attempt, one message, and one grade of a regrade.
fn sample() -> Vec<String> {
    let (_dir, journal) = journal();
    let id = journal.create_experiment("e", SPEC).unwrap();
    let connection = journal.lock();
    connection
        .execute_batch(&format!(
            "INSERT INTO regrades (id, plan, begun_ms) VALUES (7, 'p', 1);
             INSERT INTO attempts (id, experiment, position, task, agent, agent_settings,
                 model_settings, k, try, status, started_ms, outcome)
                 VALUES ('0123456789ab', '{id}', 0, 't', 'nop', '{{}}', '{{}}', 1, 1, 'finished', 1,
                 'graded');
             INSERT INTO messages VALUES ('0123456789ab', 0, 0, 'user', '{{}}', 1);
             INSERT INTO grades (id, attempt, at_ms, verifier, engine, outcome, passed, score, log,
                 regrade) VALUES (9, '0123456789ab', 1, '{VERIFIER}', 'x', 'graded', 1, 1.0, '[]', 7);
             INSERT INTO checks VALUES (9, 0, 'c', 1, 'd');"
        ))
        .unwrap();
    drop(connection);
    let mut rows = Vec::new();
    journal.export_rows("e", &mut rows).unwrap();
    let text = String::from_utf8(rows).unwrap();
    text.lines().map(str::to_owned).collect()
}

fn text(rows: &[String]) -> String {
    rows.iter().map(|row| format!("{row}\n")).collect()
}

fn take(journal: &Journal, rows: &[String]) -> Result<String, RowTransferError> {
    take_text(journal, &text(rows))
}

fn take_text(journal: &Journal, text: &str) -> Result<String, RowTransferError> {
    journal.import_rows(&mut text.as_bytes(), &|_| Ok(()))
}

/// Returns the rows with a change of one line, which must contain the replaced text.
fn changed(rows: &[String], line: usize, from: &str, to: &str) -> Vec<String> {
    let mut rows = rows.to_vec();
    assert!(rows[line].contains(from), "{from}: {}", rows[line]);
    rows[line] = rows[line].replace(from, to);
    rows
}

/// Returns the id of the exported experiment.
fn id_of(rows: &[String]) -> String {
    rows[1].split("\"id\":\"").nth(1).unwrap()[..12].to_owned()
}

/// Checks that the import of rows fails with a message, and leaves an empty journal.
fn assert_refused(rows: &[String], word: &str) {
    let (_dir, journal) = journal();
    let error = take(&journal, rows).unwrap_err().to_string();
    assert!(error.contains(word), "{word}: {error}");
    assert!(journal.experiments(1).unwrap().is_empty(), "{word}");
}

#[test]
fn numbers_are_those_of_the_journal_that_takes_them() {
    let rows = sample();
    assert_eq!(rows.len(), 8);
    let (_dir, journal) = journal();
    let other = "INSERT INTO regrades (plan, begun_ms) VALUES ('q', 1)";
    journal.lock().execute(other, []).unwrap();
    assert_eq!(take(&journal, &rows).unwrap(), "e");
    let row = journal.attempts("e").unwrap().remove(0);
    assert_eq!((row.passed(), row.score()), (Some(true), Some(1.0)));
    let numbers = "SELECT g.id, g.regrade, c.grade FROM grades g JOIN checks c ON c.grade = g.id";
    let numbers: (i64, i64, i64) = journal
        .lock()
        .query_row(numbers, [], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?))
        })
        .unwrap();
    assert_eq!(numbers, (1, 2, 1));
    let again = take(&journal, &rows).unwrap_err();
    assert!(again.to_string().contains("already exists"), "{again}");
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
    assert_eq!(row.grade.unwrap().task_digest, None);
}

#[test]
fn rows_of_something_else_are_refused_and_leave_nothing() {
    let rows = sample();
    let changed = |line: usize, from: &str, to: &str| changed(&rows, line, from, to);
    let mut malformed = changed(3, "\"user\"", "\"assistant\"");
    malformed[3] = malformed[3].replace("\"{}\"", "\"{\"");
    let without = |line: usize| {
        let mut rows = rows.clone();
        rows.remove(line);
        rows
    };
    let spec = serde_json::to_string(SPEC).unwrap();
    let id = id_of(&rows);
    for (rows, word) in [
        (Vec::new(), "missing"),
        (changed(0, "\"schema\":2", "\"schema\":3"), "schema 3"),
        (
            changed(0, &format!("\"journal\":{FORMAT}"), "\"journal\":99"),
            "journal format 99",
        ),
        (
            vec![rows[0].clone(), "{\"rows\":0}".to_owned()],
            "no experiment",
        ),
        (changed(7, "6", "7"), "expected 7 rows before it, found 6"),
        (changed(7, "6", "\"six\""), "row 8"),
        (
            [&rows[..], &rows[7..]].concat(),
            "unexpected data after the last row",
        ),
        (
            changed(1, "\"name\":\"e\"", "\"name\":\"e\",\"name\":\"f\""),
            "duplicate key \"name\"",
        ),
        (changed(1, &id, "../../../../etc"), "id or name"),
        (
            changed(1, "\"name\":\"e\"", "\"name\":\"e/../x\""),
            "id or name",
        ),
        (
            changed(1, "\"name\":\"e\"", "\"name\":\"--help\""),
            "id or name",
        ),
        (
            changed(1, "\"name\":\"e\"", "\"name\":\"..\""),
            "id or name",
        ),
        (
            changed(2, "\"graded\"", "\"held-back\""),
            "or the outcome of the attempt",
        ),
        (
            changed(2, "\"graded\"", "null"),
            "or the outcome of the attempt",
        ),
        (changed(1, "experiments", "sqlite_master"), "unknown table"),
        (changed(1, "\"spec\":", "\"spice\":"), "columns"),
        (changed(1, "\"spec\":", "\"more\":1,\"spec\":"), "columns"),
        (changed(1, &spec, "[]"), "columns"),
        (changed(1, &spec, "\"not json\""), "its plan is not valid"),
        (
            changed(2, "\"world\":null", "\"world\":\"zzz\""),
            "its world is not a digest",
        ),
        (
            changed(2, "\"outcome\":\"graded\"", "\"outcome\":\"bogus\""),
            "unknown outcome; expected one of graded",
        ),
        (changed(2, "finished", "bogus"), "invalid values"),
        (
            changed(2, "\"turns\":0", "\"turns\":\"many\""),
            "its turns is \"many\"; expected a number",
        ),
        // Tables convert numbers to text.
        (
            changed(2, "\"outcome\":\"graded\"", "\"outcome\":5"),
            "its outcome is not a text",
        ),
        (
            changed(3, "\"user\"", "5"),
            "its role is 5; expected a text",
        ),
        (malformed, "its content is not valid JSON"),
        (
            changed(5, "\"graded\"", "\"held-back\""),
            "unknown outcome; expected one of graded",
        ),
        (
            changed(5, "\"terms\":null", "\"terms\":\"x\""),
            "its terms is not a digest",
        ),
        (without(1), "an attempt of the experiment"),
        (
            changed(2, &id, "aaaaaaaaaaaa"),
            "an attempt of the experiment",
        ),
        (without(2), "an attempt of the experiment"),
        (
            changed(3, "0123456789ab", "ba9876543210"),
            "an attempt of the experiment",
        ),
        (without(4), "does not exist in the experiment"),
        (without(5), "does not exist in the experiment"),
        (
            changed(6, "\"grade\":9", "\"grade\":null"),
            "it does not belong to a grade",
        ),
    ] {
        assert_refused(&rows, word);
    }
}

/// Returns the number of rows of each exported table.
fn rows_of(journal: &Journal) -> Vec<(&'static str, i64)> {
    let connection = journal.lock();
    let count = |(table, _): (&'static str, _)| {
        let query = format!("SELECT count(*) FROM {table}");
        (
            table,
            connection.query_row(&query, [], |row| row.get(0)).unwrap(),
        )
    };
    TABLES.map(count).to_vec()
}

#[test]
fn an_experiment_is_removed_from_all_tables() {
    let (_dir, journal) = journal();
    assert!(!journal.was_used().unwrap());
    let sample = sample();
    take(&journal, &sample).unwrap();
    let model = "INSERT INTO tool_sets VALUES ('s', '[]'), ('t', '[]');
        INSERT INTO messages VALUES ('0123456789ab', 1, 0, 'system', '{\"tools\":\"s\"}', 1);
        INSERT INTO tool_calls (attempt, seq, turn, call_id, name, arguments, started_ms)
            VALUES ('0123456789ab', 0, 1, 'c', 'n', '{}', 1);
        INSERT INTO model_calls (attempt, seq, turn, purpose, try, started_ms, elapsed_us, status)
            VALUES ('0123456789ab', 0, 1, 'turn', 1, 1, 1, 'ok');";
    journal.lock().execute_batch(model).unwrap();
    let rows = text(&sample);
    let first = journal.experiment("e").unwrap().id;
    let rows = rows.replace("0123456789ab", "ba9876543210");
    let rows = rows
        .replace(&first, "bbbbbbbbbbbb")
        .replace("\"e\"", "\"f\"");
    take_text(&journal, &rows).unwrap();
    let use_too =
        "INSERT INTO messages VALUES ('ba9876543210', 1, 0, 'system', '{\"tools\":\"t\"}', 1)";
    journal.lock().execute_batch(use_too).unwrap();
    assert!(rows_of(&journal).iter().all(|(_, rows)| *rows > 0));

    assert!(journal.remove(&[&first, "nothing"]).is_err());
    assert!(rows_of(&journal).iter().all(|(_, rows)| *rows > 0));
    journal.remove(&[&first]).unwrap();
    let one = [
        "experiments",
        "attempts",
        "tool_sets",
        "regrades",
        "grades",
        "checks",
    ];
    for (table, rows) in rows_of(&journal) {
        let left = match table {
            "messages" => 2,
            _ => i64::from(one.contains(&table)),
        };
        assert_eq!(rows, left, "{table}");
    }
    journal.remove(&["bbbbbbbbbbbb"]).unwrap();
    assert!(rows_of(&journal).iter().all(|(_, rows)| *rows == 0));
    assert!(journal.was_used().unwrap());
    // A removed experiment can be imported again.
    take(&journal, &sample).unwrap();
}

#[test]
fn the_largest_amounts_add_up() {
    let (_dir, journal) = journal();
    let id = journal.create_experiment("e", SPEC).unwrap();
    let (most, calls) = (MAX_AMOUNT, 2_000);
    let add = |first: i64, amount: i64| {
        let calls = (first..first + calls).map(|seq| {
            format!(
                "INSERT INTO model_calls (attempt, seq, turn, purpose, try, started_ms, elapsed_us, status,
                     request_digest, input_tokens, output_tokens, cost_nano_usd)
                     VALUES ('0123456789ab', {seq}, 1, 'turn', 1, 1, {amount}, 'ok', NULL,
                     {amount}, {amount}, {amount});"
            )
        });
        journal
            .lock()
            .execute_batch(&calls.collect::<String>())
            .unwrap();
    };
    let attempt = format!(
        "INSERT INTO attempts (id, experiment, position, task, agent, agent_settings, model, model_settings,
             k, try, status, started_ms)
             VALUES ('0123456789ab', '{id}', 0, 't', 'nop', '{{}}', 'a/b', '{{}}', 1, 1, 'finished', 1)"
    );
    journal.lock().execute_batch(&attempt).unwrap();
    let spent = |journal: &Journal| {
        let (spent, models) = (journal.spent(&id).unwrap(), journal.spending(&id).unwrap());
        assert_eq!(models[0].known, spent.cost);
        (spent.cost.nano_usd(), spent.tokens)
    };
    assert_eq!(spent(&journal), (0, 0));
    add(0, 3);
    assert_eq!(spent(&journal), (6_000, 12_000));
    add(calls, most);
    let whole = u64::try_from(i64::MAX).unwrap();
    assert_eq!(spent(&journal), (whole, whole));
}

#[test]
fn values_that_nobody_could_read_back_are_refused() {
    let rows = sample();
    let spec = serde_json::to_string(SPEC).unwrap();
    let planned = |from: &str, to: &str| {
        assert!(SPEC.contains(from), "{from}");
        (
            1,
            spec.clone(),
            serde_json::to_string(&SPEC.replace(from, to)).unwrap(),
        )
    };
    let value = |line: usize, from: &str, to: &str| (line, from.to_owned(), to.to_owned());
    let most = i64::MAX.to_string();
    for ((line, from, to), word) in [
        (
            planned("\"attempts\":1", "\"attempts\":0"),
            "0 attempts of each task",
        ),
        (
            planned("\"attempts\":1", "\"attempts\":4000000000"),
            "4000000000 attempts",
        ),
        (planned("[\"t\"]", "[]"), "plans 0 attempts"),
        (planned("[\"t\"]", "[\"t\",\"t\"]"), "lists t twice"),
        (
            planned("}", ",\"models\":[{\"name\":\"a/b\"},{\"name\":\"a/b\"}]}"),
            "lists a/b twice",
        ),
        (
            planned("}", ",\"concurrency\":{\"jobs\":4000000000}}"),
            "4000000000 concurrent attempts",
        ),
        (
            value(2, "\"k\":1", "\"k\":-3"),
            "the plan of the experiment has another",
        ),
        (
            value(2, "\"k\":1", "\"k\":\"many\""),
            "the plan of the experiment has another",
        ),
        (
            value(2, "\"k\":1", "\"k\":2"),
            "the plan of the experiment has another",
        ),
        (
            value(2, "\"position\":0", "\"position\":4611686018427387904"),
            "or none at its position",
        ),
        (
            value(2, "\"task\":\"t\"", "\"task\":\"u\""),
            "the plan of the experiment has another",
        ),
        (
            value(2, "\"task\":\"t\"", "\"task\":null"),
            "the plan of the experiment has another",
        ),
        (
            value(2, "\"model\":null", "\"model\":\"a/b\""),
            "the plan of the experiment has another",
        ),
        (
            value(2, "\"agent\":\"nop\"", "\"agent\":\"oracle\""),
            "or none at its position",
        ),
        (value(2, "\"try\":1", "\"try\":-3"), "its try is -3"),
        (
            value(2, "\"try\":1", "\"try\":4294967295"),
            "its try is 4294967295",
        ),
        (value(2, "\"turns\":0", "\"turns\":-1"), "its turns is -1"),
        (
            value(2, "\"turns\":0", "\"turns\":1e300"),
            "its turns is 1e",
        ),
        (
            value(2, "\"input_tokens\":null", "\"input_tokens\":-1"),
            "its input_tokens",
        ),
        (
            value(
                2,
                "\"input_tokens\":null",
                &format!("\"input_tokens\":{most}"),
            ),
            "its input_tokens",
        ),
        (
            value(2, "\"started_ms\":1", &format!("\"started_ms\":{most}")),
            "its started_ms",
        ),
        (
            value(2, "\"ended\":null", "\"ended\":\"exploded\""),
            "its ended is not a known end",
        ),
        (
            value(2, "\"agent_settings\":\"{}\"", "\"agent_settings\":\"[1\""),
            "not valid JSON",
        ),
        (
            value(3, "\"turn\":0", &format!("\"turn\":{most}")),
            "its turn is",
        ),
        (value(5, "\"passed\":1", "\"passed\":7"), "its passed is 7"),
        (
            value(5, "\"passed\":1", "\"passed\":null"),
            "contradicts its checks",
        ),
        (
            value(5, "\"passed\":1", "\"passed\":0"),
            "contradicts its checks",
        ),
        (
            value(5, "\"score\":1.0", "\"score\":1e308"),
            "contradicts its checks",
        ),
        (
            value(5, "\"scoring\":null", "\"scoring\":\"{}\""),
            "its scoring is not valid: missing field `rule`",
        ),
        (
            value(
                5,
                "\"scoring\":null",
                "\"scoring\":\"{\\\"rule\\\":\\\"luck\\\"}\"",
            ),
            "its scoring is not valid: unknown variant",
        ),
        (
            value(5, "\"interfaces\":null", "\"interfaces\":\"[]\""),
            "its interfaces are not valid: invalid type",
        ),
        (
            value(5, "\"interfaces\":null", "\"interfaces\":5"),
            "its interfaces are not a text",
        ),
        (
            value(5, "\"scoring\":null", "\"scoring\":5"),
            "its scoring is not a text",
        ),
        (
            value(5, "\"score\":1.0", "\"score\":null"),
            "contradicts its checks",
        ),
        (
            value(5, "\"graded\"", "\"verifier-fault\""),
            "contradicts its checks",
        ),
        (
            value(5, "\"fault_kind\":null", "\"fault_kind\":\"trap\""),
            "contradicts its checks",
        ),
        (
            value(5, "\"fault_kind\":null", "\"fault_kind\":\"boredom\""),
            "its fault_kind is not a known kind of fault",
        ),
        (
            value(3, "\"role\":\"user\"", "\"role\":\"tool\""),
            "its role is not a known role of a message",
        ),
        (
            value(2, "\"ended_detail\":null", "\"ended_detail\":\"20 turns\""),
            "it has details of an end, but no end",
        ),
        (
            value(6, "\"passed\":1", "\"passed\":0"),
            "contradicts its checks",
        ),
        (value(6, "\"passed\":1", "\"passed\":9"), "its passed is 9"),
    ] {
        assert_refused(&changed(&rows, line, &from, &to), word);
    }
}

#[test]
fn imported_experiments_are_marked_and_are_not_the_latest() {
    let mut rows = sample();
    let created = rows[1].split("\"created_ms\":").nth(1).unwrap();
    let created = created.split(|c: char| !c.is_ascii_digit()).next().unwrap();
    rows[1] = rows[1].replace(created, "4000000000000");
    let (_dir, journal) = journal();
    take(&journal, &rows).unwrap();
    let here = journal.create_experiment("own", SPEC).unwrap();
    let experiment = journal.experiment("e").unwrap();
    assert!(experiment.is_foreign());
    assert!(experiment.created_ms <= journal.experiment("own").unwrap().created_ms);
    assert_eq!(journal.latest_local().unwrap().unwrap().id, here);
    journal.approve_plan(&experiment.id).unwrap();
    let experiment = journal.experiment("e").unwrap();
    assert!(experiment.imported_ms.is_some() && !experiment.is_foreign());
    assert_eq!(journal.latest_local().unwrap().unwrap().id, here);
    journal.approve_plan(&here).unwrap();
    assert_eq!(journal.experiment("own").unwrap().accepted_ms, None);

    // The time of an import cannot be part of an export.
    let mut rows = sample();
    rows[1] = rows[1].replace("\"spec\":", "\"imported_ms\":null,\"spec\":");
    let (_dir, journal) = self::journal();
    let error = take(&journal, &rows).unwrap_err().to_string();
    assert!(error.contains("columns"), "{error}");
}

#[test]
fn an_attempt_that_is_here_already_is_named_with_its_experiment() {
    let rows = sample();
    let (_dir, journal) = journal();
    take(&journal, &rows).unwrap();
    let id = id_of(&rows);
    let renamed: Vec<String> = rows
        .iter()
        .map(|row| {
            row.replace(&id, "aaaaaaaaaaaa")
                .replace("\"name\":\"e\"", "\"name\":\"f\"")
        })
        .collect();
    let error = take(&journal, &renamed).unwrap_err().to_string();
    let told = "row 3 of the experiment: attempt 0123456789ab already exists in experiment \"e\"";
    assert_eq!(error, told);
    let twice = [&rows[..3], &rows[2..]].concat();
    let (_dir, journal) = self::journal();
    let error = take(&journal, &twice).unwrap_err().to_string();
    assert!(error.contains("already exists"), "{error}");
}

#[test]
fn rows_that_were_cut_off_anywhere_are_no_experiment() {
    let text = text(&sample());
    let (_dir, journal) = journal();
    for at in 0..text.len() {
        let told = journal.import_rows(&mut &text.as_bytes()[..at], &|_| Ok(()));
        let told = told.unwrap_err().to_string();
        let between = at > 0 && text.as_bytes()[at - 1] == b'\n';
        let word = match (at, between) {
            (0, _) => "the header is missing",
            (_, true) => "is truncated after",
            (_, false) => "it does not end with a line break",
        };
        assert!(told.contains(word), "byte {at}: {told}");
        assert!(journal.experiments(1).unwrap().is_empty(), "byte {at}");
    }
    assert_eq!(take_text(&journal, &text).unwrap(), "e");
}

#[test]
fn rows_of_before_they_were_closed_are_taken_in() {
    let mut rows = sample();
    rows[0] = rows[0].replace("\"schema\":2", "\"schema\":1");
    let (_dir, journal) = journal();
    let closed = take(&journal, &rows).unwrap_err().to_string();
    assert!(closed.contains("row 8"), "{closed}");
    rows.pop();
    assert_eq!(take(&journal, &rows).unwrap(), "e");
}

#[test]
fn one_file_carries_no_more_than_it_may() {
    let (_dir, here) = journal();
    take(&here, &sample()).unwrap();
    let mut rows = Vec::new();
    here.export_rows("e", &mut rows).unwrap();
    let text = String::from_utf8(rows).unwrap();
    let longest = text.lines().map(|row| row.len() as u64 + 1).max().unwrap();
    let just = RowLimits {
        rows: 6,
        row_bytes: longest,
        rows_bytes: text.len() as u64,
    };
    here.export_rows_within("e", &mut Vec::new(), just).unwrap();
    let (_dir, there) = journal();
    there
        .import_rows_within(&mut text.as_bytes(), &|_| Ok(()), just)
        .unwrap();
    for (limits, word) in [
        (RowLimits { rows: 5, ..just }, "exceeds the limit of 5 rows"),
        (
            RowLimits {
                row_bytes: longest - 1,
                ..just
            },
            "bytes in one row",
        ),
        (
            RowLimits {
                rows_bytes: just.rows_bytes - 1,
                ..just
            },
            "bytes of rows",
        ),
    ] {
        let (_dir, there) = journal();
        let taken = there.import_rows_within(&mut text.as_bytes(), &|_| Ok(()), limits);
        let carried = here.export_rows_within("e", &mut Vec::new(), limits);
        for told in [taken.unwrap_err(), carried.unwrap_err()] {
            assert!(told.to_string().contains(word), "{word}: {told}");
        }
        assert!(there.experiments(1).unwrap().is_empty(), "{word}");
    }
    // Reading stops at the limit of a row that does not end.
    let mut endless = std::io::BufReader::new(std::io::repeat(b'x'));
    let told = here.import_rows_within(&mut endless, &|_| Ok(()), just);
    let told = told.unwrap_err().to_string();
    assert!(told.contains("bytes in one row"), "{told}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Any lost or repeated row is detected.
    #[test]
    fn rows_that_are_not_all_there_once_are_no_experiment(
        at in 1_usize..7,
        to in 1_usize..8,
        again in any::<bool>(),
    ) {
        let mut rows = sample();
        let row = rows[at].clone();
        if again {
            rows.insert(to, row);
        } else {
            rows.remove(at);
        }
        let (_dir, journal) = journal();
        prop_assert!(take(&journal, &rows).is_err());
        prop_assert!(journal.experiments(1).unwrap().is_empty());
    }
}

#[test]
fn an_import_needs_the_objects_of_its_attempts() {
    let rows = sample();
    let [digest, other] = ["something", "something else"].map(|text| Digest::of(text.as_bytes()));
    for (line, from, to, what) in [
        (2, "world", digest, "starting state"),
        (2, "state", digest, "state"),
        (5, "terms", digest, "document of terms"),
        (5, "terms", other, "verifier"),
    ] {
        let mut rows = rows.clone();
        rows[5] = rows[5].replace(VERIFIER, &digest.to_string());
        let (null, present) = (format!("\"{from}\":null"), format!("\"{from}\":\"{to}\""));
        let rows = changed(&rows, line, &null, &present);
        let (_dir, journal) = journal();
        let taken = journal.import_rows(&mut text(&rows).as_bytes(), &|need| {
            if *need.digest() == other {
                Ok(())
            } else {
                Err("is not there")
            }
        });
        let told = taken.unwrap_err().to_string();
        assert!(
            told.contains(&format!("needs the {what} {digest}, which is not there")),
            "{told}"
        );
        assert!(journal.experiments(1).unwrap().is_empty());
        assert_eq!(take(&journal, &rows).unwrap(), "e");
    }
    let rows = changed(&rows, 5, VERIFIER, "v");
    let (_dir, journal) = journal();
    let told = take(&journal, &rows).unwrap_err().to_string();
    assert!(told.contains("its verifier is not a digest"), "{told}");
}
