//! Corpora in the published layouts: they are listed, and their scripts judge.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use mcpmark_model_server::{Reaction, Request, Saying, Server};
use serde_json::{Value, json};

use crate::environment::{Environment, Output, copy_tree, repository, text};
use crate::scripts::with_guest;
use crate::skip;

const BOATS: &str = "filesystem/standard/harbour/count_boats";
const LETTER: &str = "filesystem/L1-001";

fn corpus(name: &str) -> PathBuf {
    repository().join("tests/published").join(name)
}

#[test]
fn tasks_are_listed_with_the_states_that_they_start_from() {
    let environment = Environment::bare();
    let (suites, offline) = (corpus("suites"), corpus("offline"));
    let list = |corpus: &PathBuf, more: &[&str]| {
        let args = [
            "task",
            "list",
            "--json",
            "--tasks",
            corpus.to_str().unwrap(),
        ];
        environment.run(args.iter().chain(more)).exits(0)
    };
    let states = suites.join("states");
    let listed = list(&suites, &["--states", states.to_str().unwrap()]);
    let tasks = listed.json();
    let ids: Vec<_> = tasks
        .as_array()
        .unwrap()
        .iter()
        .map(|task| &task["id"])
        .collect();
    assert_eq!(
        ids,
        [
            "filesystem/easy/harbour/simple__count_boats",
            "filesystem/standard/harbour/count_boats"
        ]
    );
    assert_eq!(tasks[1]["metadata"]["meta_data"]["stateType"], "text");
    assert_eq!(tasks[1]["state"], states.join("harbour").to_str().unwrap());
    listed.says(&[
        "1 task with a task_id that is not the name of the directory, which counts; --json",
        "2 tasks with the task_id of another; --json",
    ]);
    assert_eq!(
        tasks[1]["warnings"],
        json!(["its task_id is also that of filesystem/easy/harbour/simple__count_boats"])
    );

    let tasks = list(&offline, &[]).json();
    assert_eq!(tasks[0]["id"], "filesystem/L1-001");
    assert_eq!(tasks[0]["world"], "quay");
    let world = offline.join("worlds/quay/env");
    assert_eq!(tasks[0]["state"], world.to_str().unwrap());

    let plain = ["task", "list", "--tasks", suites.to_str().unwrap()];
    let plain = environment.run(plain).exits(0).stdout;
    assert!(
        plain.contains("its state of category \"harbour\" is not there; name the directory"),
        "{plain}"
    );

    // Published worlds of github come without their repository.
    let forge = corpus("forge");
    let forge = ["task", "list", "--tasks", forge.to_str().unwrap()];
    let listed = environment.run(forge).exits(0).stdout;
    assert!(listed.contains("which holds no repo/.git"), "{listed}");

    let empty = environment.path("empty");
    fs::create_dir(&empty).unwrap();
    let empty = ["task", "list", "--tasks", empty.to_str().unwrap()];
    environment
        .run(empty)
        .exits(4)
        .says(&["no verify.py lies below it"]);
}

#[test]
fn scripts_judge_final_states() {
    let Some(environment) = with_guest() else {
        return;
    };
    for (corpus, start, task, answer) in [
        (
            corpus("suites"),
            corpus("suites/states/harbour"),
            "filesystem/standard/harbour/count_boats",
            ("answer.txt", "2\n"),
        ),
        (
            corpus("offline"),
            corpus("offline/worlds/quay/env"),
            "filesystem/L1-001",
            ("found.txt", "second.md\n"),
        ),
    ] {
        let state = environment.path(task.rsplit('/').next().unwrap());
        copy_tree(&start, &state);
        let grade = || {
            let (corpus, state) = (corpus.to_str().unwrap(), state.to_str().unwrap());
            environment.run(["grade", "--tasks", corpus, task, "--state", state, "--json"])
        };
        let untouched = grade().exits(1).json();
        assert_eq!(untouched["passed"], false, "{task}");
        std::fs::write(state.join(answer.0), answer.1).unwrap();
        let done = grade().exits(0).json();
        assert_eq!(done["checks"].as_array().unwrap().len(), 3, "{task}");
    }
    let corpus = corpus("suites");
    let unknown = [
        "grade",
        "--tasks",
        corpus.to_str().unwrap(),
        "filesystem/nothing",
        "--state",
        ".",
    ];
    let unknown = environment.run(unknown).exits(2).stderr;
    assert!(
        unknown.contains("there are: filesystem/easy/harbour"),
        "{unknown}"
    );
}

