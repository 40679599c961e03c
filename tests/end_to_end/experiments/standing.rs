//! State of experiments in lists, and their remaining attempts.

use rusqlite::Connection;
use serde_json::Value;

use super::{idle, library, run};
use crate::environment::Environment;
use crate::guests;
use crate::library::Library;

fn change(environment: &Environment, change: &str) {
    let journal = Connection::open(environment.home().join("journal.db")).unwrap();
    journal.execute_batch(change).unwrap();
    drop(journal);
    environment.sum_rows();
}

/// Returns the experiments that `runs` lists with these options.
fn experiments(library: &Library<'_>, options: &[&str]) -> Vec<Value> {
    let listed = library.run(["runs", "--json"].iter().chain(options));
    listed.exits(0).json().as_array().unwrap().clone()
}

#[test]
fn resume_asks_a_model_only_where_attempts_are_left() {
    let environment = Environment::new();
    let library = library(&environment, &["a", "b"]);
    let server = idle();
    let e = ["--model", "openai/m", "--experiment", "e"];
    run(&library, &server, &e).exits(0);
    let asked = server.requests().len();
    library.run(["resume", "e"]).exits(0);
    library.run(["resume", "latest"]).exits(0);
    assert_eq!(server.requests().len(), asked);

    // The attempt at the changed task is made again, after a preflight request to the model.
    let verifier = library.task_dir("b").join("verifier.wasm");
    std::fs::write(verifier, guests::verdict(false, "another")).unwrap();
    let refused = library.run(["resume", "e"]).exits(1);
    insta::assert_snapshot!(refused.message(), @r"
    1 attempt of a task that has changed: repeated
    2/2 fail filesystem/office/b  openai/m  [id]  0 calls
           check: another
    ");
    let new = server.requests().split_off(asked);
    let pings = new.iter().filter(|one| one.tools == ["ping"]);
    assert_eq!((pings.count(), new.len()), (1, 2));

    // Without remaining attempts, the server is not needed.
    drop(server);
    library.run(["resume", "e"]).exits(1);
}

#[test]
fn an_experiment_with_cancelled_attempts_is_not_finished() {
    let environment = Environment::new();
    let library = library(&environment, &["a", "b"]);
    library
        .run(["run", "--agent", "nop", "--experiment", "e"])
        .exits(0);
    assert_eq!(experiments(&library, &[])[0]["state"], "finished");
    change(
        &environment,
        "UPDATE attempts SET outcome = 'cancelled', passed = NULL WHERE id = (SELECT min(id) FROM attempts)",
    );
    assert_eq!(experiments(&library, &[])[0]["state"], "stopped");
    library.run(["resume", "e"]).exits(0);
    assert_eq!(experiments(&library, &[])[0]["state"], "finished");
}

#[test]
fn experiments_since_a_time_are_listed_whole() {
    let environment = Environment::new();
    let library = library(&environment, &["a"]);
    library
        .run(["run", "--agent", "nop", "--experiment", "new"])
        .exits(0);
    // Adds thirty older experiments, one for each day.
    change(
        &environment,
        "WITH RECURSIVE days (day) AS (SELECT 1 UNION ALL SELECT day + 1 FROM days WHERE day < 30)
         INSERT INTO experiments (id, name, created_ms, spec)
             SELECT id || day, name || day, created_ms - day * 86400000, spec FROM experiments, days",
    );
    let count = |options: &[&str]| experiments(&library, options).len();
    assert_eq!(count(&[]), 20);
    assert_eq!(count(&["--since", "1h"]), 1);
    assert_eq!(count(&["--since", "25d"]), 25);
    assert_eq!(count(&["--since", "25d", "-n", "2"]), 2);
    assert_eq!(count(&["-n", "31"]), 31);
}

#[test]
fn a_cost_that_nobody_knows_is_no_number() {
    let environment = Environment::new();
    let library = library(&environment, &["a"]);
    let server = idle();
    let url = server.base_url();
    let model = ["--model", "openai/unpriced", "--base-url", &url];
    let told = library.run(["run"].iter().chain(&model)).exits(0).stdout;
    assert!(told.contains("cost unknown"), "{told}");
    let listed = &experiments(&library, &[])[0];
    assert_eq!(listed["cost_usd"], Value::Null);
    assert_eq!(listed["some_cost_unknown"], true);
    let text = library.run(["runs"]).exits(0).stdout;
    assert!(text.contains("unknown"), "{text}");
}

#[test]
fn conversations_for_training_are_those_of_models() {
    let environment = Environment::new();
    let library = library(&environment, &["a"]);
    let server = idle();
    let both = [
        "--agent",
        "random",
        "--agent",
        "nop",
        "--model",
        "openai/m",
        "--experiment",
        "e",
    ];
    run(&library, &server, &both).exits(0);
    let target = environment.path("train.jsonl");
    let export = [
        "export",
        "latest",
        "--format",
        "sft",
        "-o",
        target.to_str().unwrap(),
    ];
    let output = library.run(export).exits(0);
    insta::assert_snapshot!(output.message(), @"[dir]/train.jsonl: 1 attempt, 2 left out: 2 without a model");
    let lines = std::fs::read_to_string(&target).unwrap();
    assert_eq!(lines.lines().count(), 1, "{lines}");
    assert!(lines.contains("\"model\":\"openai/m\""), "{lines}");
}

#[test]
fn many_failures_are_told_in_a_line_each() {
    let environment = Environment::new();
    let library = Library::new(&environment);
    library.task("hard", &guests::verdict(false, "it is not there"));
    let told = library
        .run(["run", "--agent", "nop", "-k", "13", "--experiment", "e"])
        .exits(1)
        .stderr;
    assert_eq!(told.matches("it is not there").count(), 10, "{told}");
    assert_eq!(told.matches(" fail ").count(), 13, "{told}");
    let pointer = "`mcpmark show ATTEMPT` shows the reasons of further failures";
    assert_eq!(told.matches(pointer).count(), 1, "{told}");
}
