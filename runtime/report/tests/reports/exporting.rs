//! Tests of exports.

use std::fs;
use std::path::{Path, PathBuf};

use mcpmark_report::export::{ExportError, Exported, Layout, SftOptions, export};
use mcpmark_snapshot::Digest;
use rusqlite::Connection;
use serde_json::Value;

use crate::{Demonstration, journal};

fn exported(layout: Layout, target: &str) -> (tempfile::TempDir, PathBuf, Exported) {
    let demonstration = Demonstration::new();
    let dir = tempfile::tempdir().unwrap();
    let target = dir.path().join(target);
    let done = export(&demonstration.journal, "demonstration", layout, &target).unwrap();
    (dir, target, done)
}

fn json(path: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

/// Returns all files below a directory as relative paths.
fn files(dir: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut open = vec![dir.to_owned()];
    while let Some(next) = open.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else {
                let name = path.strip_prefix(dir).unwrap();
                found.push(name.to_str().unwrap().to_owned());
            }
        }
    }
    found.sort();
    found
}

#[test]
fn the_published_layout() {
    let (_dir, target, done) = exported(Layout::Mcpmark, "results");
    // A third attempt has not begun and does not have a row.
    assert_eq!((done.attempts, done.left_out()), (93, 2));
    let files = files(&target);
    let ended = |name: &str| files.iter().filter(|file| file.ends_with(name)).count();
    assert_eq!((ended("/meta.json"), ended("/messages.json")), (93, 93));
    // Two models, two services, four runs.
    assert_eq!(ended("/summary.json"), 16);
    let run = target.join("atlas-large-medium__filesystem/run-1");
    let summary = json(&run.join("summary.json"));
    insta::assert_json_snapshot!(summary);
    let metas: Vec<Value> = files
        .iter()
        .filter(|file| file.starts_with("atlas-large-medium__filesystem/run-1/"))
        .filter(|file| file.ends_with("meta.json"))
        .map(|file| json(&target.join(file)))
        .collect();
    assert_eq!(metas.len(), 9);
    let passed = metas
        .iter()
        .filter(|meta| meta["execution_result"]["success"] == true)
        .count();
    assert_eq!(summary["successful_tasks"], passed);
    let one = run.join("harbour__berth-list");
    insta::assert_json_snapshot!(json(&one.join("meta.json")));
    let messages = json(&one.join("messages.json"));
    let kinds: Vec<&str> = messages
        .as_array()
        .unwrap()
        .iter()
        .map(|item| item["type"].as_str().or(item["role"].as_str()).unwrap())
        .take(4)
        .collect();
    assert_eq!(
        kinds,
        ["user", "message", "function_call", "function_call_output"]
    );
}

#[test]
fn conversations_for_training() {
    let (_dir, target, done) = exported(Layout::Sft(SftOptions::default()), "sft.jsonl");
    let text = fs::read_to_string(&target).unwrap();
    let lines: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines.len(), done.attempts);
    assert_eq!(done.attempts + done.left_out(), 95);
    let messages = lines[0]["messages"].as_array().unwrap();
    let turn = messages.iter().find(|m| m["role"] == "assistant").unwrap();
    assert_eq!(turn["reasoning_content"], "Step 1: look at the next paper.");
    let call = &turn["tool_calls"][0];
    let name = &call["function"]["name"];
    let tools = lines[0]["tools"].as_array().unwrap();
    assert!(tools.iter().any(|tool| tool["function"]["name"] == *name));
    let arguments = call["function"]["arguments"].as_str().unwrap();
    assert!(
        serde_json::from_str::<Value>(arguments)
            .unwrap()
            .is_object()
    );
    for line in &lines {
        let messages = line["messages"].as_array().unwrap();
        let asked: Vec<&Value> = messages
            .iter()
            .filter_map(|message| message["tool_calls"].as_array())
            .flatten()
            .map(|call| &call["id"])
            .collect();
        let answered: Vec<&Value> = messages
            .iter()
            .filter(|message| message["role"] == "tool")
            .map(|message| &message["tool_call_id"])
            .collect();
        assert_eq!(asked, answered);
    }
}

/// Updates the digests of modified tool sets.
fn name_tools_anew(journal: &Connection) {
    let mut query = journal
        .prepare("SELECT digest, tools FROM tool_sets")
        .unwrap();
    let sets = query.query_map([], |row| Ok((row.get(0)?, row.get(1)?)));
    let sets: Vec<(String, String)> = sets.unwrap().map(Result::unwrap).collect();
    for (before, tools) in sets {
        let now = Digest::of(tools.as_bytes()).hex();
        for change in [
            "UPDATE tool_sets SET digest = ?2 WHERE digest = ?1",
            "UPDATE messages SET content = replace(content, ?1, ?2) WHERE role = 'system'",
        ] {
            journal.execute(change, [&before, &now]).unwrap();
        }
    }
}

