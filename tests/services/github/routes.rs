//! Routes outside the repository, ETags, release notes, and pull requests that are created from issues.

use std::path::Path;

use serde_json::{Value, json};

use crate::rest::Site;
use crate::support::{World, standard, texts, write};

async fn at(site: &Site, target: &str) -> (u16, Value) {
    let answer = site.send("GET", target, "", b"").await;
    (answer.status, answer.json())
}

#[tokio::test]
async fn organisations_users_and_limits_are_told() {
    let site = Site::of(World::new().await).await;
    let (_, acme) = at(&site, "/orgs/ACME").await;
    assert_eq!(
        (&acme["login"], &acme["type"]),
        (&json!("acme"), &json!("Organization"))
    );
    assert_eq!(acme["public_repos"], 1);
    let (_, bo) = at(&site, "/users/bo").await;
    let by_id = at(&site, &format!("/user/{}", bo["id"])).await;
    assert_eq!(by_id, (200, bo));
    let (_, limits) = at(&site, "/rate_limit").await;
    assert_eq!(limits["rate"], limits["resources"]["core"]);
    assert_eq!(
        (&limits["rate"]["used"], &limits["rate"]["remaining"]),
        (&json!(0), &json!(5000))
    );
    for target in [
        "/user/orgs",
        "/user/teams",
        "/users/bo/orgs",
        "/orgs/acme/members",
        "/orgs/acme/teams",
    ] {
        assert_eq!(at(&site, target).await, (200, json!([])), "{target}");
    }
    for target in [
        "/orgs/bo",
        "/orgs/none",
        "/user/1",
        "/users/none/orgs",
        "/orgs/bo/teams",
    ] {
        assert_eq!(at(&site, target).await.0, 404, "{target}");
    }
}

#[tokio::test]
async fn an_answer_that_a_client_has_is_not_given_again() {
    let site = Site::of(World::new().await).await;
    let target = "/repos/acme/demo/issues/2";
    let first = site.send("GET", target, "", b"").await;
    let tag = first.header("etag").unwrap().to_owned();
    let with = |tag: &str| format!("If-None-Match: {tag}\r\n");
    let same = site.send("GET", target, &with(&tag), b"").await;
    assert_eq!((same.status, same.body.len()), (304, 0));
    assert_eq!(same.header("etag"), Some(tag.as_str()));
    let other = site.send("GET", target, &with("\"x\""), b"").await;
    assert_eq!((other.status, &other.body), (200, &first.body));
    site.ask("PATCH", "/issues/2", json!({"title": "Other"}))
        .await;
    let changed = site.send("GET", target, &with(&tag), b"").await;
    assert_eq!(changed.status, 200);
    assert_ne!(changed.header("etag"), Some(tag.as_str()));
    let missing = site
        .send("GET", "/repos/acme/demo/issues/99", &with("*"), b"")
        .await;
    assert_eq!(missing.status, 404);
}

#[tokio::test]
async fn a_pull_request_is_made_of_an_issue() {
    let site = Site::of(World::new().await).await;
    let body = json!({"issue": 2, "head": "feature", "base": "main"});
    let made = site.ask("POST", "/pulls", body.clone()).await;
    let pull = made.json();
    assert_eq!(made.status, 201, "{pull}");
    assert_eq!(
        (&pull["number"], &pull["title"]),
        (&json!(2), &json!("Three is missing"))
    );
    assert_eq!(
        (&pull["comments"], &pull["user"]["login"]),
        (&json!(1), &json!("bo"))
    );
    assert_eq!(pull["labels"][0]["name"], "bug");
    for (issue, why) in [(1, "closed"), (3, "a pull request"), (9, "not there")] {
        let mut body = body.clone();
        body["issue"] = issue.into();
        body["head"] = "clash".into();
        body["base"] = "feature".into();
        let refused = site.ask("POST", "/pulls", body).await;
        assert_eq!(refused.json()["errors"][0]["field"], "issue", "{why}");
    }
    let site = Site::of(site.world.again().await).await;
    assert_eq!(site.get("/pulls/2").await.json()["head"]["ref"], "feature");
    let issues = site.get("/issues").await.json();
    assert_eq!(texts(&issues, "/title"), ["Change two", "Three is missing"]);
}

/// Standard world with a release.
fn with_release(world: &Path) {
    standard(world);
    write(
        world,
        "releases.json",
        &json!([{"tag_name": "v1", "author": "ann", "created_at": "2024-02-01T00:00:00Z"}]),
    );
}

#[tokio::test]
async fn notes_of_a_release_tell_what_was_merged_since_the_last() {
    let site = Site::of(World::of(with_release).await).await;
    let world = &site.world;
    let open = json!({"title": "Add three", "head": "feature", "base": "main"});
    world.text("create_pull_request", open).await;
    world
        .text("merge_pull_request", json!({"pullNumber": 4}))
        .await;
    let repo = "https://github.com/acme/demo";
    let expected = format!(
        "## What's Changed\n* Add three by @ann in {repo}/pull/4\n\n\
         ## New Contributors\n* @ann made their first contribution in {repo}/pull/4\n\n\
         **Full Changelog**: {repo}/compare/v1...v2"
    );
    let notes = site
        .ask(
            "POST",
            "/releases/generate-notes",
            json!({"tag_name": "v2"}),
        )
        .await;
    assert_eq!(notes.json(), json!({"name": "v2", "body": expected}));
    let none = json!({"tag_name": "v1"});
    let none = site
        .ask("POST", "/releases/generate-notes", none)
        .await
        .json();
    assert_eq!(
        none["body"],
        format!("**Full Changelog**: {repo}/commits/v1")
    );
    let wrong = json!({"tag_name": "v2", "previous_tag_name": "none"});
    let wrong = site.ask("POST", "/releases/generate-notes", wrong).await;
    assert_eq!(wrong.status, 422);
    let release = json!({"tag_name": "v2", "body": "Hello.", "generate_release_notes": true});
    let made = site.ask("POST", "/releases", release).await.json();
    assert_eq!(made["name"], "v2");
    assert_eq!(made["body"], format!("Hello.\n\n{expected}"));
}
