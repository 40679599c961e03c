//! Corpora in the published layouts: they are listed, and their scripts judge.

use std::path::PathBuf;

use crate::environment::{Environment, copy_tree, repository};
use crate::scripts::with_guest;

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
    assert!(
        listed.stderr.contains("its task_id is \"count_boats\""),
        "{}",
        listed.stderr
    );

    let tasks = list(&offline, &[]).json();
    assert_eq!(tasks[0]["id"], "filesystem/L1-001");
    assert_eq!(tasks[0]["world"], "quay");
    let world = offline.join("worlds/quay/env");
    assert_eq!(tasks[0]["state"], world.to_str().unwrap());

    let plain = ["task", "list", "--tasks", suites.to_str().unwrap()];
    let plain = environment.run(plain).exits(0).stdout;
    assert!(
        plain.contains("its state of category \"harbour\" is not there"),
        "{plain}"
    );
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
