//! Golden vectors of stored plans, and of the journal's rows of an experiment.

#[path = "../../../tests/vectors.rs"]
mod vectors;

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use mcpmark_agent::{
    CallStatus, End, EndKind, Event, ModelCall, Purpose, Recorder, Reply, ToolCall,
};
use mcpmark_journal::{
    AttemptRecorder, Cost, GradeRecord, InterfaceVersions, Journal, Outcome, Scoring, Spec, Usage,
};
use mcpmark_service::ToolOutput;
use mcpmark_snapshot::Digest;
use mcpmark_verdict::{Check, Fault, FaultKind, Verdict};
use rusqlite::Connection;
use rusqlite::types::ValueRef;
use serde_json::{Map, Value, json};

use crate::vectors::Vectors;

/// Fixed id of the experiment. It replaces the generated id, which depends on time and process.
const EXPERIMENT: &str = "0123456789ab";

#[test]
fn journal_plan() {
    let vectors = Vectors::of("journal-plan");
    for (name, input) in vectors.inputs() {
        let spec: Spec = serde_json::from_value(input).unwrap();
        let text = serde_json::to_string(&spec).unwrap();
        vectors.assert_same(&format!("{name}.json"), text.as_bytes());
        assert_eq!(serde_json::from_str::<Spec>(&text).unwrap(), spec, "{name}");
    }
    vectors.assert_all_compared();
}

/// Returns all rows of a table, one JSON object per line. Compressed texts are decompressed, because other versions of
/// zstd may compress them differently.
fn rows(connection: &Connection, table: &str) -> String {
    let mut query = connection
        .prepare(&format!("SELECT * FROM {table} ORDER BY 1, 2"))
        .unwrap();
    let names: Vec<String> = query.column_names().map(str::to_owned).collect();
    let mut rows = query.query([]).unwrap();
    let mut lines = String::new();
    while let Some(row) = rows.next().unwrap() {
        let columns = names.iter().enumerate().map(|(index, name)| {
            let value = match row.get_ref(index).unwrap() {
                ValueRef::Null => Value::Null,
                ValueRef::Integer(number) => json!(number),
                ValueRef::Real(number) => json!(number),
                ValueRef::Text(text) => json!(std::str::from_utf8(text).unwrap()),
                ValueRef::Blob(bytes) if (table, &**name) == ("texts", "content") => {
                    let bytes = zstd::bulk::decompress(bytes, 1 << 20).unwrap();
                    json!(String::from_utf8(bytes).unwrap())
                }
                ValueRef::Blob(bytes) => {
                    json!(bytes.iter().fold(String::from("0x"), |mut text, byte| {
                        write!(text, "{byte:02x}").unwrap();
                        text
                    }))
                }
            };
            (name.clone(), value)
        });
        let row = Value::Object(columns.collect::<Map<_, _>>());
        lines.push_str(&format!("{row}\n"));
    }
    lines
}

fn output(text: &str, is_error: bool) -> ToolOutput {
    serde_json::from_value(json!({
        "content": [{"type": "text", "text": text}],
        "structuredContent": {"content": text},
        "is_error": is_error,
    }))
    .unwrap()
}

fn call(id: &str, name: &str, arguments: Value, malformed: Option<&str>) -> ToolCall {
    ToolCall {
        id: id.to_owned(),
        name: name.to_owned(),
        arguments: arguments.as_object().unwrap().clone(),
        malformed: malformed.map(str::to_owned),
    }
}

fn model_call(try_number: u32, status: CallStatus, raw: Option<Value>) -> ModelCall {
    let is_ok = status == CallStatus::Ok;
    let usage = Usage {
        input: 1000,
        cached: 200,
        output: 50,
        reasoning: 7,
    };
    ModelCall {
        turn: 1,
        purpose: Purpose::Turn,
        try_number,
        started_ms: 1_772_442_000_123,
        elapsed: Duration::from_micros(1_500_000),
        status,
        error: (!is_ok).then(|| ("overloaded", "529: try again".to_owned())),
        request_digest: Some(Digest::of(b"the request").hex()),
        raw,
        usage: is_ok.then_some(usage),
        cost: is_ok.then_some(Cost::from_nano_usd(123_456)),
    }
}

