//! Causes of runs: pushes, pull requests and requests.

use std::path::Path;
use std::sync::Arc;

use mcpmark_snapshot::TreePath;
use serde_json::{Value, json};

use super::{Checker, WORKFLOW, put, runs, told, with_workflow, world};
use crate::rest::Site;
use crate::support::{World, standard, write};

#[tokio::test]
async fn each_way_to_a_commit_makes_runs() {
    let (world, checker) = world().await;
    assert!(
        runs(&world).await.is_empty(),
        "what was there has run already"
    );
    world
        .text("create_branch", json!({"branch": "topic"}))
        .await;
    put(&world, "topic", "1\nx\n", "Add a letter").await;
    let proposed = json!({"title": "More", "head": "topic", "base": "main", "body": "b"});
    world.text("create_pull_request", proposed).await;
    let all = runs(&world).await;
    assert_eq!(
        all.iter().map(told).collect::<Vec<_>>(),
        [
            ("pull_request", "topic", "failure"),
            ("push", "topic", "failure"),
            ("push", "topic", "success"),
        ]
    );
    let numbers: Vec<u64> = all
        .iter()
        .map(|run| run["run_number"].as_u64().unwrap())
        .collect();
    assert_eq!(numbers, [3, 2, 1]);
    assert_eq!(all[0]["display_title"], "More");
    assert_eq!(all[0]["pull_requests"][0]["number"], 1);
    let pull = world
        .json("get_pull_request", json!({"pullNumber": 1}))
        .await;
    assert_eq!(pull["mergeable_state"], "unstable");
    let status = world
        .json("get_pull_request_status", json!({"pullNumber": 1}))
        .await;
    assert_eq!(
        (&status["state"], &status["total_count"]),
        (&json!("failure"), &json!(4))
    );
    assert_eq!(
        status["statuses"][0]["context"],
        "check / readme (pull_request)"
    );
    let sha = pull["head"]["sha"].clone();

    let blob = world
        .text(
            "get_file_contents",
            json!({"path": "numbers.txt", "ref": "refs/heads/topic"}),
        )
        .await;
    let blob = blob
        .split("(SHA: ")
        .nth(1)
        .unwrap()
        .split(')')
        .next()
        .unwrap()
        .to_owned();
    world.text("create_or_update_file", json!({
        "path": "numbers.txt", "content": "1\n2\n3\n", "message": "Mend", "branch": "topic", "sha": blob,
    })).await;
    let all = runs(&world).await;
    assert_eq!(told(&all[0]), ("pull_request", "topic", "success"));
    assert_eq!(told(&all[1]), ("push", "topic", "success"));
    assert_ne!(all[0]["head_sha"], sha);
    world
        .text("merge_pull_request", json!({"pullNumber": 1}))
        .await;
    let all = runs(&world).await;
    assert_eq!((all.len(), told(&all[0])), (6, ("push", "main", "success")));

    let heard = checker.heard.lock().unwrap();
    assert_eq!(heard.len(), 6);
    assert_eq!(heard[2]["ref"], "refs/pull/1/merge");
    assert_eq!(heard[2]["pull_request"]["title"], "More");
    assert_eq!(heard[2]["commits"][0]["message"], "Add a letter");
    assert_eq!(heard[1]["before"], heard[0]["sha"]);
    assert_eq!(heard[5]["commits"].as_array().unwrap().len(), 3);
}