/// Solves the tasks of both corpora.
fn solve(request: &Request) -> Reaction {
    let arguments = match &request.instruction {
        _ if request.tools == ["ping"] || request.turns > 0 => return Reaction::say("Done."),
        boats if boats.contains("boats/") => json!({"path": "answer.txt", "content": "2\n"}),
        _ => json!({"path": "found.txt", "content": "second.md"}),
    };
    Reaction::Say(Saying {
        calls: vec![("write_file".to_owned(), arguments.to_string())],
        ..Saying::default()
    })
}

/// Where a corpus lies, as the command line has it.
fn place(name: &str) -> Vec<String> {
    let corpus = corpus(name);
    let mut args = vec!["--tasks".to_owned(), corpus.display().to_string()];
    let states = corpus.join("states");
    if states.is_dir() {
        args.extend(["--states".to_owned(), states.display().to_string()]);
    }
    args
}

fn run(environment: &Environment, command: &[&str], place: &[String], more: &[&str]) -> Output {
    let place = place.iter().map(String::as_str);
    let args = command.iter().copied().chain(place);
    environment.run(args.chain(more.iter().copied()))
}

#[test]
fn agents_play_tasks_of_both_layouts() {
    let Some(environment) = with_guest() else {
        return;
    };
    let server = Server::start(solve).unwrap();
    let url = server.base_url();
    for (name, tasks, task, check) in [
        ("suites", 2, BOATS, "answer.txt exists"),
        ("offline", 1, LETTER, "found.txt is there"),
    ] {
        let place = place(name);
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
        let model = [
            "--model",
            "openai/good",
            "--base-url",
            &url,
            "--experiment",
            name,
        ];
        let played = run(&environment, &["run", "--json"], &place, &model);
        let played = played.exits(0).json();
        assert_eq!(played["summary"]["passed"], tasks, "{played}");
        let attempts = played["attempts"].as_array().unwrap();
        let attempt = attempts.iter().find(|it| it["task"] == task).unwrap();
        assert_eq!(
            attempt["checks"][0],
            json!({"name": check, "passed": true, "detail": ""})
        );

        // What a script printed stands in the journal, as the log of a component does.
        let id = text(&attempt["id"]);
        let shown = environment.run(["show", &id]).exits(0).stdout;
        assert!(shown.contains(&format!(" {check}\n")), "{shown}");
        assert!(shown.contains("log: "), "{shown}");

        // Grading the kept state again is the same grade, and playing the calls again, too.
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
        match name {
            // The states have to be named for that, too.
            "suites" => replayed.exits(4).says(&["--states names the directory"]),
            _ => replayed.exits(0),
        };

        let listed = environment.run(["runs", name]).exits(0).stdout;
        assert!(listed.contains(task), "{listed}");
        let report = environment.run(["report", name]).exits(0).stdout;
        assert!(report.contains("filesystem"), "{report}");
        // The experiment knows where its tasks lie.
        let resumed = environment.run(["resume", name, "--json"]).exits(0).json();
        assert_eq!(resumed["summary"], played["summary"]);
    }
}

const DOOR: &str = "github/L2-001";

/// Closes the issue about the door, and says why.
fn close_door(request: &Request) -> Reaction {
    let call = |tool: &str, more: Value| {
        let mut arguments = json!({"owner": "mcpmark", "repo": "repo", "issue_number": 2});
        for (key, value) in more.as_object().unwrap() {
            arguments[key] = value.clone();
        }
        (tool.to_owned(), arguments.to_string())
    };
    if request.tools == ["ping"] || request.turns > 0 {
        return Reaction::say("Done.");
    }
    Reaction::Say(Saying {
        calls: vec![
            call(
                "add_issue_comment",
                json!({"body": "Nobody will paint it."}),
            ),
            call(
                "update_issue",
                json!({"state": "closed", "state_reason": "not_planned"}),
            ),
        ],
        ..Saying::default()
    })
}

/// Makes the repository of the world `mill`; false where git does not run.
fn make_repository(dir: &Path) -> bool {
    if Command::new("git").arg("--version").output().is_err() {
        return false;
    }
    let script = corpus("forge").join("make-repository.sh");
    let made = Command::new("sh").arg(script).arg(dir).output().unwrap();
    assert!(made.status.success(), "{made:?}");
    true
}

