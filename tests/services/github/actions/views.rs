//! Runs, jobs and logs as the tools and the REST API show them.

use serde_json::json;

use super::{put, runs, world};
use crate::rest::Site;

#[tokio::test]
async fn jobs_steps_and_logs_are_told() {
    let (world, _) = world().await;
    put(&world, "main", "2\n1\n", "Turn").await;
    let run = runs(&world).await.remove(0);
    let id = run["id"].as_u64().unwrap();
    assert_eq!(
        world.json("get_workflow_run", json!({"run_id": id})).await,
        run
    );
    let jobs = world
        .json("list_workflow_jobs", json!({"run_id": id}))
        .await;
    assert_eq!(jobs["jobs"]["total_count"], 2);
    let job = &jobs["jobs"]["jobs"][0];
    assert_eq!(
        (&job["name"], &job["conclusion"]),
        (&json!("numbers"), &json!("failure"))
    );
    let steps: Vec<(&str, &str)> = job["steps"]
        .as_array()
        .unwrap()
        .iter()
        .map(|step| {
            (
                step["name"].as_str().unwrap(),
                step["conclusion"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        steps,
        [
            ("Set up job", "success"),
            ("parse", "success"),
            ("order", "failure"),
            ("Complete job", "success")
        ]
    );
    let numbers = job["steps"].as_array().unwrap().iter();
    let numbers: Vec<u64> = numbers.map(|it| it["number"].as_u64().unwrap()).collect();
    assert_eq!(numbers, [1, 2, 3, 4]);
    assert_eq!(job["labels"], json!(["ubuntu-24.04"]));
    let other = &jobs["jobs"]["jobs"][1];
    assert_eq!(
        other["labels"],
        json!(["ubuntu-latest"]),
        "nothing is said of it"
    );
    let asked = json!({"run_id": id, "failed_only": true, "return_content": true, "tail_lines": 3});
    let logs = world.json("get_job_logs", asked).await;
    assert_eq!(
        (&logs["failed_jobs"], &logs["total_jobs"]),
        (&json!(1), &json!(2))
    );
    let log = logs["logs"][0]["logs_content"].as_str().unwrap();
    let texts: Vec<&str> = log
        .lines()
        .map(|line| line.split_once(' ').unwrap().1)
        .collect();
    assert_eq!(
        texts,
        [
            "compared",
            "them",
            "##[error]Process completed with exit code 1."
        ]
    );
    assert_eq!(logs["logs"][0]["original_length"], 8);
    let one = world
        .json("get_job_logs", json!({"job_id": job["id"]}))
        .await;
    assert!(one["logs_url"].as_str().unwrap().ends_with("/logs"));
    assert_eq!(
        world.refusal("get_job_logs", json!({"run_id": id})).await,
        "job_id is required when failed_only is false"
    );
    assert_eq!(
        world
            .refusal("get_job_logs", json!({"failed_only": true}))
            .await,
        "run_id is required when failed_only is true"
    );
    let error = world.error("get_workflow_run", json!({"run_id": 5})).await;
    assert!(error.contains("failed to get workflow run: GET"), "{error}");
    assert!(
        error.contains("/actions/runs/5: 404 Not Found []"),
        "{error}"
    );

    world
        .text("delete_workflow_run_logs", json!({"run_id": id}))
        .await;
    let refusal = world
        .refusal("get_job_logs", json!({"job_id": job["id"]}))
        .await;
    assert!(refusal.contains("410"), "{refusal}");
    let refusal = world
        .refusal("cancel_workflow_run", json!({"run_id": id}))
        .await;
    assert!(refusal.contains("409 Cannot cancel"), "{refusal}");
    let none = world
        .json("list_workflow_run_artifacts", json!({"run_id": id}))
        .await;
    assert_eq!(none, json!({"total_count": 0}));
    let workflows = world.json("list_workflows", json!({})).await;
    assert_eq!(
        workflows["workflows"][0]["path"],
        ".github/workflows/check.yml"
    );
}

#[tokio::test]
async fn rest_tells_the_same() {
    let (world, _) = world().await;
    put(&world, "main", "2\n1\n", "Turn").await;
    let site = Site::of(world).await;
    let runs = site
        .get("/actions/runs?branch=main&status=failure")
        .await
        .json();
    let run = &runs["workflow_runs"][0];
    assert_eq!(
        (&runs["total_count"], &run["event"]),
        (&json!(1), &json!("push"))
    );
    let id = run["id"].as_u64().unwrap();
    let jobs = site.get(&format!("/actions/runs/{id}/jobs")).await.json();
    let job = jobs["jobs"][0]["id"].as_u64().unwrap();
    let sent = site.get(&format!("/actions/jobs/{job}/logs")).await;
    assert_eq!(sent.status, 302);
    let location = sent.header("location").unwrap();
    let path = location.splitn(4, '/').nth(3).unwrap();
    let log = site.send("GET", &format!("/{path}"), "", b"").await;
    assert!(String::from_utf8(log.body).unwrap().contains("##[error]"));
    let sha = run["head_sha"].as_str().unwrap();
    let checks = site.get(&format!("/commits/{sha}/check-runs")).await.json();
    assert_eq!(checks["total_count"], 2);
    assert_eq!(checks["check_runs"][0]["conclusion"], "failure");
    let suites = site
        .get(&format!("/commits/{sha}/check-suites"))
        .await
        .json();
    let suite = suites["check_suites"][0]["id"].as_u64().unwrap();
    let of_suite = site
        .get(&format!("/check-suites/{suite}/check-runs"))
        .await
        .json();
    assert_eq!(of_suite["check_runs"], checks["check_runs"]);
    let status = site.get("/commits/main/status").await.json();
    assert_eq!(
        (&status["state"], &status["total_count"]),
        (&json!("failure"), &json!(2))
    );
    assert_eq!(
        site.ask("POST", &format!("/actions/runs/{id}/rerun"), json!({}))
            .await
            .status,
        201
    );
    assert_eq!(
        site.get(&format!("/actions/runs/{id}")).await.json()["run_attempt"],
        2
    );
    let dispatched = json!({"ref": "main"});
    let answer = site
        .ask(
            "POST",
            "/actions/workflows/check.yml/dispatches",
            dispatched,
        )
        .await;
    assert_eq!(answer.status, 204);
    assert_eq!(site.get("/actions/runs").await.json()["total_count"], 2);
    assert_eq!(
        site.get("/actions/workflows/other.yml/runs").await.status,
        404
    );
    // A commit over REST starts runs as well.
    let body = json!({"message": "m", "content": "MQo=", "branch": "main", "sha":
        site.get("/contents/numbers.txt").await.json()["sha"]});
    assert_eq!(
        site.ask("PUT", "/contents/numbers.txt", body).await.status,
        200
    );
    assert_eq!(
        site.get("/actions/runs").await.json()["workflow_runs"][0]["conclusion"],
        "success"
    );
}
