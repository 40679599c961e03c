//! Comments on commits, and commit statuses, over REST.

use std::path::Path;

use serde_json::{Value, json};

use crate::rest::Site;
use crate::support::{World, standard, texts, write};

async fn tip(site: &Site, branch: &str) -> String {
    let commit = site.get(&format!("/commits/{branch}")).await.json();
    commit["sha"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn commits_are_commented_on() {
    let site = Site::of(World::new().await).await;
    let sha = tip(&site, "main").await;
    let body = json!({"body": "Well done.", "path": "docs/moved.txt", "position": 1});
    let made = site
        .ask("POST", &format!("/commits/{sha}/comments"), body)
        .await;
    let comment = made.json();
    assert_eq!((made.status, &comment["commit_id"]), (201, &json!(sha)));
    assert_eq!(
        (&comment["position"], &comment["line"]),
        (&json!(1), &Value::Null)
    );
    let second = json!({"body": "And more."});
    site.ask("POST", "/commits/feature/comments", second).await;
    let own = format!("/comments/{}", comment["id"]);
    let edited = site
        .ask("PATCH", &own, json!({"body": "Very well done."}))
        .await;
    assert_eq!(edited.json()["body"], "Very well done.");
    let blank = site.ask("PATCH", &own, json!({"body": " "})).await;
    assert_eq!(blank.status, 422);
    let site = Site::of(site.world.again().await).await;
    let all = site.get("/comments").await.json();
    assert_eq!(texts(&all, "/body"), ["Very well done.", "And more."]);
    let of_main = site.get(&format!("/commits/{sha}/comments")).await.json();
    assert_eq!(texts(&of_main, "/body"), ["Very well done."]);
    let commit = site.get(&format!("/commits/{sha}")).await.json();
    assert_eq!(commit["commit"]["comment_count"], 1);
    assert_eq!(site.get(&own).await.json(), of_main[0]);
    assert_eq!(site.ask("DELETE", &own, json!({})).await.status, 204);
    assert_eq!(site.get(&own).await.status, 404);
    let none = site
        .ask("POST", "/commits/none/comments", json!({"body": "x"}))
        .await;
    assert_eq!(none.status, 422);
}

/// Standard world in which `main` requires the check `build`.
fn with_rules(world: &Path) {
    standard(world);
    write(
        world,
        "repository.json",
        &json!({"owner": "acme", "name": "demo", "default_branch": "main", "viewer": "ann",
                "protected_branches": {"main": {"required_checks": ["build"]}}}),
    );
    write(
        world,
        "pulls.json",
        &json!([{"number": 3, "title": "Three", "head": "feature", "base": "main", "user": "bo"}]),
    );
}

#[tokio::test]
async fn statuses_decide_whether_a_pull_request_can_be_merged() {
    let site = Site::of(World::of(with_rules).await).await;
    let sha = tip(&site, "feature").await;
    let set = async |context: &str, state: &str| {
        let body = json!({"state": state, "context": context, "description": "Told."});
        site.ask("POST", &format!("/statuses/{sha}"), body).await
    };
    let state = async || {
        let pull = site.get("/pulls/3").await.json();
        let combined = site.get(&format!("/commits/{sha}/status")).await.json();
        let of = |value: &Value| value.as_str().unwrap().to_owned();
        (of(&pull["mergeable_state"]), of(&combined["state"]))
    };
    let pair = |one: &str, two: &str| (one.to_owned(), two.to_owned());
    assert_eq!(state().await, pair("blocked", "pending"));
    let made = set("build", "pending").await;
    assert_eq!(
        (made.status, &made.json()["creator"]["login"]),
        (201, &json!("ann"))
    );
    assert_eq!(state().await, pair("blocked", "pending"));
    set("build", "failure").await;
    assert_eq!(state().await, pair("blocked", "failure"));
    set("build", "success").await;
    assert_eq!(state().await, pair("clean", "success"));
    set("lint", "error").await;
    assert_eq!(state().await, pair("unstable", "failure"));
    let all = site.get(&format!("/commits/{sha}/statuses")).await.json();
    assert_eq!(
        texts(&all, "/state"),
        ["error", "success", "failure", "pending"]
    );
    let status = site
        .world
        .json("get_pull_request_status", json!({"pullNumber": 3}))
        .await;
    assert_eq!(texts(&status["statuses"], "/context"), ["lint", "build"]);
    let merged = site.ask("PUT", "/pulls/3/merge", json!({})).await;
    assert_eq!(merged.status, 200);
    let site = Site::of(site.world.again().await).await;
    let again = site.get(&format!("/commits/{sha}/statuses")).await.json();
    assert_eq!(again, all);
}

#[tokio::test]
async fn statuses_that_cannot_be_and_check_runs_of_people_are_refused() {
    let site = Site::of(World::new().await).await;
    for (sha, body, status) in [
        ("feature", json!({"state": "good"}), 422),
        ("feature", json!({}), 422),
        ("none", json!({"state": "success"}), 422),
        (
            "feature",
            json!({"state": "success", "description": "x".repeat(141)}),
            422,
        ),
        ("feature", json!({"state": "success"}), 201),
    ] {
        let answer = site.ask("POST", &format!("/statuses/{sha}"), body).await;
        assert_eq!(answer.status, status, "{}", answer.json());
    }
    let run = json!({"name": "build", "head_sha": tip(&site, "feature").await});
    let refused = site.ask("POST", "/check-runs", run).await;
    assert_eq!(refused.status, 403);
    assert_eq!(
        refused.json()["message"],
        "You must authenticate via a GitHub App."
    );
}

#[tokio::test]
async fn a_world_with_remarks_that_cannot_be_is_refused() {
    for (remarks, problem) in [
        (json!([{"sha": "ab"}]), "is not 40 hexadecimal digits"),
        (
            json!([{"sha": "a".repeat(40)}, {"sha": "A".repeat(40)}]),
            "its sha occurs twice",
        ),
        (
            json!([{"sha": "a".repeat(40), "statuses": [{"creator": "bo", "state": "good", "context": "x"}]}]),
            "expected one of error, failure, pending, success",
        ),
        (
            json!([{"sha": "a".repeat(40), "comments": [{"user": "b o", "body": "x"}]}]),
            "invalid login \"b o\"",
        ),
    ] {
        let opened = World::open(|dir| {
            standard(dir);
            write(dir, "commits.json", &remarks);
        });
        let error = opened.await.err().expect(problem);
        let mut said = error.to_string();
        let mut source = std::error::Error::source(&error);
        while let Some(error) = source {
            said += &format!(": {error}");
            source = error.source();
        }
        assert!(
            said.contains(problem) && said.contains("commits.json"),
            "{said}"
        );
    }
}