#[test]
fn a_script_reads_the_repository_and_documents_of_a_github_world() {
    let Some(environment) = with_guest() else {
        return;
    };
    let copy = environment.path("corpus");
    copy_tree(&corpus("forge"), &copy);
    if !make_repository(&copy.join("worlds/mill/env/repo")) {
        return skip::python("git does not run, which makes the world of this test");
    }
    let place = ["--tasks".to_owned(), copy.display().to_string()];
    let idle = run(
        &environment,
        &["run", "--json"],
        &place,
        &["--agent", "nop"],
    );
    let idle = idle.exits(1).json();
    let checks = &idle["attempts"][0]["checks"];
    assert_eq!(names(checks)[0], "the issue is closed", "{idle}");
    let failed = |checks: &Value| {
        let checks = checks.as_array().unwrap().iter();
        checks.filter(|check| check["passed"] == false).count()
    };
    assert_eq!(failed(checks), 4, "{idle}");

    let server = Server::start(close_door).unwrap();
    let url = server.base_url();
    let model = [DOOR, "--model", "openai/good", "--base-url", &url];
    let played = run(&environment, &["run", "--json"], &place, &model);
    let played = played.exits(0).json();
    assert_eq!(played["attempts"][0]["checks"].as_array().unwrap().len(), 7);

    // The start as it lies there is a state that is judged, too.
    let state = copy.join("worlds/mill/env");
    let grade = ["--state", state.to_str().unwrap(), DOOR];
    let graded = run(&environment, &["grade", "--json"], &place, &grade);
    assert_eq!(failed(&graded.exits(1).json()["checks"]), 4);

    // What is no world of github can be neither begun with nor judged.
    fs::remove_dir_all(state.join("repo/.git")).unwrap();
    let graded = run(&environment, &["grade", "--json"], &place, &grade);
    graded.exits(4).says(&["repo/.git/"]);
    let begun = run(
        &environment,
        &["run", "--json"],
        &place,
        &["--agent", "nop"],
    );
    begun.exits(4);
}

/// When the boat came in, as whoever packed the state has it: 2025-07-09T10:11:12Z.
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

/// Puts the log into a directory by the day that the tool tells of it.
fn file_by_day(request: &Request) -> Reaction {
    let told = request.body.to_string();
    let day = if told.contains("modified: Wed Jul 09 2025 10:11:12") {
        "07-09"
    } else {
        "unknown"
    };
    let call = |tool: &str, arguments: Value| (tool.to_owned(), arguments.to_string());
    let calls = match request.turns {
        _ if request.tools == ["ping"] => return Reaction::say("Done."),
        0 => vec![call("get_file_info", json!({"path": "log.txt"}))],
        1 => vec![
            call("create_directory", json!({"path": day})),
            call(
                "move_file",
                json!({"source": "log.txt", "destination": format!("{day}/log.txt")}),
            ),
        ],
        _ => return Reaction::say("Done."),
    };
    Reaction::Say(Saying {
        calls,
        ..Saying::default()
    })
}

