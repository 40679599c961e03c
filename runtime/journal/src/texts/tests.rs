//! Tests of the storage of long strings: replacement, deduplication, compaction and export.

use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use mcpmark_agent::{Event, Recorder, Reply, ToolCall};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::{AttemptKey, Journal};

const LONG_ENOUGH: usize = 80;

/// Replaces and restores long strings. Returns the JSON with references, and the stored strings.
fn round_trip(json: &str) -> (String, HashMap<String, String>) {
    let mut stored = HashMap::new();
    let replaced = json::replace(json, LONG_ENOUGH, &[MALFORMED], |literal| {
        let digest = Digest::of(literal.as_bytes()).hex();
        stored.insert(digest.clone(), literal.to_owned());
        Ok::<_, Infallible>(digest)
    });
    let replaced = replaced.unwrap().unwrap_or_else(|| json.to_owned());
    let restored = json::restore(&replaced, |digest| Ok::<_, ()>(stored[digest].clone()));
    let restored = restored.unwrap().unwrap_or_else(|| replaced.clone());
    assert_eq!(restored, json, "{replaced}");
    (replaced, stored)
}

#[test]
fn a_long_string_is_stored_once_and_restored() {
    let text = "one \"line\" \\ and\nanother\t".repeat(9);
    let result = json!({
        "content": [{"type": "text", "text": text}],
        "structuredContent": {"content": text, "short": "x", "number": 1.25},
        "is_error": false,
    });
    let (replaced, stored) = round_trip(&result.to_string());
    assert_eq!(stored.len(), 1);
    let replaced: Value = serde_json::from_str(&replaced).unwrap();
    let digest = stored.keys().next().unwrap();
    assert_eq!(replaced["content"][0]["text"][json::KEY], json!(digest));
    assert_eq!(
        replaced["structuredContent"]["content"][json::KEY],
        json!(digest)
    );
    assert_eq!(replaced["structuredContent"]["short"], "x");
    assert_eq!(replaced["is_error"], false);
}

#[test]
fn json_of_others_contains_no_reference() {
    let digest = Digest::of(b"secret").hex();
    for value in [
        json!({json::KEY: digest}),
        json!({format!("{}+", json::KEY): digest, json::KEY: {json::KEY: 1}}),
        json!([json::KEY, {"text": format!("{{\"{}\":\"{digest}\"}}", json::KEY)}]),
    ] {
        let (replaced, _) = round_trip(&value.to_string());
        let mut asked = false;
        json::restore(&replaced, |_| {
            asked = true;
            Ok::<_, Infallible>(String::new())
        })
        .unwrap();
        // The last value has the key in a string that is long enough to be stored.
        assert_eq!(asked, value.is_array(), "{replaced}");
    }
}

#[test]
fn a_malformed_call_stays_where_sql_reads_it() {
    let malformed = "x".repeat(200);
    let reply = json!({"text": "y".repeat(200), "calls": [{"malformed": malformed}]});
    let (replaced, stored) = round_trip(&reply.to_string());
    assert_eq!(stored.len(), 1);
    assert!(replaced.contains(&malformed));
}