/// Records every kind of event. Some texts are short and stored in their columns, others are long.
fn play(recorder: &mut AttemptRecorder) {
    let long = "A line of a file that an agent has read: é.\n".repeat(20);
    let tools = json!([{"name": "read_text_file", "description": "Reads.", "input_schema": {"type": "object"}}]);
    let adapted = ["read_text_file: a pattern was left out".to_owned()];
    let reply = Reply {
        text: "Let me see.".to_owned(),
        unreadable: false,
        reasoning: Some("They want to know.".to_owned()),
        calls: vec![
            call(
                "call-1",
                "read_text_file",
                json!({"path": "a.txt", "head": 2.0}),
                None,
            ),
            call("call-2", "read_text_file", json!({}), Some("{\"path\": ")),
        ],
    };
    let raw = json!({"id": "r1", "choices": [{"finish_reason": "length", "message": {"content": long}}], "cost": 1e-7});
    let (read, refused) = (output(&long, false), output("no arguments", true));
    let compacted = json!({"request": {"system": "s", "text": "t"}, "history": [], "summary": "It read.", "kept": []});
    let unreadable = Reply {
        text: "<tool".to_owned(),
        unreadable: true,
        ..Reply::default()
    };
    let took = Duration::from_micros(250);
    for event in [
        Event::Instruction("Count the seeds.\n"),
        Event::Setup {
            system: "You are an agent.",
            tools: &tools,
            adapted: &adapted,
            view: serde_json::from_value(json!({"max_bytes": 65536, "images": true})).unwrap(),
        },
        Event::ModelCall(&model_call(1, CallStatus::Retry, None)),
        Event::ModelCall(&model_call(2, CallStatus::Ok, Some(raw))),
        Event::Reply {
            turn: 1,
            reply: &reply,
        },
        Event::CallStarted {
            turn: 1,
            call: &reply.calls[0],
        },
        Event::CallEnded {
            turn: 1,
            call: &reply.calls[0],
            result: Ok(&read),
            elapsed: took,
        },
        Event::CallStarted {
            turn: 1,
            call: &reply.calls[1],
        },
        Event::CallEnded {
            turn: 1,
            call: &reply.calls[1],
            result: Ok(&refused),
            elapsed: took,
        },
        Event::CallStarted {
            turn: 1,
            call: &reply.calls[0],
        },
        Event::CallEnded {
            turn: 1,
            call: &reply.calls[0],
            result: Err("the server is gone"),
            elapsed: took,
        },
        Event::Note {
            turn: 1,
            text: "a server was started again",
        },
        Event::Compaction {
            turn: 2,
            content: &compacted,
        },
        Event::Reply {
            turn: 2,
            reply: &unreadable,
        },
        Event::Told {
            turn: 2,
            text: "That cannot be read.",
        },
    ] {
        recorder.record(event).unwrap();
    }
}

fn checks(second: bool) -> Verdict {
    let check = |name: &str, passed, detail: &str| Check {
        name: name.to_owned(),
        passed,
        detail: detail.to_owned(),
    };
    let checks = vec![
        check("the beds", second, "expected \"12\", found 11"),
        check("nothing else", true, ""),
    ];
    serde_json::from_value(json!({ "checks": checks })).unwrap()
}

fn grade(outcome: &Outcome) -> GradeRecord<'_> {
    GradeRecord {
        verifier: Digest::of(b"the verifier"),
        engine: "cranelift-48 x86_64",
        terms: Digest::of(b"the terms"),
        task_digest: Digest::of(b"the task"),
        outcome,
        interfaces: InterfaceVersions::default(),
        log: "a line\nand another",
    }
}

