//! A corpus whose worlds are repositories.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use mcpmark_model_server::{Reaction, Request, Server};
use mcpmark_test_support::{Need, skip};
use serde_json::{Value, json};

use super::{copied, corpus, in_turns, names, played, run};
use crate::environment::{Environment, copy_tree, text};
use crate::guests;
use crate::scripts::with_guest;

const DOOR: &str = "github/L2-001";
const LINT: &str = "github/L3-001";

const WORKFLOW: &str =
    "name: lint\non:\n  pull_request:\njobs:\n  lint:\n    steps:\n      - run: lint .\n";

/// Closes the issue about the door, with a comment that gives the reason.
fn close_door(request: &Request) -> Reaction {
    let of_issue = |more: Value| of_repository(json!({"issue_number": 2}), &more);
    in_turns(
        request,
        &[&[
            (
                "add_issue_comment",
                of_issue(json!({"body": "Nobody will paint it."})),
            ),
            (
                "update_issue",
                of_issue(json!({"state": "closed", "state_reason": "not_planned"})),
            ),
        ]],
    )
}

/// Adds the workflow.
fn add_workflow(request: &Request) -> Reaction {
    let file = json!({
        "branch": "main", "path": ".github/workflows/lint.yml", "content": WORKFLOW, "message": "Check changes",
    });
    in_turns(
        request,
        &[&[("create_or_update_file", of_repository(file, &json!({})))]],
    )
}

/// Returns the arguments of a call for the world's repository.
fn of_repository(mut arguments: Value, more: &Value) -> Value {
    for (key, value) in [("owner", "mcpmark"), ("repo", "repo")] {
        arguments[key] = value.into();
    }
    for (key, value) in more.as_object().unwrap() {
        arguments[key] = value.clone();
    }
    arguments
}

/// Returns a copy of the corpus with the repository of its world, or `None` if the interpreter or git is not available.
fn forge() -> Option<(Environment, PathBuf, Vec<String>)> {
    let environment = with_guest()?;
    let (copy, place) = copied(&environment, "forge");
    if !make_repository(&copy.join("worlds/mill/env/repo")) {
        skip(
            Need::Git,
            "git does not run, which makes the world of this test",
        );
        return None;
    }
    Some((environment, copy, place))
}

/// Creates the repository of the world `mill`. Returns false if git cannot be run.
fn make_repository(dir: &Path) -> bool {
    if Command::new("git").arg("--version").output().is_err() {
        return false;
    }
    let script = corpus("forge").join("make-repository.sh");
    let made = Command::new("sh").arg(script).arg(dir).output().unwrap();
    assert!(made.status.success(), "{made:?}");
    true
}

fn failed(checks: &Value) -> usize {
    let checks = checks.as_array().unwrap().iter();
    checks.filter(|check| check["passed"] == false).count()
}