fn any_json() -> impl Strategy<Value = Value> {
    let text = prop_oneof![
        "[ -~\\n\"\\\\é€]{0,80}",
        Just(json::KEY.to_owned()),
        Just(format!("{}+", json::KEY)),
        Just("\"".repeat(50)),
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        text.clone().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 4, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((text.clone(), inner), 0..4)
                .prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn any_json_is_restored(value in any_json()) {
        round_trip(&value.to_string());
        round_trip(&serde_json::to_string_pretty(&value).unwrap());
    }

    #[test]
    fn any_text_is_restored(text in "\\PC{0,200}") {
        round_trip(&text);
    }
}

fn journal() -> (tempfile::TempDir, Arc<Journal>) {
    let dir = tempfile::tempdir().unwrap();
    let journal = Journal::open(&dir.path().join("journal.db")).unwrap();
    (dir, Arc::new(journal))
}

const SPEC: &str = r#"{"tasks":["t"],"agent":"nop","attempts":2}"#;

/// Records an attempt with one long result, and returns its id.
fn attempt(journal: &Arc<Journal>, experiment: &str, position: usize, text: &str) -> String {
    let key = AttemptKey {
        task: "t".into(),
        agent: "nop".into(),
        agent_settings: "{}".into(),
        model: None,
        model_settings: "{}".into(),
        k: position as u32 + 1,
    };
    let recorder = journal.start_attempt(experiment, position, &key, None, None);
    let mut recorder = recorder.unwrap();
    let call = ToolCall {
        id: "c".to_owned(),
        name: "read".to_owned(),
        ..ToolCall::default()
    };
    let reply = Reply {
        calls: vec![call.clone()],
        ..Reply::default()
    };
    let output = json!({
        "content": [{"type": "text", "text": text}],
        "structuredContent": {"content": text},
        "is_error": false,
    });
    let output = serde_json::from_value(output).unwrap();
    let (turn, elapsed) = (1, Duration::ZERO);
    for event in [
        Event::Instruction("do"),
        Event::Reply {
            turn,
            reply: &reply,
        },
        Event::CallStarted { turn, call: &call },
        Event::CallEnded {
            turn,
            call: &call,
            result: Ok(&output),
            elapsed,
        },
    ] {
        recorder.record(event).unwrap();
    }
    journal.cancel_running(experiment).unwrap();
    recorder.id().to_owned()
}

fn count(journal: &Journal, query: &str) -> i64 {
    journal
        .lock()
        .query_row(query, [], |row| row.get(0))
        .unwrap()
}

fn shown(journal: &Journal, attempt: &str) -> String {
    let trajectory = journal.trajectory(attempt).unwrap();
    let result = trajectory.calls[0].result.clone().unwrap();
    assert_eq!(
        result["structuredContent"]["content"],
        result["content"][0]["text"]
    );
    result["content"][0]["text"].as_str().unwrap().to_owned()
}

#[test]
fn equal_results_take_the_room_of_one() {
    let (_dir, journal) = journal();
    let id = journal.create_experiment("e", SPEC).unwrap();
    let text: String = (0..20_000).map(|n| format!("{} ", n * n % 7919)).collect();
    let first = attempt(&journal, &id, 0, &text);
    let second = attempt(&journal, &id, 1, &text);
    assert_eq!(count(&journal, "SELECT count(*) FROM texts"), 1);
    let kept = count(&journal, "SELECT sum(length(content)) FROM texts");
    assert!(kept * 2 < text.len() as i64, "{kept} of {}", text.len());
    let columns = count(&journal, "SELECT max(length(result)) FROM tool_calls");
    assert!(columns < 400, "{columns}");
    assert_eq!(shown(&journal, &first), text);
    assert_eq!(shown(&journal, &second), text);
    assert_eq!(journal.check_rows().unwrap(), []);
}

#[test]
fn a_text_that_is_damaged_or_missing_is_named() {
    for change in [
        "UPDATE texts SET content = substr(content, 2)",
        "UPDATE texts SET digest = zeroblob(32)",
        "DELETE FROM texts",
    ] {
        let (_dir, journal) = journal();
        let id = journal.create_experiment("e", SPEC).unwrap();
        let attempt = attempt(&journal, &id, 0, &"long ".repeat(300));
        journal.lock().execute(change, []).unwrap();
        let bad = journal.check_rows().unwrap();
        assert!(!bad.is_empty() && bad.iter().all(|bad| bad.row.starts_with("text ")));
        let error = journal.trajectory(&attempt).unwrap_err().to_string();
        assert!(error.contains("is damaged: text "), "{error}");
        assert!(journal.export_rows("e", &mut Vec::new()).is_err());
    }
}

/// Puts the long strings back into the columns, as in formats before 9.
fn as_before(journal: &Journal) {
    let connection = journal.lock();
    for (table, column) in COLUMNS {
        let query = format!("SELECT attempt, seq, {column} FROM {table}");
        let mut query = connection.prepare(&query).unwrap();
        let rows = query.query_map([], |row| {
            Ok((
                row.get::<_, String>(0)?,
                row.get::<_, i64>(1)?,
                row.get::<_, Option<String>>(2)?,
            ))
        });
        for row in rows.unwrap().collect::<Vec<_>>() {
            let (attempt, seq, text) = row.unwrap();
            let Some(text) = text else { continue };
            let text = unpack(&connection, text).unwrap();
            let update =
                format!("UPDATE {table} SET {column} = ?3 WHERE attempt = ?1 AND seq = ?2");
            connection
                .execute(&update, params![attempt, seq, text])
                .unwrap();
        }
    }
    connection
        .execute_batch("DROP TABLE texts; PRAGMA user_version = 8;")
        .unwrap();
}

#[test]
fn rows_of_before_are_read_and_compacted() {
    let (dir, journal) = journal();
    let id = journal.create_experiment("e", SPEC).unwrap();
    let text: String = (0..40_000).map(|n| format!("{} ", n * n % 7919)).collect();
    let first = attempt(&journal, &id, 0, &text);
    let second = attempt(&journal, &id, 1, &text);
    as_before(&journal);
    let columns =
        "ALTER TABLE grades DROP COLUMN scoring; ALTER TABLE grades DROP COLUMN interfaces";
    journal.lock().execute_batch(columns).unwrap();
    drop(journal);
    let path = dir.path().join("journal.db");
    let old = Connection::open(&path).unwrap();
    assert!(old.prepare("SELECT * FROM texts").is_err());
    drop(old);

    let journal = Arc::new(Journal::open(&path).unwrap());
    journal.sum_rows().unwrap();
    assert_eq!(count(&journal, "SELECT count(*) FROM texts"), 0);
    assert_eq!(shown(&journal, &first), text);
    let compacted = journal.compact().unwrap();
    assert_eq!((compacted.attempts, compacted.texts), (2, 0));
    assert!(
        compacted.freed_bytes > 2 * text.len() as u64,
        "{compacted:?}"
    );
    assert_eq!(shown(&journal, &first), text);
    assert_eq!(shown(&journal, &second), text);
    assert_eq!(journal.check_rows().unwrap(), []);
    assert_eq!(journal.compact().unwrap(), Compacted::default());
}

#[test]
fn damage_is_not_compacted_away() {
    let (_dir, journal) = journal();
    let id = journal.create_experiment("e", SPEC).unwrap();
    let attempt = attempt(&journal, &id, 0, &"long ".repeat(300));
    as_before(&journal);
    journal
        .lock()
        .execute_batch(
            "CREATE TABLE texts (id INTEGER PRIMARY KEY, digest BLOB NOT NULL UNIQUE,
                 content BLOB NOT NULL) STRICT;",
        )
        .unwrap();
    journal.sum_rows().unwrap();
    let change = "UPDATE tool_calls SET result = replace(result, 'long', 'lung')";
    journal.lock().execute(change, []).unwrap();
    assert_eq!(journal.compact().unwrap().attempts, 0);
    assert!(journal.trajectory(&attempt).is_err());
    assert_eq!(journal.check_rows().unwrap().len(), 1);
}

