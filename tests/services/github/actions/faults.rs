//! Errors of the guest: those that fail a run, and those that end the session.

use std::path::Path;
use std::sync::Arc;

use serde_json::json;

use super::{Checker, add_workflows, conclusions, put, runs, told, with_numbers, world};
use crate::support::{Repo, World, write};

/// World whose guest exceeds its fuel on the starting tree.
fn with_much(dir: &Path) {
    with_numbers(dir, "too much\n");
}

#[tokio::test]
async fn a_guest_that_breaks_ends_the_session_and_nobodys_work_is_judged() {
    let (world, _) = world().await;
    let files = json!([{"path": "numbers.txt", "content": "trap"}]);
    let error = world
        .error(
            "push_files",
            json!({"branch": "main", "message": "m", "files": files}),
        )
        .await;
    assert!(error.contains("ci guest failed: it trapped"), "{error}");
    assert!(
        world
            .error("get_me", json!({}))
            .await
            .contains("it trapped")
    );
    let fault = world.session.capture().await.unwrap_err();
    let source = std::error::Error::source(&fault).unwrap().to_string();
    assert!(source.contains("it trapped"), "{source}");
}

#[tokio::test]
async fn a_commit_that_is_too_much_for_the_guest_fails_and_the_session_goes_on() {
    let (world, _) = world().await;
    put(&world, "main", "too much\n", "More than it can read").await;
    put(&world, "main", "too much\nagain\n", "Once more").await;
    put(&world, "main", "1\n2\n", "Back").await;
    let runs = runs(&world).await;
    let conclusions: Vec<&str> = runs
        .iter()
        .map(|run| run["conclusion"].as_str().unwrap())
        .collect();
    assert_eq!(conclusions, ["success", "failure", "failure"]);
    let id = runs[1]["id"].clone();
    let jobs = world
        .json("list_workflow_jobs", json!({"run_id": id}))
        .await
        .to_string();
    assert!(jobs.contains("workflow"), "{jobs}");
    world.session.capture().await.unwrap();
}

/// The log is part of the final state, so a reworded message of the sandbox must not change it.
#[tokio::test]
async fn the_log_of_a_fault_names_its_kind_without_the_message_of_the_sandbox() {
    let (world, _) = world().await;
    put(&world, "main", "too much\n", "More than it can read").await;
    let id = runs(&world).await[0]["id"].clone();
    let asked = json!({"run_id": id, "failed_only": true, "return_content": true});
    let logs = world.json("get_job_logs", asked).await;
    let log = logs["logs"][0]["logs_content"].as_str().unwrap();
    let text = "the workflow cannot be run on this commit: fuel: the program that runs it used all its fuel\n";
    assert!(log.contains(text), "{log}");
    assert!(!log.contains("1000000000"), "{log}");
}

#[tokio::test]
async fn steps_without_names_fail_the_run_and_not_the_session() {
    let (world, _) = world().await;
    put(&world, "main", "nameless", "A step without a name").await;
    assert_eq!(told(&runs(&world).await[0]).2, "failure");
    world.session.capture().await.unwrap();
}

#[tokio::test]
async fn an_agent_that_writes_the_first_workflow_cannot_end_the_session() {
    let without = |dir: &Path| {
        let mut repo = Repo::new(dir);
        repo.commit("main", "Start", &[("README.md", Some("# Numbers\n"))]);
        write(
            dir,
            "repository.json",
            &json!({
                "owner": "acme", "name": "demo", "default_branch": "main", "viewer": "ann",
            }),
        );
    };
    let world = World::with_runner(without, Arc::new(Checker::default())).await;
    add_workflows(&world, 1, "too much", "Overload it").await;
    assert_eq!(conclusions(&world).await, ["failure"]);
    world.session.capture().await.unwrap();
}

#[tokio::test]
async fn a_guest_that_is_too_weak_for_the_starting_tree_is_a_broken_world() {
    let world = World::with_runner(with_much, Arc::new(Checker::default())).await;
    let files = json!([{"path": "README.md", "content": "# Numbers\n"}]);
    let error = world
        .error(
            "push_files",
            json!({"branch": "main", "message": "m", "files": files}),
        )
        .await;
    assert!(error.contains("ci guest failed: fuel"), "{error}");
    world.session.capture().await.unwrap_err();
}