#[test]
fn times_of_an_unpacked_state_are_seen_by_agents_and_scripts() {
    let Some(environment) = with_guest() else {
        return;
    };
    let copy = environment.path("corpus");
    copy_tree(&corpus("suites"), &copy);
    let states = copy.join("states");
    let log = fs::File::create(states.join("harbour/log.txt")).unwrap();
    let time = std::time::UNIX_EPOCH + std::time::Duration::from_secs(CAME_IN);
    log.set_modified(time).unwrap();
    let script = copy.join("tasks").join(BOATS).join("verify.py");
    fs::write(script, BY_DAY).unwrap();
    let place = [
        "--tasks".to_owned(),
        copy.display().to_string(),
        "--states".to_owned(),
        states.display().to_string(),
    ];
    let server = Server::start(file_by_day).unwrap();
    let url = server.base_url();
    let model = [BOATS, "--model", "openai/good", "--base-url", &url];
    let played = run(&environment, &["run", "--json"], &place, &model);
    let played = played.exits(0).json();
    let attempt = &played["attempts"][0];
    assert_eq!(attempt["checks"][0]["name"], "2025-07-09T10:11:12+00:00");

    // A directory with the same times is the same state.
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
    let copy = environment.path("corpus");
    copy_tree(&corpus("offline"), &copy);
    let first = ["run", "--agent", "nop", "--experiment", "x", "--tasks"];
    let path = copy.to_str().unwrap();
    environment.run(first.iter().chain(&[path])).exits(1);
    // A script that is another one by now judges anew.
    let script = copy.join("tasks").join(LETTER).join("verify.py");
    fs::write(&script, "print('✓ whatever')\n").unwrap();
    let resumed = environment.run(["resume", "x", "--json"]).exits(0);
    assert_eq!(resumed.json()["summary"]["passed"], 1);
    resumed.says(&["of a task that has changed since: made again"]);
    fs::remove_dir_all(&copy).unwrap();
    environment.run(["resume", "x"]).exits(2).says(&[
        "corpus: there is no such file or directory",
        "mcpmark resume x --tasks PLACE",
    ]);
    let moved = environment.path("moved");
    copy_tree(&corpus("offline"), &moved);
    let resume = ["resume", "x", "--tasks", moved.to_str().unwrap()];
    environment.run(resume).exits(4).says(&[
        "not the tasks that experiment \"x\" was begun with; 1 of 1 differ",
        LETTER,
    ]);
    let script = moved.join("tasks").join(LETTER).join("verify.py");
    fs::write(&script, "print('✓ whatever')\n").unwrap();
    environment.run(resume).exits(0);
    // It knows from here on where they lie.
    environment.run(["resume", "x"]).exits(0);
}

/// Writes the number of boats; beside it, what a component needs.
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
    let copy = environment.path("corpus");
    copy_tree(&corpus("suites"), &copy);
    let frame = repository().join("tests/hostile/solution/frame.wat.in");
    let frame = fs::read_to_string(frame).unwrap();
    let solution = wat::parse_str(frame.replace("{guest}", SOLUTION)).unwrap();
    fs::write(
        copy.join("tasks").join(BOATS).join("solution.wasm"),
        solution,
    )
    .unwrap();
    let states = copy.join("states");
    let place = [
        "--tasks".to_owned(),
        copy.display().to_string(),
        "--states".to_owned(),
        states.display().to_string(),
    ];
    let played = run(&environment, &["run", "--json"], &place, &[BOATS])
        .exits(0)
        .json();
    assert_eq!(played["attempts"][0]["agent"], "oracle");
    run(&environment, &["run"], &place, &[])
        .exits(4)
        .says(&["simple__count_boats has no solution"]);

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

fn names(checks: &Value) -> Vec<String> {
    let checks = checks.as_array().unwrap().iter();
    checks.map(|check| text(&check["name"])).collect()
}

fn has_python() -> bool {
    let code = "import sys; sys.exit(sys.version_info < (3, 11))";
    let asked = Command::new("python3").args(["-I", "-c", code]).status();
    asked.is_ok_and(|status| status.success())
}

