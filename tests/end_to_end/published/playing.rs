//! Attempts at the tasks of corpora.

use std::fs;

use mcpmark_model_server::{Reaction, Request, Server};
use serde_json::json;

use super::{BOATS, LETTER, copied, corpus, in_turns, names, place, played, run};
use crate::environment::{copy_tree, repository, text};
use crate::scripts::with_guest;

/// Solves the tasks of both corpora.
fn solve(request: &Request) -> Reaction {
    let arguments = if request.instruction.contains("boats/") {
        json!({"path": "answer.txt", "content": "2\n"})
    } else {
        json!({"path": "found.txt", "content": "second.md"})
    };
    in_turns(request, &[&[("write_file", arguments)]])
}

#[test]
fn agents_play_tasks_of_both_layouts() {
    let Some(environment) = with_guest() else {
        return;
    };
    let server = Server::start(solve).unwrap();
    for (name, tasks, task, check) in [
        ("suites", 2, BOATS, "answer.txt exists"),
        ("offline", 1, LETTER, "found.txt is there"),
    ] {
        let place = place(&corpus(name));
        let idle = run(
            &environment,
            &["run", "--json"],
            &place,
            &["--agent", "nop"],
        );
        let idle = idle.exits(1).json();
        assert_eq!(
            idle["summary"],
            json!({"attempts": tasks, "graded": tasks, "passed": 0})
        );
        let played = played(&environment, &place, &server, &["--experiment", name]);
        assert_eq!(played["summary"]["passed"], tasks, "{played}");
        let attempts = played["attempts"].as_array().unwrap();
        let attempt = attempts.iter().find(|it| it["task"] == task).unwrap();
        assert_eq!(
            attempt["checks"][0],
            json!({"name": check, "passed": true, "detail": ""})
        );

        // The output of a script is in the journal, like the log of a component.
        let id = text(&attempt["id"]);
        let shown = environment.run(["show", &id]).exits(0).stdout;
        assert!(shown.contains(&format!(" {check}\n")), "{shown}");
        assert!(shown.contains("log: "), "{shown}");

        // A grade of the stored state and a replay of the calls give the same result.
        let state = text(&attempt["state"]);
        let again = run(
            &environment,
            &["grade", "--json", "--tasks", &place[1], task],
            &[],
            &["--state", &state],
        );
        assert_eq!(again.exits(0).json()["checks"], attempt["checks"]);
        let replayed = run(
            &environment,
            &["run", "--json", "--from", &id],
            &place[..2],
            &[],
        );
        // A replay needs the directory of the states, too.
        if name == "suites" {
            insta::assert_snapshot!(replayed.exits(4).message(), @r#"
            error: [repository]/tests/published/suites/tasks/filesystem/standard/harbour/count_boats: state of category "harbour" is missing; specify a directory with the states of all categories; it must contain filesystem/harbour or harbour
            hint: set --states to the directory with the states
            "#);
        } else {
            replayed.exits(0);
        }

        let listed = environment.run(["runs", name]).exits(0).stdout;
        assert!(listed.contains(task), "{listed}");
        let report = environment.run(["report", name]).exits(0).stdout;
        assert!(report.contains("filesystem"), "{report}");
        // The experiment records the location of its tasks.
        let resumed = environment.run(["resume", name, "--json"]).exits(0).json();
        assert_eq!(resumed["summary"], played["summary"]);
    }
}

/// Modification time of the log in the packed state: 2025-07-09T10:11:12Z.
const CAME_IN: u64 = 1_752_055_872;

const BY_DAY: &str = r#"
import os, sys
from datetime import datetime, timezone
from pathlib import Path

log = Path(os.environ["FILESYSTEM_TEST_DIR"], "07-09", "log.txt")
if not log.exists():
    print("❌ the log lies by its day")
    sys.exit(1)
print("✅", datetime.fromtimestamp(log.stat().st_mtime, timezone.utc).isoformat())
sys.exit(0 if os.path.getmtime(log) == 1752055872 else 1)
"#;

/// Moves the log into a directory that is named after the date that the tool reports.
fn file_by_day(request: &Request) -> Reaction {
    let told = request.body.to_string();
    let day = if told.contains("modified: Wed Jul 09 2025 10:11:12") {
        "07-09"
    } else {
        "unknown"
    };
    let destination = format!("{day}/log.txt");
    in_turns(
        request,
        &[
            &[("get_file_info", json!({"path": "log.txt"}))],
            &[
                ("create_directory", json!({"path": day})),
                (
                    "move_file",
                    json!({"source": "log.txt", "destination": destination}),
                ),
            ],
        ],
    )
}

#[test]
fn times_of_an_unpacked_state_are_seen_by_agents_and_scripts() {
    let Some(environment) = with_guest() else {
        return;
    };
    let (copy, place) = copied(&environment, "suites");
    let states = copy.join("states");
    let log = fs::File::create(states.join("harbour/log.txt")).unwrap();
    let time = std::time::UNIX_EPOCH + std::time::Duration::from_secs(CAME_IN);
    log.set_modified(time).unwrap();
    let script = copy.join("tasks").join(BOATS).join("verify.py");
    fs::write(script, BY_DAY).unwrap();
    let server = Server::start(file_by_day).unwrap();
    let played = played(&environment, &place, &server, &[BOATS]);
    let attempt = &played["attempts"][0];
    assert_eq!(attempt["checks"][0]["name"], "2025-07-09T10:11:12+00:00");

    // A directory with the same modification times is the same state.
    let state = environment.path("state");
    copy_tree(&states.join("harbour"), &state);
    fs::remove_file(state.join("log.txt")).unwrap();
    fs::create_dir(state.join("07-09")).unwrap();
    let log = fs::File::create(state.join("07-09/log.txt")).unwrap();
    log.set_modified(time).unwrap();
    let grade = ["--state", state.to_str().unwrap(), BOATS];
    let again = run(&environment, &["grade", "--json"], &place[..2], &grade);
    let again = again.exits(0).json();
    assert_eq!(again["state"], attempt["state"], "{again}");
}

#[test]
fn an_experiment_of_a_corpus_goes_on_where_it_stopped() {
    let Some(environment) = with_guest() else {
        return;
    };
    let (copy, _) = copied(&environment, "offline");
    let first = ["run", "--agent", "nop", "--experiment", "x", "--tasks"];
    let path = copy.to_str().unwrap();
    environment.run(first.iter().chain(&[path])).exits(1);
    // An attempt at a task whose script has changed is made again.
    let script = copy.join("tasks").join(LETTER).join("verify.py");
    fs::write(&script, "print('✓ whatever')\n").unwrap();
    let resumed = environment.run(["resume", "x", "--json"]).exits(0);
    assert_eq!(resumed.json()["summary"]["passed"], 1);
    insta::assert_snapshot!(resumed.message(), @r"
    1 attempt of a task that has changed: repeated
    1/1 pass filesystem/L1-001  [id]  0 calls
    ");
    fs::remove_dir_all(&copy).unwrap();
    let refused = environment.run(["resume", "x"]).exits(2);
    insta::assert_snapshot!(refused.message(), @r"
    error: [dir]/offline: file or directory does not exist
    hint: `mcpmark resume x --tasks PLACE` continues with the new location of the same tasks
    ");
    let moved = environment.path("moved");
    copy_tree(&corpus("offline"), &moved);
    let resume = ["resume", "x", "--tasks", moved.to_str().unwrap()];
    let refused = environment.run(resume).exits(4);
    insta::assert_snapshot!(refused.message(), @r#"
    error: 1 of 1 tasks differ from those that experiment "x" was started with:
      filesystem/L1-001: expected sha256:[digest], found sha256:[digest]
    hint: name the location of the original tasks; `mcpmark run` starts another experiment with these
    "#);
    let script = moved.join("tasks").join(LETTER).join("verify.py");
    fs::write(&script, "print('✓ whatever')\n").unwrap();
    environment.run(resume).exits(0);
    // The new location of the tasks is recorded.
    environment.run(["resume", "x"]).exits(0);
}

/// Solution that writes the number of boats, as a part of `frame.wat.in`.
const SOLUTION: &str = r#"
    (data (i32.const 100) "write_file")
    (data (i32.const 128) "{\"path\": \"answer.txt\", \"content\": \"2\"}")
    (func (export "solve") (result i32)
      (call $call (i32.const 100) (i32.const 10) (i32.const 128) (i32.const 38) (i32.const 512))
      (i32.const 16))
"#;

#[test]
fn a_solution_beside_the_script_is_played() {
    let Some(environment) = with_guest() else {
        return;
    };
    let (copy, place) = copied(&environment, "suites");
    let frame = repository().join("tests/hostile/solution/frame.wat.in");
    let frame = fs::read_to_string(frame).unwrap();
    let solution = wat::parse_str(frame.replace("{guest}", SOLUTION)).unwrap();
    fs::write(
        copy.join("tasks").join(BOATS).join("solution.wasm"),
        solution,
    )
    .unwrap();
    let played = run(&environment, &["run", "--json"], &place, &[BOATS])
        .exits(0)
        .json();
    assert_eq!(played["attempts"][0]["agent"], "oracle");
    let refused = run(&environment, &["run"], &place, &[]).exits(4);
    insta::assert_snapshot!(refused.message(), @r#"
    warning: filesystem/easy/harbour/simple__count_boats: its task_id is "count_boats", but the name of its directory, "simple__count_boats", is used
    warning: filesystem/easy/harbour/simple__count_boats: its task_id is also used by filesystem/standard/harbour/count_boats
    warning: filesystem/standard/harbour/count_boats: its task_id is also used by filesystem/easy/harbour/simple__count_boats
    error: task filesystem/easy/harbour/simple__count_boats has no solution, but the oracle needs one; add solution.rs, or use another --agent
    hint: choose another agent with --agent
    "#);

    let report = run(&environment, &["task", "check", "--json"], &place, &[BOATS]);
    let report = report.exits(0).json();
    let checks = names(&report["tasks"][0]["checks"]);
    assert!(
        checks.contains(&"the oracle passes".to_owned()),
        "{checks:?}"
    );
    assert!(
        report["tasks"][0]["rejected"].as_u64().unwrap() > 5,
        "{report}"
    );
}