/// Writes an experiment with attempts that are graded, faulted, failed by the host and running, and with a regrade.
fn write(path: &Path) {
    let spec = Vectors::of("journal-plan").read("models.json");
    let spec = String::from_utf8(spec).unwrap();
    let journal = Arc::new(Journal::open(path).unwrap());
    let id = journal.create_experiment("vectors", &spec).unwrap();
    let change = |text: &str| {
        let connection = Connection::open(path).unwrap();
        connection.execute_batch(text).unwrap();
    };
    change(&format!(
        "UPDATE experiments SET id = '{EXPERIMENT}' WHERE id = '{id}'"
    ));
    let spec: Spec = serde_json::from_str(&spec).unwrap();
    let plan = spec.plan();
    let start = |position: usize| {
        let key = &plan[position].key;
        let (task, world) = (Digest::of(b"the task"), Digest::of(b"the starting state"));
        let started = journal.start_attempt(EXPERIMENT, position, key, Some(&task), Some(&world));
        started.unwrap()
    };
    let end = |id: &str, end: End, answer| {
        journal
            .end_agent(id, &end, answer, Duration::from_micros(2_000_000))
            .unwrap();
        journal
            .keep_state(id, &Digest::of(b"the final state"))
            .unwrap();
    };

    let mut graded = start(0);
    play(&mut graded);
    end(
        graded.id(),
        End::new(EndKind::Completed),
        Some("There are 12.\n"),
    );
    let scoring: Scoring = serde_json::from_value(json!({
        "rule": "earned",
        "held": ["nothing else"],
        "missing": ["the total"],
        "settings": {"weights": {"the beds": 5}, "gate": ["nothing else"]},
    }))
    .unwrap();
    let outcome = Outcome::Graded {
        verdict: checks(false),
        scoring,
    };
    journal
        .finish_attempt(graded.id(), &outcome, Some(&grade(&outcome)))
        .unwrap();

    let stopped = start(1);
    let limit = End {
        detail: Some("20 turns".to_owned()),
        ..End::new(EndKind::TurnLimit)
    };
    end(stopped.id(), limit, None);
    let fault = |kind| Fault {
        kind,
        message: "it asked for 65 MiB".to_owned(),
    };
    let outcome = Outcome::StateFault(fault(FaultKind::Memory));
    journal
        .finish_attempt(stopped.id(), &outcome, Some(&grade(&outcome)))
        .unwrap();

    let broken = start(2);
    end(broken.id(), End::new(EndKind::Completed), Some(""));
    let outcome = Outcome::VerifierFault(fault(FaultKind::Trap));
    journal
        .finish_attempt(broken.id(), &outcome, Some(&grade(&outcome)))
        .unwrap();

    let failed = start(3);
    let outcome = Outcome::InfraError("the disk is full".to_owned());
    journal.finish_attempt(failed.id(), &outcome, None).unwrap();
    start(3);

    let regrade = journal.begin_regrade("the plan of a regrade").unwrap();
    let outcome = Outcome::Graded {
        verdict: checks(true),
        scoring: Scoring::default(),
    };
    let again = [(graded.id(), grade(&outcome))];
    journal.regrade(regrade.id, &again).unwrap();
    journal.end_regrade(regrade.id).unwrap();

    let queried = start(3);
    end(queried.id(), End::new(EndKind::Completed), None);
    let outcome = Outcome::Graded {
        verdict: checks(true),
        scoring: Scoring::default(),
    };
    let by_server = GradeRecord {
        interfaces: InterfaceVersions::from_iter([("sql", "postgres 15")]),
        ..grade(&outcome)
    };
    journal
        .finish_attempt(queried.id(), &outcome, Some(&by_server))
        .unwrap();

    // Replace times of the clock by fixed values.
    change(
        "UPDATE experiments SET created_ms = 1;
         UPDATE attempts SET started_ms = 2, ended_ms = iif(ended_ms IS NULL, NULL, 3);
         UPDATE messages SET at_ms = 4;
         UPDATE tool_calls SET started_ms = 5;
         UPDATE grades SET at_ms = 6;
         UPDATE regrades SET begun_ms = 7, ended_ms = 8;",
    );
    journal.sum_rows().unwrap();
    assert_eq!(journal.check_rows().unwrap(), []);
}

#[test]
fn journal_rows() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("journal.db");
    write(&path);
    let connection = Connection::open(&path).unwrap();
    let mut query = connection
        .prepare("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
        .unwrap();
    let tables = query.query_map([], |row| row.get::<_, String>(0)).unwrap();
    let vectors = Vectors::of("journal-rows");
    for table in tables {
        let table = table.unwrap();
        let lines = rows(&connection, &table);
        vectors.assert_same(&format!("{table}.jsonl"), lines.as_bytes());
    }
    vectors.assert_all_compared();
}

/// A journal of the format before servers were recorded is read on, and its check sums still hold. The sum of a grade
/// covers its servers.
#[test]
fn a_journal_of_format_10_is_read_on() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("journal.db");
    write(&path);
    let connection = Connection::open(&path).unwrap();
    connection
        .execute_batch("ALTER TABLE grades DROP COLUMN interfaces; PRAGMA user_version = 10;")
        .unwrap();
    drop(connection);

    let journal = Journal::open(&path).unwrap();
    let bad = journal.check_rows().unwrap();
    let rows: Vec<&str> = bad.iter().map(|bad| bad.row.as_str()).collect();
    assert_eq!(rows, ["grade 5, or one of its checks"]);
    journal.sum_rows().unwrap();
    for row in journal.attempts("vectors").unwrap() {
        let interfaces = row.grade.map(|grade| grade.interfaces);
        assert!(interfaces.unwrap_or_default().is_empty(), "{}", row.id);
    }
}
