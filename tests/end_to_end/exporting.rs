//! Exports, validated by JSON schemas and by the programs that read them.

use std::fs;
use std::path::Path;

use mcpmark_report::export::{SFT_SCHEMA, TABLES};
use rusqlite::Connection;
use serde_json::{Value, json};

use crate::environment::{Environment, Output};
use crate::journal;
use crate::pypi::{JSON_SCHEMA, Packages, REFUSALS};

/// Published models of Harbor's trajectory format. Harbor itself needs a newer Python, its models do not.
const HARBOR: Packages = Packages {
    dir: "harbor",
    module: "harbor",
    installs: &[
        &["pydantic==2.13.4"],
        &["--no-deps", "--ignore-requires-python", "harbor==0.26.0"],
    ],
};

/// Script that validates a list of trajectories, and prints the error of each, or null.
const TRAJECTORIES: &str = "
import json, sys
from harbor.models.trajectories import Trajectory
refusals = []
for document in json.load(sys.stdin):
    try:
        Trajectory.model_validate(document)
        refusals.append(None)
    except Exception as error:
        refusals.append(str(error))
json.dump(refusals, sys.stdout)
";

fn environment() -> Environment {
    let environment = Environment::bare();
    journal::demonstration(&environment.home());
    environment
}

fn change(environment: &Environment, change: &str) {
    let journal = Connection::open(environment.home().join("journal.db")).unwrap();
    journal.execute_batch(change).unwrap();
    drop(journal);
    environment.sum_rows();
}

fn export(environment: &Environment, format: &str, name: &str, more: &[&str]) -> Output {
    let args = ["export", "demonstration", "--format", format, "-o"];
    let mut command = environment.command(args);
    Output::of(command.arg(environment.path(name)).args(more))
}