#[tokio::test]
async fn runs_are_run_again_and_by_hand() {
    let (world, checker) = world().await;
    put(&world, "main", "2\n1\n", "Turn").await;
    let id = runs(&world).await[0]["id"].as_u64().unwrap();
    let answer = world
        .json("rerun_workflow_run", json!({"run_id": id}))
        .await;
    assert_eq!(
        (&answer["status_code"], &answer["run_id"]),
        (&json!(201), &json!(id))
    );
    world.json("rerun_failed_jobs", json!({"run_id": id})).await;
    let all = runs(&world).await;
    assert_eq!((all.len(), &all[0]["run_attempt"]), (1, &json!(3)));
    assert_eq!(told(&all[0]), ("push", "main", "failure"));
    let jobs = |filter: &'static str| json!({"run_id": id, "filter": filter});
    let count = |list: Value| list["jobs"]["total_count"].as_u64().unwrap();
    assert_eq!(
        count(world.json("list_workflow_jobs", jobs("latest")).await),
        2
    );
    assert_eq!(
        count(world.json("list_workflow_jobs", jobs("all")).await),
        6
    );
    {
        let heard = checker.heard.lock().unwrap();
        assert_eq!(
            (heard.len(), &heard[0]),
            (3, &heard[2]),
            "the same event, again"
        );
    }
    world
        .json(
            "run_workflow",
            json!({"workflow_id": "check.yml", "ref": "main"}),
        )
        .await;
    assert_eq!(
        told(&runs(&world).await[0]),
        ("workflow_dispatch", "main", "failure")
    );
    let refused = json!({"workflow_id": "check.yml", "ref": "nowhere"});
    let error = world.error("run_workflow", refused).await;
    assert!(error.contains("422 No ref found for: nowhere"), "{error}");
}

#[tokio::test]
async fn a_required_check_stands_before_a_merge() {
    let make = |dir: &Path| {
        with_workflow(dir);
        write(
            dir,
            "repository.json",
            &json!({
                "owner": "acme", "name": "demo", "default_branch": "main", "viewer": "ann",
                "protected_branches": {"main": {"required_checks": ["numbers"]}},
            }),
        );
    };
    let world = World::with_runner(make, Arc::new(Checker::default())).await;
    world
        .text("create_branch", json!({"branch": "topic"}))
        .await;
    put(&world, "topic", "2\n1\n", "Turn [skip ci]").await;
    let proposed = json!({"title": "More", "head": "topic", "base": "main"});
    world.text("create_pull_request", proposed).await;
    let refusal = world
        .refusal("merge_pull_request", json!({"pullNumber": 1}))
        .await;
    assert!(
        refusal.contains("405 Required status check \"numbers\" is expected."),
        "{refusal}"
    );
    put(&world, "topic", "3\n1\n", "Turn again").await;
    let refusal = world
        .refusal("merge_pull_request", json!({"pullNumber": 1}))
        .await;
    assert!(
        refusal.contains("405 Required status check \"numbers\" is failing."),
        "{refusal}"
    );
    let pull = world
        .json("get_pull_request", json!({"pullNumber": 1}))
        .await;
    assert_eq!(pull["mergeable_state"], "blocked");
    put(&world, "topic", "1\n3\n", "Turn back").await;
    world
        .text("merge_pull_request", json!({"pullNumber": 1}))
        .await;
}

#[tokio::test]
async fn a_file_that_is_no_workflow_fails_without_jobs() {
    let (world, _) = world().await;
    let path = ".github/workflows/check.yml";
    let files = json!([{"path": path, "content": "on: [push\n"}]);
    let arguments = json!({"branch": "main", "message": "Break", "files": files});
    world.text("push_files", arguments).await;
    let run = runs(&world).await.remove(0);
    assert_eq!(
        (told(&run), &run["name"]),
        (("push", "main", "failure"), &json!(path))
    );
    let jobs = world
        .json("list_workflow_jobs", json!({"run_id": run["id"]}))
        .await;
    assert_eq!(jobs["jobs"]["total_count"], 0);
}

#[tokio::test]
async fn without_a_guest_nothing_runs_and_no_tool_tells_of_it() {
    let world = World::of(with_workflow).await;
    put(&world, "main", "1\n", "Less").await;
    let names: Vec<&str> = world
        .client
        .tools()
        .iter()
        .map(|tool| tool.name.as_ref())
        .collect();
    assert!(
        names.contains(&"get_me") && !names.contains(&"list_workflows"),
        "{names:?}"
    );
    assert!(
        world
            .state()
            .await
            .get(&TreePath::parse("runs.json").unwrap())
            .is_none()
    );
    let plain = World::with_runner(standard, Arc::new(Checker::default())).await;
    assert!(
        plain
            .client
            .tools()
            .iter()
            .any(|tool| tool.name == "list_workflows")
    );
    put(&plain, "main", "1\n", "One").await;
    assert!(
        plain
            .state()
            .await
            .get(&TreePath::parse("runs.json").unwrap())
            .is_none()
    );
}