#[test]
fn tasks_are_examined_and_compared_with_native_python() {
    let Some(environment) = with_guest() else {
        return;
    };
    let solved = corpus("suites/solved");
    let check = |corpus: &Path, more: &[&str]| {
        let states = corpus.join("states");
        let (corpus, states) = (corpus.to_str().unwrap(), states.to_str().unwrap());
        let args = [
            "task", "check", "--tasks", corpus, "--states", states, "--json",
        ];
        environment.run(
            args.iter()
                .chain(&["--solved", solved.to_str().unwrap()])
                .chain(more),
        )
    };
    let report = check(&corpus("suites"), &[]).exits(0).json();
    assert_eq!(report["passed"], true);
    let task = &report["tasks"][1];
    assert_eq!(
        names(&task["checks"]),
        [
            "doing nothing fails",
            "calling tools by chance fails",
            "the given final state passes",
            "the script judges every near miss",
            "grading again gives the same verdict and output",
        ]
    );
    assert_eq!(task["compared"], 0);

    // Limits are set as by a task of ours.
    let copy = environment.path("corpus");
    copy_tree(&corpus("suites"), &copy);
    let task = copy.join("tasks").join(BOATS);
    let meta = task.join("meta.json");
    let before = fs::read_to_string(&meta).unwrap();
    fs::write(
        &meta,
        before.replacen('{', r#"{"limits": {"fuel": 1000},"#, 1),
    )
    .unwrap();
    let report = check(&copy, &[BOATS]).exits(1).json();
    let detail = text(&report["tasks"][0]["checks"][0]["detail"]);
    assert!(detail.contains("1000 units of fuel"), "{detail}");
    fs::write(&meta, before).unwrap();

    // A script that passes whatever it sees is found out.
    let script = task.join("verify.py");
    fs::write(&script, "import sys\nprint(sys.platform)\n").unwrap();
    let report = check(&copy, &[BOATS]).exits(1).json();
    assert_eq!(report["tasks"][0]["checks"][0]["passed"], false);

    if !has_python() {
        return skip::python("there is no python3 of version 3.11 or later to compare with");
    }
    let report = check(&corpus("suites"), &["--against-python"])
        .exits(0)
        .json();
    assert!(
        report["tasks"][1]["compared"].as_u64().unwrap() > 8,
        "{report}"
    );
    // The order of a set is no difference; that lines stand in another is told, and what else
    // differs beside them is found.
    const SETS: &str = "names = {str(n) for n in range(20)}\nprint(names)\n";
    const LOOP: &str = "for name in names: print(name)\n";
    let platform = "import sys\nprint(sys.platform)\n";
    for (text, same, wavers) in [
        (SETS.to_owned(), true, false),
        (format!("{SETS}{LOOP}"), true, true),
        (format!("{SETS}{LOOP}{platform}"), false, false),
    ] {
        fs::write(&script, &text).unwrap();
        let report = check(&copy, &[BOATS, "--against-python"]).exits(1).json();
        let task = &report["tasks"][0];
        let last = task["checks"].as_array().unwrap().last().unwrap();
        assert_eq!(last["name"], "native Python says the same");
        assert_eq!(last["passed"], same, "{text}: {report}");
        let remarks = task["remarks"].to_string();
        let told = remarks.contains("another thing each time");
        assert_eq!(told, wavers, "{text}: {remarks}");
    }

    fs::write(&script, "import sys\nprint(sys.platform)\n").unwrap();
    let report = check(&copy, &[BOATS, "--against-python"]).exits(1).json();
    let last = report["tasks"][0]["checks"]
        .as_array()
        .unwrap()
        .last()
        .unwrap();
    assert_eq!(last["name"], "native Python says the same");
    assert_eq!(last["passed"], false);
    let detail = text(&last["detail"]);
    assert!(
        detail.contains(r#""wasi" here, "linux" natively"#),
        "{detail}"
    );
}

#[test]
fn batches_and_cross_checks_take_scripts() {
    let Some(environment) = with_guest() else {
        return;
    };
    let solved = corpus("suites/solved");
    let state = solved.join(BOATS);
    let suites = corpus("suites");
    let script = suites.join("tasks").join(BOATS).join("verify.py");
    let lines = [
        json!({"task": BOATS, "state": state}),
        json!({"verifier": script, "state": suites.join("states/harbour"), "id": "start"}),
        json!({"verifier": script, "state": state, "env": {"FILESYSTEM_TEST_DIR": "/state/boats"}}),
        json!({"task": "filesystem/none", "state": state}),
        json!({"verifier": script, "state": state, "args": "one"}),
    ];
    let lines: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let batch = environment.path("batch.jsonl");
    fs::write(&batch, lines).unwrap();
    let args = ["grade", "--tasks", suites.to_str().unwrap(), "--batch"];
    let graded = environment.run(args.iter().chain(&[batch.to_str().unwrap()]));
    let graded = graded.exits(4).stdout;
    let graded: Vec<Value> = graded
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let passed: Vec<&Value> = graded.iter().map(|line| &line["passed"]).collect();
    assert_eq!(passed[..3], [&json!(true), &json!(false), &json!(false)]);
    assert_eq!(graded[0]["output"]["exit_code"], 0);
    assert_eq!(graded[1]["id"], "start");
    assert!(text(&graded[3]["error"]["message"]).contains("there are: filesystem/easy"));
    assert_eq!(graded[4]["error"]["key"], "args");

    let (script, state) = (script.to_str().unwrap(), state.to_str().unwrap());
    let crossed = [
        "grade",
        "--cross-check",
        "--json",
        "--verifier",
        script,
        "--state",
        state,
    ];
    assert_eq!(environment.run(crossed).exits(0).json()["passed"], true);
}
