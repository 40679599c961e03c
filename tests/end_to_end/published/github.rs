//! A corpus whose world is a repository.

use std::fs;
use std::path::Path;
use std::process::Command;

use mcpmark_model_server::{Reaction, Request, Saying, Server};
use serde_json::{Value, json};

use super::{corpus, names, run};
use crate::environment::copy_tree;
use crate::scripts::with_guest;
use crate::skip;

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
