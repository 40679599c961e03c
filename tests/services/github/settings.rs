//! Repository settings and branch names over REST.

use std::path::Path;

use mcpmark_github::rest::Rest;
use mcpmark_service::HttpRequest;
use serde_json::{Value, json};

use crate::rest::Site;
use crate::support::{CLOCK, World, git, standard, texts, write};

#[tokio::test]
async fn the_repository_is_changed_and_stays_so() {
    let site = Site::of(World::new().await).await;
    let change = json!({
        "description": "A demo", "private": true, "allow_rebase_merge": false, "has_issues": true,
        "default_branch": "feature",
    });
    let changed = site.ask("PATCH", "", change).await;
    assert_eq!(changed.status, 200);
    let world = site.world.again().await;
    let site = Site::of(world).await;
    let now = site.get("").await.json();
    for (key, value) in [
        ("description", json!("A demo")),
        ("visibility", json!("private")),
        ("allow_rebase_merge", json!(false)),
        ("allow_squash_merge", json!(true)),
        ("default_branch", json!("feature")),
    ] {
        assert_eq!(now[key], value, "{key}");
    }
    let cleared = site.ask("PATCH", "", json!({"description": null})).await;
    assert_eq!(cleared.json()["description"], Value::Null);
    let renamed = site.ask("PATCH", "", json!({"name": "shown"})).await;
    assert_eq!(renamed.json()["full_name"], "acme/shown");
    assert_eq!(site.get("").await.status, 404);
}

#[tokio::test]
async fn mentions_in_commits_follow_the_name_of_the_repository() {
    let world = World::new().await;
    for name in ["demo", "shown"] {
        let push = json!({"branch": "main", "message": format!("See acme/{name}#2"), "files": [{"path": name, "content": "x"}]});
        world.text("push_files", push).await;
    }
    let site = Site::of(world).await;
    let commits = site.get("/commits?per_page=2").await.json();
    let (of_demo, of_shown) = (&commits[1]["sha"], &commits[0]["sha"]);
    let referenced = |timeline: &Value| -> Vec<Value> {
        let events = timeline.as_array().unwrap().iter();
        let events = events.filter(|event| event["event"] == "referenced");
        events.map(|event| event["commit_id"].clone()).collect()
    };
    let before = site.get("/issues/2/timeline").await.json();
    assert_eq!(referenced(&before), std::slice::from_ref(of_demo));
    let renamed = site.ask("PATCH", "", json!({"name": "shown"})).await;
    assert_eq!(renamed.status, 200);
    let target = "/repos/acme/shown/issues/2/timeline";
    let after = site.send("GET", target, "", b"").await.json();
    assert_eq!(referenced(&after), std::slice::from_ref(of_shown));
    // A final state gives the same answer.
    let (tree, store) = (site.world.state().await, &site.world.store);
    let mut rest = Rest::open(&tree, &**store, site.world.home.path(), CLOCK).unwrap();
    let request = HttpRequest {
        method: "GET".to_owned(),
        target: target.to_owned(),
        ..HttpRequest::default()
    };
    let answer = rest.answer(&request, CLOCK).unwrap();
    let opened: Value = serde_json::from_slice(&answer.body).unwrap();
    assert_eq!(referenced(&opened), std::slice::from_ref(of_shown));
}

#[tokio::test]
async fn settings_that_cannot_be_are_refused() {
    let site = Site::of(World::new().await).await;
    for (change, problem) in [
        (json!({"default_branch": "none"}), "Validation Failed"),
        (json!({"name": "a b"}), "Validation Failed"),
        (
            json!({"visibility": "internal"}),
            "Invalid request.\n\n\"internal\" is not a member of [\"public\", \"private\"].",
        ),
        (
            json!({"allow_merge_commit": false, "allow_squash_merge": false, "allow_rebase_merge": false}),
            "Sorry, you need to allow at least one merge strategy.",
        ),
        (
            json!({"archived": true}),
            "the repository of this world has no archived that can be changed",
        ),
    ] {
        let before = site.get("").await.json();
        let refused = site.ask("PATCH", "", change.clone()).await;
        assert_eq!(refused.status, 422, "{change}");
        assert_eq!(refused.json()["message"], problem, "{change}");
        assert_eq!(site.get("").await.json(), before);
    }
}