/// A head that was forced to an unrelated history cannot be merged. That is a user error and does not end the session.
#[tokio::test]
async fn a_head_without_a_common_ancestor_has_no_run_of_its_pull_request() {
    let (world, _) = world().await;
    world
        .text("create_branch", json!({"branch": "topic"}))
        .await;
    put(&world, "topic", "1\n2\n3\n", "Add a number").await;
    let proposed = json!({"title": "More", "head": "topic", "base": "main"});
    world.text("create_pull_request", proposed).await;
    let site = Site::of(world).await;
    let file = |path: &str, text: &str| json!({"path": path, "mode": "100644", "type": "blob", "content": text});
    let files = [
        file("numbers.txt", "1\n"),
        file(".github/workflows/check.yml", WORKFLOW),
    ];
    let tree = site.ask("POST", "/git/trees", json!({"tree": files})).await;
    let commit = json!({"message": "Begin", "tree": tree.json()["sha"], "parents": []});
    let commit = site.ask("POST", "/git/commits", commit).await.json();
    let moved = json!({"sha": commit["sha"], "force": true});
    let moved = site.ask("PATCH", "/git/refs/heads/topic", moved).await;
    assert_eq!(moved.status, 200);
    let world = &site.world;
    let all = runs(world).await;
    let of_the_commit: Vec<_> = all
        .iter()
        .filter(|run| run["head_sha"] == commit["sha"])
        .map(told)
        .collect();
    assert_eq!(of_the_commit, [("push", "topic", "failure")]);
    let pull = world
        .json("get_pull_request", json!({"pullNumber": 1}))
        .await;
    assert_eq!(pull["mergeable_state"], "unknown");
    let refused = world
        .refusal("merge_pull_request", json!({"pullNumber": 1}))
        .await;
    assert!(refused.contains("no common ancestor"), "{refused}");
}

#[tokio::test]
async fn a_renamed_branch_keeps_its_runs_and_gets_none_for_the_new_name() {
    let (world, checker) = world().await;
    world
        .text("create_branch", json!({"branch": "topic"}))
        .await;
    put(&world, "topic", "2\n1\n", "Turn").await;
    let site = Site::of(world).await;
    let world = &site.world;
    let before = runs(world).await;
    assert_eq!(
        before.iter().map(told).collect::<Vec<_>>(),
        [("push", "topic", "failure"), ("push", "topic", "success")]
    );
    let renamed = site
        .ask(
            "POST",
            "/branches/topic/rename",
            json!({"new_name": "subject"}),
        )
        .await;
    assert_eq!(renamed.status, 201);
    assert_eq!(runs(world).await, before);

    // A push is compared with the tip that the branch had under its old name.
    put(world, "subject", "1\n2\n", "Turn back").await;
    {
        let heard = checker.heard.lock().unwrap();
        assert_eq!(heard.len(), 3);
        assert_eq!(heard[2]["ref"], "refs/heads/subject");
        assert_eq!(heard[2]["before"], heard[1]["sha"]);
    }
    assert_eq!(told(&runs(world).await[0]), ("push", "subject", "success"));

    let id = &before[0]["id"];
    world
        .json("rerun_workflow_run", json!({"run_id": id}))
        .await;
    let all = runs(world).await;
    let again = all.iter().find(|run| run["id"] == *id).unwrap();
    assert_eq!(told(again), ("push", "topic", "failure"));
    assert_eq!((all.len(), &again["run_attempt"]), (3, &json!(2)));

    let by_hand = |branch: &str| json!({"workflow_id": "check.yml", "ref": branch});
    world.json("run_workflow", by_hand("subject")).await;
    assert_eq!(
        told(&runs(world).await[0]),
        ("workflow_dispatch", "subject", "success")
    );
    let error = world.error("run_workflow", by_hand("topic")).await;
    assert!(error.contains("422 No ref found for: topic"), "{error}");
}