#[test]
fn texts_of_removed_experiments_are_collected() {
    let (_dir, journal) = journal();
    let mut ids = Vec::new();
    for name in ["a", "b"] {
        let id = journal.create_experiment(name, SPEC).unwrap();
        attempt(&journal, &id, 0, &format!("{name} and b ").repeat(300));
        attempt(&journal, &id, 1, &"shared by a and b ".repeat(300));
        ids.push(id);
    }
    assert_eq!(journal.compact().unwrap().texts, 0);
    journal.remove(&[&ids[0]]).unwrap();
    assert_eq!(count(&journal, "SELECT count(*) FROM texts"), 3);
    assert_eq!(journal.compact().unwrap().texts, 1);
    assert_eq!(journal.check_rows().unwrap(), []);
    journal.remove(&[&ids[1]]).unwrap();
    assert_eq!(journal.compact().unwrap().texts, 2);
}

#[test]
fn an_experiment_is_carried_with_its_texts() {
    let (_dir, journal_a) = journal();
    let id = journal_a.create_experiment("e", SPEC).unwrap();
    let text = "carried \"along\"\n".repeat(300);
    let attempt = attempt(&journal_a, &id, 0, &text);
    let mut rows = Vec::new();
    journal_a.export_rows("e", &mut rows).unwrap();
    // Exported rows contain the whole strings, so that other versions can import them.
    let lines = String::from_utf8(rows.clone()).unwrap();
    assert!(!lines.contains(json::KEY));
    let (_dir, journal_b) = journal();
    journal_b.import_rows(&mut &rows[..], &|_| Ok(())).unwrap();
    assert_eq!(count(&journal_b, "SELECT count(*) FROM texts"), 1);
    assert_eq!(shown(&journal_b, &attempt), text);
    let mut again = Vec::new();
    journal_b.export_rows("e", &mut again).unwrap();
    let rows_but_first = |rows: &[u8]| {
        let text = String::from_utf8(rows.to_vec()).unwrap();
        let lines = text.lines().filter(|line| line.contains("\"attempt\""));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(rows_but_first(&again), rows_but_first(&rows));
}