#[tokio::test]
async fn topics_are_replaced() {
    let site = Site::of(World::new().await).await;
    let set = site
        .ask("PUT", "/topics", json!({"names": ["rust", "demo"]}))
        .await;
    assert_eq!(set.json(), json!({"names": ["rust", "demo"]}));
    assert_eq!(site.get("").await.json()["topics"], json!(["rust", "demo"]));
    for names in [json!(["Not one"]), json!(vec!["a"; 21]), json!(null)] {
        let refused = site.ask("PUT", "/topics", json!({"names": names})).await;
        assert_eq!(refused.status, 422);
    }
}

/// Standard world with a pull request into `main` and one from `main`.
fn with_pulls(world: &Path) {
    standard(world);
    write(
        world,
        "repository.json",
        &json!({"owner": "acme", "name": "demo", "default_branch": "main", "viewer": "ann",
                "protected_branches": {"main": {"required_approvals": 1}}}),
    );
    write(
        world,
        "pulls.json",
        &json!([
            {"number": 3, "title": "Into", "head": "clash", "base": "main", "user": "bo"},
            {"number": 4, "title": "From", "head": "main", "base": "clash", "user": "bo"},
        ]),
    );
}

#[tokio::test]
async fn a_branch_is_renamed_with_what_follows_it() {
    let site = Site::of(World::of(with_pulls).await).await;
    let tip = site.get("/branches/main").await.json()["commit"]["sha"].clone();
    let renamed = site
        .ask(
            "POST",
            "/branches/main/rename",
            json!({"new_name": "trunk/one"}),
        )
        .await;
    let view = renamed.json();
    assert_eq!((renamed.status, &view["name"]), (201, &json!("trunk/one")));
    assert_eq!(
        (&view["commit"]["sha"], &view["protected"]),
        (&tip, &json!(true))
    );
    assert_eq!(site.get("/branches/main").await.status, 404);
    assert_eq!(site.get("").await.json()["default_branch"], "trunk/one");
    let (into, from) = (site.get("/pulls/3").await, site.get("/pulls/4").await);
    assert_eq!(into.json()["base"]["ref"], "trunk/one");
    assert_eq!(into.json()["state"], "open");
    assert_eq!(from.json()["state"], "closed");
    for (old, new, status) in [
        ("none", "x", 404),
        ("feature", "clash", 422),
        ("feature", "a..b", 422),
        ("feature", "clash/x", 422),
    ] {
        let refused = site
            .ask(
                "POST",
                &format!("/branches/{old}/rename"),
                json!({"new_name": new}),
            )
            .await;
        assert_eq!(refused.status, status, "{new}");
    }
    // A name below the old name is free once the branch is renamed.
    let below = site
        .ask(
            "POST",
            "/branches/feature/rename",
            json!({"new_name": "feature/x"}),
        )
        .await;
    assert_eq!(below.status, 201);
    let names = site.get("/branches").await.json();
    assert_eq!(texts(&names, "/name"), ["clash", "feature/x", "trunk/one"]);
}

/// Standard world with a work tree of its default branch.
fn with_files(world: &Path) {
    standard(world);
    let repo = world.join("repo");
    std::fs::create_dir_all(repo.join("src")).unwrap();
    std::fs::create_dir_all(repo.join("docs")).unwrap();
    std::fs::write(repo.join("README.md"), "# Demo\n\nA demo.\n").unwrap();
    std::fs::write(
        repo.join("src/lib.rs"),
        "pub fn one() -> u32 {\n    1\n}\n\n/// Two.\npub fn two() -> u32 {\n    2\n}\n",
    )
    .unwrap();
    std::fs::write(repo.join("docs/moved.txt"), "first\nsecond\n").unwrap();
}

#[tokio::test]
async fn the_files_of_a_state_are_those_of_the_default_branch_that_it_has_now() {
    let site = Site::of(World::of(with_files).await).await;
    let changed = site
        .ask("PATCH", "", json!({"default_branch": "feature"}))
        .await;
    assert_eq!(changed.status, 200);
    let dir = site.world.export().await.join("repo");
    let read = |path: &str| std::fs::read_to_string(dir.join(path)).ok();
    assert_eq!(read("README.md").unwrap(), "# Demo\n\nA demo of three.\n");
    assert!(read("src/three.rs").is_some() && read("docs/moved.txt").is_none());
    if let Some((sound, said)) = git(&dir, &["fsck", "--strict"]) {
        assert!(sound, "{said}");
    }
}