fn lines(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// Exports conversations for fine-tuning and returns the lines.
fn conversations(environment: &Environment, name: &str, more: &[&str]) -> Vec<Value> {
    export(environment, "sft", name, more).exits(0);
    lines(&environment.path(name))
}

/// Asserts that documents conform to a JSON schema.
fn fit(schema: &str, documents: &[Value]) {
    let schema: Value = serde_json::from_str(schema).unwrap();
    let pairs: Vec<_> = documents.iter().map(|line| (&schema, line)).collect();
    let input = serde_json::to_vec(&pairs).unwrap();
    if let Some(told) = JSON_SCHEMA.run(REFUSALS, &input) {
        let refusals: Vec<Option<String>> = serde_json::from_slice(&told).unwrap();
        for (refusal, document) in refusals.iter().zip(documents) {
            assert_eq!(refusal, &None, "{document}");
        }
    }
}

#[test]
fn conversations_are_what_was_sent() {
    let environment = environment();
    let lines = conversations(&environment, "train.jsonl", &[]);
    assert!(lines.len() > 20, "{}", lines.len());
    for line in &lines {
        let names: Vec<&str> = line["tools"]
            .as_array()
            .unwrap()
            .iter()
            .map(|tool| tool["function"]["name"].as_str().unwrap())
            .collect();
        assert!(names.contains(&"read_text_file"), "{names:?}");
        let messages = line["messages"].as_array().unwrap();
        let roles: Vec<&str> = messages
            .iter()
            .map(|message| message["role"].as_str().unwrap())
            .collect();
        assert_eq!(roles[..4], ["system", "user", "assistant", "tool"]);
        assert_eq!(messages[0]["content"], "Work with the tools.");
        let called = messages
            .iter()
            .filter_map(|message| message["tool_calls"].as_array())
            .flatten()
            .map(|call| call["function"]["name"].as_str().unwrap());
        for name in called {
            assert!(names.contains(&name), "{name}");
        }
        assert!(line.get("passed").is_none());
    }
    let rewarded = conversations(
        &environment,
        "all.jsonl",
        &["--include-failures", "--rewards"],
    );
    assert!(rewarded.len() > lines.len());
    let passed = |passed: bool| rewarded.iter().filter(move |line| line["passed"] == passed);
    assert_eq!(passed(true).count(), lines.len());
    assert!(passed(false).all(|line| line["score"] == 0.5));
    fit(SFT_SCHEMA, &lines);
    fit(SFT_SCHEMA, &rewarded);
}

#[test]
fn conversations_have_the_published_form_where_that_is_asked_for() {
    let environment = environment();
    let plain = conversations(&environment, "plain.jsonl", &[]);
    let published = conversations(&environment, "published.jsonl", &["--tools-in-prompt"]);
    assert_eq!(plain.len(), published.len());
    for (plain, published) in plain.iter().zip(&published) {
        assert!(published.get("tools").is_none());
        let service = published["task"]
            .as_str()
            .unwrap()
            .split('/')
            .next()
            .unwrap();
        let messages = published["messages"].as_array().unwrap();
        let system = messages[0]["content"].as_str().unwrap();
        let tools = plain["tools"].as_array().unwrap();
        for tool in tools {
            let name = tool["function"]["name"].as_str().unwrap();
            assert!(
                system.contains(&format!("\n{service}_{name}(")),
                "{name} in {system}"
            );
        }
        assert!(system.starts_with("Work with the tools.\n\nTools:\n"));
        let names = |line: &Value| -> Vec<String> {
            let messages = line["messages"].as_array().unwrap().iter();
            let calls = messages.filter_map(|message| message["tool_calls"].as_array());
            let calls = calls
                .flatten()
                .map(|call| call["function"]["name"].as_str().unwrap());
            calls.map(str::to_owned).collect()
        };
        let expected: Vec<String> = names(plain)
            .iter()
            .map(|name| format!("{service}_{name}"))
            .collect();
        assert_eq!(names(published), expected);
    }
    fit(SFT_SCHEMA, &published);
}

#[test]
fn attempts_left_out_for_training_are_reported() {
    let environment = environment();
    let before = conversations(&environment, "before.jsonl", &[]).len();
    // Two attempts with the same conversation and other ids of calls, and one with a compacted conversation.
    change(
        &environment,
        "CREATE TEMP TABLE pair AS SELECT min(id) AS one, max(id) AS other FROM attempts
             WHERE passed = 1 AND experiment = (SELECT id FROM experiments WHERE name = 'demonstration');
         DELETE FROM messages WHERE attempt = (SELECT other FROM pair);
         DELETE FROM tool_calls WHERE attempt = (SELECT other FROM pair);
         INSERT INTO messages SELECT (SELECT other FROM pair), seq, turn, role,
             replace(content, 'call_', 'other_'), at_ms FROM messages WHERE attempt = (SELECT one FROM pair);
         INSERT INTO tool_calls SELECT (SELECT other FROM pair), seq, turn, replace(call_id, 'call_', 'other_'),
             name, arguments, started_ms, elapsed_us, result, is_error, error
             FROM tool_calls WHERE attempt = (SELECT one FROM pair);
         INSERT INTO messages SELECT id, 9000, 1, 'compaction', '{}', 0 FROM attempts
             WHERE passed = 1 AND id NOT IN (SELECT one FROM pair UNION SELECT other FROM pair)
             AND experiment = (SELECT id FROM experiments WHERE name = 'demonstration') LIMIT 1;",
    );
    let told = export(&environment, "sft", "after.jsonl", &[]).exits(0);
    insta::assert_snapshot!(told.message(), @"[dir]/after.jsonl: 41 attempts, 54 left out: 2 not graded, 50 did not pass, 1 compacted, 1 the same as another");
    assert_eq!(lines(&environment.path("after.jsonl")).len(), before - 2);

    let longest = |name: &str| {
        let text = fs::read_to_string(environment.path(name)).unwrap();
        text.lines().map(str::len).max().unwrap()
    };
    let bound = (longest("after.jsonl") - 1).to_string();
    let bounded = ["--max-line-bytes", &bound];
    let told = export(&environment, "sft", "bounded.jsonl", &bounded).exits(0);
    insta::assert_snapshot!(told.message(), @"[dir]/bounded.jsonl: 40 attempts, 55 left out: 2 not graded, 50 did not pass, 1 compacted, 1 too long, 1 the same as another");
    assert!(longest("bounded.jsonl") < longest("after.jsonl"));
}

#[test]
fn an_export_without_an_attempt_is_an_error() {
    let environment = environment();
    let told = export(
        &environment,
        "sft",
        "none.jsonl",
        &["--max-line-bytes", "9"],
    )
    .exits(2);
    insta::assert_snapshot!(told.message(), @r#"
    error: nothing to export from experiment "demonstration"; left out: 2 not graded, 50 did not pass, 43 too long
    hint: `--include-failures` also exports attempts that did not pass
    "#);
    assert!(!environment.path("none.jsonl").exists());
    change(
        &environment,
        "UPDATE grades SET passed = 0 WHERE passed = 1; UPDATE attempts SET passed = 0 WHERE passed = 1",
    );
    let told = export(&environment, "sft", "none.jsonl", &[]).exits(2);
    insta::assert_snapshot!(told.message(), @r#"
    error: nothing to export from experiment "demonstration"; left out: 2 not graded, 93 did not pass
    hint: `--include-failures` also exports attempts that did not pass
    "#);
    assert!(!environment.path("none.jsonl").exists());
    let mut transcript = String::new();
    for options in [
        &["--rewards"][..],
        &["--tools-in-prompt"],
        &["--max-line-bytes", "9"],
        &["--max-line-bytes", "0"],
        &["--max-line-bytes", "-1"],
    ] {
        let refused = export(&environment, "atif", "none", options).exits(2);
        transcript += &refused.transcript();
    }
    insta::assert_snapshot!("an_export_without_an_attempt_is_an_error", transcript);
}

#[test]
fn tables_have_everything_and_fit_their_schemas() {
    let environment = environment();
    let output = export(&environment, "jsonl", "tables", &[]).exits(0);
    insta::assert_snapshot!(output.message(), @"[dir]/tables: 95 attempts");
    let dir = environment.path("tables");
    let table = |name: &str| lines(&dir.join(format!("{name}.jsonl")));
    let attempts = table("attempts");
    assert_eq!(attempts.len(), 95);
    let sum = |key: &str| -> u64 {
        attempts
            .iter()
            .map(|attempt| attempt[key].as_u64().unwrap())
            .sum()
    };
    let replies = table("turns");
    let replies = replies.iter().filter(|turn| turn["role"] == "assistant");
    assert_eq!(replies.count() as u64, sum("turns"));
    assert_eq!(table("calls").len() as u64, sum("tool_calls"));
    let requests = table("requests");
    assert_eq!(requests.len() as u64, sum("turns"));
    assert_eq!(requests[0]["input_tokens"], 2000);
    let ids: Vec<&Value> = attempts.iter().map(|attempt| &attempt["attempt"]).collect();
    for (name, schema) in TABLES {
        let lines = table(name);
        assert!(!lines.is_empty(), "{name}");
        assert!(lines.iter().all(|line| ids.contains(&&line["attempt"])));
        fit(schema, &lines);
    }
    let ungraded = attempts
        .iter()
        .filter(|attempt| attempt["passed"].is_null());
    assert_eq!(ungraded.count(), 2);
    let refused = export(&environment, "jsonl", "tables", &[]).exits(2);
    insta::assert_snapshot!(refused.message(), @"error: [dir]/tables already exists and is not empty; choose a new directory");
}

#[test]
fn trajectories_are_what_their_published_models_read() {
    let environment = environment();
    export(&environment, "atif", "atif", &[]).exits(0);
    let files = fs::read_dir(environment.path("atif")).unwrap();
    let documents: Vec<Value> = files
        .map(|file| serde_json::from_slice(&fs::read(file.unwrap().path()).unwrap()).unwrap())
        .collect();
    assert_eq!(documents.len(), 95);
    for document in &documents {
        let steps = document["steps"].as_array().unwrap();
        assert_eq!(
            (&steps[0]["source"], &steps[1]["source"]),
            (&json!("system"), &json!("user"))
        );
        for step in steps {
            assert_eq!(step["timestamp"], "2026-03-02T08:00:00.000Z");
        }
        assert_eq!(steps[2]["llm_call_count"], 1);
    }
    let input = serde_json::to_vec(&documents).unwrap();
    if let Some(told) = HARBOR.run(TRAJECTORIES, &input) {
        let refusals: Vec<Option<String>> = serde_json::from_slice(&told).unwrap();
        for (refusal, document) in refusals.iter().zip(&documents) {
            assert_eq!(refusal, &None, "{document}");
        }
    }
}
