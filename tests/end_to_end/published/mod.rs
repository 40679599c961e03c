//! Corpora in the published layouts, and grading by their Python scripts.

mod examining;
mod github;
mod playing;

use std::fs;
use std::path::{Path, PathBuf};

use mcpmark_model_server::{Reaction, Request, Saying, Server};
use serde_json::{Value, json};

use crate::environment::{Environment, Output, copy_tree, repository, text};
use crate::scripts::with_guest;

const BOATS: &str = "filesystem/standard/harbour/count_boats";
const LETTER: &str = "filesystem/L1-001";

fn corpus(name: &str) -> PathBuf {
    repository().join("tests/published").join(name)
}

/// Returns the command-line options for a corpus and, if it has any, its states.
fn place(corpus: &Path) -> Vec<String> {
    let mut args = vec!["--tasks".to_owned(), corpus.display().to_string()];
    let states = corpus.join("states");
    if states.is_dir() {
        args.extend(["--states".to_owned(), states.display().to_string()]);
    }
    args
}

/// Copies a corpus, so that a test may change it. Returns the copy and its command-line options.
pub(crate) fn copied(environment: &Environment, name: &str) -> (PathBuf, Vec<String>) {
    let copy = environment.path(name);
    copy_tree(&corpus(name), &copy);
    let place = place(&copy);
    (copy, place)
}

/// Makes the calls of one turn after the other, and then ends.
fn in_turns(request: &Request, turns: &[&[(&str, Value)]]) -> Reaction {
    let calls = turns.get(request.turns);
    let Some(calls) = calls.filter(|_| request.tools != ["ping"]) else {
        return Reaction::say("Done.");
    };
    let call = |(tool, arguments): &(&str, Value)| ((*tool).to_owned(), arguments.to_string());
    Reaction::Say(Saying {
        calls: calls.iter().map(call).collect(),
        ..Saying::default()
    })
}

/// Runs tasks with a model that solves them, and returns the report.
fn played(environment: &Environment, place: &[String], model: &Server, more: &[&str]) -> Value {
    let url = model.base_url();
    let model = ["--model", "openai/good", "--base-url", &url];
    let played = run(
        environment,
        &["run", "--json"],
        place,
        &[&model, more].concat(),
    );
    played.exits(0).json()
}

fn run(environment: &Environment, command: &[&str], place: &[String], more: &[&str]) -> Output {
    let place = place.iter().map(String::as_str);
    let args = command.iter().copied().chain(place);
    environment.run(args.chain(more.iter().copied()))
}

fn names(checks: &Value) -> Vec<String> {
    let checks = checks.as_array().unwrap().iter();
    checks.map(|check| text(&check["name"])).collect()
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
    insta::assert_snapshot!(listed.message(), @r"
    warning: 1 task with a task_id that differs from the name of the directory, which is used instead; --json lists each
    warning: 2 tasks with the same task_id as another task; --json lists each
    ");
    assert_eq!(
        tasks[1]["warnings"],
        json!(["its task_id is also used by filesystem/easy/harbour/simple__count_boats"])
    );

    let tasks = list(&offline, &[]).json();
    assert_eq!(tasks[0]["id"], "filesystem/L1-001");
    assert_eq!(tasks[0]["world"], "quay");
    let world = offline.join("worlds/quay/env");
    assert_eq!(tasks[0]["state"], world.to_str().unwrap());

    let plain = ["task", "list", "--tasks", suites.to_str().unwrap()];
    let plain = environment.run(plain).exits(0).stdout;
    assert!(
        plain.contains("state of category \"harbour\" is missing; specify a directory"),
        "{plain}"
    );

    // Published github worlds do not contain their repository.
    let forge = corpus("forge");
    let forge = ["task", "list", "--tasks", forge.to_str().unwrap()];
    let listed = environment.run(forge).exits(0).stdout;
    assert!(listed.contains("which has no repo/.git"), "{listed}");

    let empty = environment.path("empty");
    fs::create_dir(&empty).unwrap();
    let empty = ["task", "list", "--tasks", empty.to_str().unwrap()];
    let refused = environment.run(empty).exits(4);
    insta::assert_snapshot!(refused.message(), @"error: [dir]/empty: no tasks found: no directory below it contains verify.py");
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
        unknown.contains("available: filesystem/easy/harbour"),
        "{unknown}"
    );
}