#[test]
fn a_script_reads_the_repository_and_documents_of_a_github_world() {
    let Some((environment, copy, place)) = forge() else {
        return;
    };
    let nop = ["--agent", "nop", DOOR];
    let idle = run(&environment, &["run", "--json"], &place, &nop);
    let idle = idle.exits(1).json();
    let checks = &idle["attempts"][0]["checks"];
    assert_eq!(names(checks)[0], "the issue is closed", "{idle}");
    assert_eq!(failed(checks), 4, "{idle}");

    let server = Server::start(close_door).unwrap();
    let played = played(&environment, &place, &server, &[DOOR]);
    assert_eq!(played["attempts"][0]["checks"].as_array().unwrap().len(), 7);

    // The directory of the starting state can be graded, too.
    let state = copy.join("worlds/mill/env");
    let grade = ["--state", state.to_str().unwrap(), DOOR];
    let graded = run(&environment, &["grade", "--json"], &place, &grade);
    assert_eq!(failed(&graded.exits(1).json()["checks"]), 4);

    // Without a task, the service of the state must be given.
    let script = copy.join(format!("tasks/{LINT}/verify.py"));
    let alone = ["grade", "--json", "--verifier", script.to_str().unwrap()];
    let alone = |more: &[&str]| {
        let state = ["--state", state.to_str().unwrap()];
        environment.run(alone.iter().chain(&state).chain(more))
    };
    let graded = alone(&["--service", "github"]).exits(1).json();
    assert_eq!(graded["outcome"], "graded", "{graded}");
    let refused = alone(&[]).exits(2);
    insta::assert_snapshot!(refused.message(), @r"
    error: verify.py reads environment variables that are not set: GITHUB_EVAL_ORG, MCP_GITHUB_TOKEN
    hint: name the service of the state with --service, which sets its own variables; set them with --env GITHUB_EVAL_ORG=… --env MCP_GITHUB_TOKEN=…, to an empty value if the script does not need one; or name the task with --tasks CORPUS, which sets the variables of its service
    ");
    let fault = alone(&[
        "--env",
        "GITHUB_EVAL_ORG=mcpmark",
        "--env",
        "MCP_GITHUB_TOKEN=",
    ]);
    let fault = fault.exits(3).json()["fault"].to_string();
    assert!(
        fault.contains("the service of this state is unknown"),
        "{fault}"
    );

    // A directory that is not a github world can be neither started from nor graded.
    fs::remove_dir_all(state.join("repo/.git")).unwrap();
    let graded = run(&environment, &["grade", "--json"], &place, &grade);
    let refused = graded.exits(4);
    insta::assert_snapshot!(refused.message(), @"error: [dir]/forge/worlds/mill/env: the github world is not valid: repo/.git/ does not exist; a github world requires a repository in repo/.git");
    let begun = run(&environment, &["run", "--json"], &place, &nop);
    begun.exits(4);
}

#[test]
fn a_script_that_proposes_changes_is_judged_by_what_runs_on_them() {
    let Some((environment, copy, place)) = forge() else {
        return;
    };
    let ci = copy.join("worlds/mill/ci.wasm");
    fs::write(&ci, guests::own("lints.wat")).unwrap();
    // Without a workflow nothing runs, and the script waits in vain, which takes no time.
    let nop = ["--agent", "nop", LINT];
    let idle = run(&environment, &["run", "--json"], &place, &nop);
    let idle = &idle.exits(1).json()["attempts"][0];
    assert_eq!(
        failed(&idle["checks"]),
        3,
        "two results and the exit code: {idle}"
    );

    let server = Server::start(add_workflow).unwrap();
    let played = played(&environment, &place, &server, &[LINT, "--experiment", "e"]);
    let attempt = &played["attempts"][0];
    let (id, state) = (text(&attempt["id"]), text(&attempt["state"]));
    assert_eq!(attempt["checks"].as_array().unwrap().len(), 6, "{attempt}");

    // Repeated grading of a state gives the same grade and does not change the state.
    let grade = |more: &[&str]| {
        let args = [&["--state", &state, LINT], more].concat();
        run(&environment, &["grade", "--json"], &place, &args)
    };
    let again = grade(&[]).exits(0).json();
    assert_eq!(again["checks"], attempt["checks"]);
    assert_eq!(again["state"], attempt["state"]);
    let both = grade(&["--cross-check"]).exits(0).json();
    assert_eq!(both["output"], again["output"]);
    environment.run(["store", "check"]).exits(0);

    // Receipts name the guest that ran the workflows, and can be verified with the store alone.
    let receipt = environment.run(["receipt", "show", &id]).exits(0).stdout;
    let told: Value = serde_json::from_str(&receipt).unwrap();
    let verifier = &told["predicate"]["mcpmark"]["terms"]["verifier"];
    assert!(text(&verifier["ci"]).starts_with("sha256:"), "{verifier}");
    let file = environment.path("receipt.json");
    fs::write(&file, &receipt).unwrap();
    let verify = |at: &Environment| {
        at.run(["receipt", "verify", file.to_str().unwrap()])
            .exits(0)
    };
    environment.run(["store", "gc"]).exits(0);
    verify(&environment);
    let regraded = environment.run(["regrade", "e", "--json"]).exits(0).json();
    assert_eq!(regraded["summary"]["same"], 1, "{regraded}");
    let elsewhere = Environment::bare();
    let carried = elsewhere.path("e.tar");
    let carried = carried.to_str().unwrap();
    environment
        .run(["store", "export", "e", "-o", carried])
        .exits(0);
    elsewhere.run(["store", "import", carried]).exits(0);
    verify(&elsewhere);

    // A bundle contains the guest, also if the state belongs to a category.
    let [first, second] = ["world.tar", "category.tar"].map(|name| environment.path(name));
    let passes = |place: &[String], task: &str| {
        let args = ["--state", &state, task];
        let graded = run(&environment, &["grade", "--json"], place, &args);
        assert_eq!(
            graded.exits(0).json()["checks"],
            attempt["checks"],
            "{place:?}"
        );
    };
    let packed = |place: &[String], tar: &Path| {
        let tar = tar.to_str().unwrap();
        run(&environment, &["bundle", "pack", "-o", tar], place, &[]).exits(0);
        environment.run(["bundle", "verify", tar]).exits(0);
        ["--tasks".to_owned(), tar.to_owned()]
    };
    passes(&packed(&place, &first), LINT);
    let category = environment.path("categories");
    let task = "github/standard/mill/lint";
    copy_tree(
        &copy.join("tasks").join(LINT),
        &category.join("tasks").join(task),
    );
    fs::remove_file(category.join("tasks").join(task).join("meta.json")).unwrap();
    copy_tree(&copy.join("worlds"), &category.join("states"));
    let of_category = super::place(&category);
    passes(&of_category, task);
    passes(&packed(&of_category, &second), task);

    // Without a guest that runs workflows, the same state fails.
    fs::remove_file(ci).unwrap();
    let without = grade(&[]).exits(1).json();
    assert_eq!(failed(&without["checks"]), 3, "{without}");
    fs::remove_dir_all(copy).unwrap();
    verify(&environment);
}
