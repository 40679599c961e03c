//! Programs read the documents with the types that write them, also where keys of several types are in one object.

use mcpmark_metadata::{
    AttemptDetail, GradedLine, RefusedLine, StateDetail, TaskDetail, TaskSummary,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// Reads a document, and checks that nothing is lost or added.
#[track_caller]
fn read<T: DeserializeOwned + Serialize>(document: &Value) -> T {
    let read: T = serde_json::from_str(&document.to_string()).unwrap();
    assert_eq!(serde_json::to_value(&read).unwrap(), *document);
    read
}

#[test]
fn states_are_read_with_and_without_a_world_and_a_summary() {
    let bare = json!({
        "digest": "sha256:01", "bytes": 4,
        "entries": [
            {"path": "a", "kind": "directory"},
            {"path": "a/b", "kind": "file", "size": 4, "executable": false, "modified": null,
             "digest": "sha256:02"},
            {"path": "c", "kind": "symlink", "target": "a/b"},
        ],
    });
    let state: StateDetail = read(&bare);
    assert!(state.start.is_none() && state.summary.is_empty());

    let mut world = bare;
    world["world"] = json!("github/quay");
    world["seed"] = json!(u64::MAX);
    world["clock"] = json!(-1);
    world["repositories"] = json!([{"name": "quay"}]);
    let state: StateDetail = read(&world);
    assert_eq!(state.start.unwrap().seed, u64::MAX);
    assert_eq!(state.summary.len(), 1);
}

#[test]
fn lines_of_a_batch_are_read_with_and_without_an_id() {
    let mut graded = json!({
        "line": 1, "outcome": "graded", "passed": true, "score": 1.0, "score_rule": "earned",
        "checks": [{"name": "total", "passed": true, "detail": ""}], "fault": null,
        "state": "sha256:01", "verifier": "sha256:02",
    });
    let _: GradedLine = read(&graded);
    graded["id"] = json!([7]);
    graded["lowered"] = json!({"fuel": u64::MAX});
    let line: GradedLine = read(&graded);
    assert_eq!(line.report.lowered["fuel"], u64::MAX);
    let error = json!({"key": "state", "message": "it does not exist", "hint": null});
    let _: RefusedLine = read(&json!({"line": null, "error": error}));
}

#[test]
fn attempts_and_tasks_are_read_with_the_keys_of_their_lists() {
    let attempt = r#"{
        "id": "0123456789ab", "task": "filesystem/office/letters", "agent": "command",
        "program": "agent --fast", "model": null, "model_settings": {}, "effort": null, "k": 1,
        "ended": "completed", "outcome": "graded", "passed": false, "score": 0.5,
        "score_rule": "share", "checks": [], "fault": null, "turns": 1, "tool_calls": 0,
        "state": null, "bundle": null, "usage": null, "cost_usd": null, "experiment": "mine",
        "agent_settings": null, "start": null, "ended_detail": null, "answer": null,
        "started": "2026-03-02T09:00:00Z", "seconds": 0.25, "messages": [], "calls": [],
        "changes": null, "requests": [], "by_turn": [],
        "failure": {
            "class": "premature-stop",
            "evidence": {"turn": 1, "rule": "asks", "quote": "Shall I?"}
        }
    }"#;
    let attempt: Value = serde_json::from_str(attempt).unwrap();
    let attempt: AttemptDetail = read(&attempt);
    assert_eq!(attempt.attempt.program.as_deref(), Some("agent --fast"));

    let mut task = json!({
        "id": "filesystem/office/letters", "title": "Letters", "description": null, "tier": "L1",
        "tags": [], "world": "filesystem/office", "judged_on": ["state"],
        "dir": "tasks/filesystem/office/letters", "verifier": "verifier.rs", "held_back": null,
        "solution": null, "cheats": [],
    });
    let _: TaskSummary = read(&task);
    task["certificate"] = json!({
        "format": 4,
        "points": [
            {"point": "oracle", "status": "in-part", "failed": [], "not_examined": ["another"]},
        ],
        "mutants": {"made": 4, "rejected": 4},
        "scores": {"nop": 0.0},
        "variants": {"extra-reads": 12},
    });
    task["instruction"] = json!("Write the letters.");
    task["meta"] = json!({"difficulty": "L1"});
    let task: TaskDetail = read(&task);
    assert_eq!(task.certificate.unwrap().scores["nop"], 0.0);
}
