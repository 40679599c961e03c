//! REST interface to a final state, as verifiers use it.

use jiff::Timestamp;
use mcpmark_github::rest::{Rest, RestError};
use mcpmark_service::HttpRequest;
use serde_json::{Value, json};

use crate::support::{CLOCK, Repo, World, standard, write};

#[tokio::test]
async fn a_verifier_changes_a_copy_of_the_final_state() {
    let world = World::of(|dir| {
        standard(dir);
        write(
            dir,
            "runs.json",
            &json!({
                "workflow_runs": [
                    {"id": 7, "name": "CI", "path": ".github/workflows/ci.yml", "event": "push", "status": "completed",
                     "conclusion": "success", "head_branch": "main"},
                    {"id": 8, "name": "CI", "path": ".github/workflows/ci.yml", "event": "pull_request",
                     "status": "completed", "conclusion": "failure", "head_branch": "clash"},
                ],
                "jobs": [{"id": 70, "run_id": 7, "name": "build", "conclusion": "success"}],
            }),
        );
    })
    .await;
    let tree = world.state().await;
    let open = || Rest::open(&tree, &*world.store, world.home.path(), CLOCK).unwrap();
    let send = |rest: &mut Rest, method: &str, target: &str, body: Value, now: i64| {
        let request = HttpRequest {
            method: method.to_owned(),
            target: target.to_owned(),
            origin: "https://api.github.com".to_owned(),
            body: body.to_string().into_bytes(),
            ..HttpRequest::default()
        };
        let response = rest.answer(&request, now)?;
        let body = serde_json::from_slice::<Value>(&response.body);
        Ok::<_, RestError>((response.status, body.unwrap_or_default()))
    };
    let mut rest = open();
    let mut ask =
        |method: &str, target: &str| send(&mut rest, method, target, json!({}), CLOCK).unwrap();
    let (status, runs) = ask(
        "GET",
        "/repos/acme/demo/actions/workflows/ci.yml/runs?event=push&per_page=5",
    );
    assert_eq!(
        (
            status,
            &runs["total_count"],
            &runs["workflow_runs"][0]["id"]
        ),
        (200, &json!(1), &json!(7))
    );
    let (_, jobs) = ask("GET", "/repos/acme/demo/actions/runs/7/jobs");
    assert_eq!(jobs["jobs"][0]["name"], "build");
    assert_eq!(ask("GET", "/repos/acme/demo/actions/runs/9/jobs").0, 404);
    let (_, found) = ask(
        "GET",
        "/search/issues?q=repo:acme/demo \"three is\" is:issue",
    );
    assert_eq!(found["items"][0]["number"], 2);

    // A deletion affects only this copy; the next verifier sees the branch.
    let branch = "/repos/acme/demo/branches/feature";
    assert_eq!(
        ask("DELETE", "/repos/acme/demo/git/refs/heads/feature").0,
        204
    );
    assert_eq!(ask("GET", branch).0, 404);
    let mut other = open();
    let mut later = |method: &str, target: &str, body: Value| {
        send(&mut other, method, target, body, CLOCK + 86_400)
    };
    assert_eq!(later("GET", branch, json!({})).unwrap().0, 200);
    // New objects have the time of the grading.
    let issues = "/repos/acme/demo/issues";
    let (status, issue) = later("POST", issues, json!({"title": "Later"})).unwrap();
    let day = Timestamp::from_second(CLOCK + 86_400).unwrap();
    assert_eq!(
        (status, issue["created_at"].as_str().unwrap()),
        (201, &*day.to_string())
    );
    let blob = |text: &str| json!({"content": text.repeat(20 << 20), "encoding": "utf-8"});
    let blobs = "/repos/acme/demo/git/blobs";
    assert_eq!(later("POST", blobs, blob("a")).unwrap().0, 201);
    let full = later("POST", blobs, blob("b")).unwrap_err();
    assert!(matches!(full, RestError::Full), "{full}");
}

#[tokio::test]
async fn merges_that_only_reading_makes_count_too() {
    let text = |first: &str, last: &str| {
        let long = "m".repeat(1 << 20);
        format!("{first}\n{}{last}\n", format!("{long}\n").repeat(20))
    };
    let world = World::of(|dir| {
        standard(dir);
        let mut repo = Repo::again(dir);
        repo.commit("main", "Write much", &[("long", Some(&text("a", "z")))]);
        let pull = |number: usize| json!({"number": number, "title": "x", "head": format!("p{number}"), "base": "main", "user": "bo"});
        for number in 3..8 {
            let branch = format!("p{number}");
            repo.branch(&branch, "main");
            let changed = text("a", &branch);
            repo.commit(&branch, "End", &[("long", Some(&changed))]);
        }
        repo.commit("main", "Begin", &[("long", Some(&text("b", "z")))]);
        let pulls: Vec<Value> = (3..8).map(pull).collect();
        write(dir, "pulls.json", &json!(pulls));
    })
    .await;
    let tree = world.state().await;
    let mut rest = Rest::open(&tree, &*world.store, world.home.path(), CLOCK).unwrap();
    let mut read = |number: usize| {
        let request = HttpRequest {
            method: "GET".to_owned(),
            target: format!("/repos/acme/demo/pulls/{number}"),
            ..HttpRequest::default()
        };
        rest.answer(&request, CLOCK).map(|it| it.status)
    };
    for number in 3..6 {
        // A merge that was computed before adds nothing to the limit.
        for _ in 0..2 {
            assert_eq!(read(number).unwrap(), 200);
        }
    }
    let full = read(6).unwrap_err();
    assert!(matches!(full, RestError::Full), "{full}");
}