/// Exports the demonstration after a change to its journal.
fn exported_with(change: &str, layout: Layout, target: &str) -> (tempfile::TempDir, PathBuf) {
    let demonstration = Demonstration::new();
    let journal = Connection::open(demonstration.path().join("journal.db")).unwrap();
    journal.execute_batch(change).unwrap();
    name_tools_anew(&journal);
    let dir = tempfile::tempdir().unwrap();
    let target = dir.path().join(target);
    export(&demonstration.journal, "demonstration", layout, &target).unwrap();
    (dir, target)
}

#[test]
fn models_that_differ_by_provider_alone_are_kept_apart() {
    let (_dir, target) = exported_with(
        "UPDATE attempts SET model = 'router/atlas-large',
             model_settings = '{\"reasoning-effort\":\"medium\"}' WHERE model = 'local/sprig-small';
         UPDATE attempts SET model_settings = json_set(model_settings, '$.temperature', 1)
             WHERE model = 'router/atlas-large' AND k = 4;
         UPDATE experiments SET spec = json_set(spec, '$.limits', json('{\"time_seconds\":600}'));",
        Layout::Mcpmark,
        "results",
    );
    let runs = |model: &str| {
        let dir = target.join(format!("{model}__filesystem"));
        fs::read_dir(dir).unwrap().count()
    };
    assert_eq!(runs("openai-atlas-large-medium"), 4);
    assert_eq!(runs("router-atlas-large-medium"), 3);
    // The same model with other settings is another participant.
    assert_eq!(runs("router-atlas-large-medium-2"), 1);
    let files = files(&target);
    let metas = files.iter().filter(|file| file.ends_with("/meta.json"));
    assert_eq!(metas.count(), 93);
    let run = target.join("openai-atlas-large-medium__filesystem/run-1");
    let summary = json(&run.join("summary.json"));
    assert_eq!(summary["model_config"]["timeout"], 600);
    assert_eq!(
        json(&run.join("harbour__berth-list/meta.json"))["timeout"],
        600
    );
}

#[test]
fn notes_of_the_host_are_not_exported_as_messages_to_the_model() {
    let change = "INSERT INTO messages (attempt, seq, turn, role, content, at_ms)
         SELECT id, 9000, 0, 'note', '{\"text\":\"server notes: notes 1.2.3\"}', 0 FROM attempts;
         UPDATE tool_sets SET tools = json_set(tools, '$[0].server', 'notes');";
    let (_dir, target) = exported_with(change, Layout::Sft(SftOptions::default()), "sft.jsonl");
    let text = fs::read_to_string(&target).unwrap();
    assert!(!text.contains("notes 1.2.3"), "{text}");
    // A tool has the name that the model knows, regardless of its server.
    assert!(text.contains("\"name\":\"read_text_file\""), "{text}");
    assert!(!text.contains("notes_read_text_file"), "{text}");
    let (_dir, target) = exported_with(change, Layout::Mcpmark, "results");
    for file in files(&target) {
        let text = fs::read_to_string(target.join(&file)).unwrap();
        assert!(!text.contains("notes 1.2.3"), "{file}");
    }
}

/// Checks the rules of the format's published validator: steps are numbered from 1, keys of agents occur only in steps
/// of agents, and each result has a call.
#[test]
fn the_interchange_format() {
    let (_dir, target, done) = exported(Layout::Atif, "atif");
    let files = files(&target);
    assert_eq!((files.len(), done.attempts, done.left_out()), (95, 95, 0));
    for file in &files {
        let document = json(&target.join(file));
        assert_eq!(document["schema_version"], "ATIF-v1.7");
        let steps = document["steps"].as_array().unwrap();
        for (step, number) in steps.iter().zip(1..) {
            assert_eq!(step["step_id"], number);
            let is_agent = step["source"] == "agent";
            for key in ["tool_calls", "metrics", "reasoning_content"] {
                assert!(is_agent || step.get(key).is_none(), "{file}: {step}");
            }
            let ids: Vec<&Value> = step["tool_calls"]
                .as_array()
                .into_iter()
                .flatten()
                .map(|call| &call["tool_call_id"])
                .collect();
            for result in step["observation"]["results"]
                .as_array()
                .into_iter()
                .flatten()
            {
                assert!(ids.contains(&&result["source_call_id"]), "{file}: {step}");
            }
        }
        assert_eq!(document["final_metrics"]["total_steps"], steps.len());
    }
    let first = files
        .iter()
        .find(|file| file.starts_with("filesystem-harbour-berth-list__1__"))
        .unwrap();
    let document = json(&target.join(first));
    insta::assert_json_snapshot!(document["steps"][2]);
    assert_eq!(document["extra"]["task"], journal::TASKS[0]);
}

#[test]
fn nothing_is_written_over() {
    let demonstration = Demonstration::new();
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("mine"), "").unwrap();
    let into = |layout, target: &Path| export(&demonstration.journal, "efforts", layout, target);
    assert!(matches!(
        into(Layout::Atif, dir.path()),
        Err(ExportError::NotEmpty(_))
    ));
    assert!(matches!(
        into(Layout::Sft(SftOptions::default()), &dir.path().join("mine")),
        Err(ExportError::Exists(_))
    ));
}
