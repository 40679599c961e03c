//! Gists of a world.

use std::path::Path;

use serde_json::{Value, json};

use crate::support::{World, standard, write};
use crate::worlds::problem;

/// Standard world with gists of two users.
pub(crate) fn with_gists(world: &Path) {
    standard(world);
    add_gists(world);
}

pub(crate) fn add_gists(world: &Path) {
    write(
        world,
        "gists.json",
        &json!([
            {"id": "a".repeat(32), "owner": "bo", "description": "How <we> release", "public": true,
             "files": {"steps.md": "# Steps\n", "notes": "none\n"},
             "created_at": "2024-02-01T00:00:00Z", "updated_at": "2024-02-03T00:00:00Z"},
            {"id": "b".repeat(20), "owner": "bo", "files": {"draft.md": "later\n"},
             "created_at": "2024-02-02T00:00:00Z"},
            {"owner": "ann", "files": {"own.py": "print(1)\n"}, "created_at": "2024-02-02T00:00:00Z"},
            {"id": "c".repeat(32), "owner": "ann", "public": true, "files": {"open.txt": "x"},
             "created_at": "2024-03-01T00:00:00Z"},
        ]),
    );
}

fn files(gists: &Value) -> Vec<&str> {
    let gists = gists.as_array().unwrap().iter();
    gists
        .flat_map(|gist| gist["files"].as_object().unwrap().keys())
        .map(String::as_str)
        .collect()
}

#[tokio::test]
async fn gists_are_listed_and_those_of_others_where_they_are_public() {
    let world = World::of(with_gists).await;
    let own = world.json("list_gists", json!({})).await;
    assert_eq!(files(&own), ["open.txt", "own.py"], "the newest first");
    let keys: Vec<&String> = own[0].as_object().unwrap().keys().collect();
    assert_eq!(keys[..4], ["id", "public", "owner", "files"]);
    let theirs = world.json("list_gists", json!({"username": "bo"})).await;
    assert_eq!(files(&theirs), ["notes", "steps.md"]);
    let file = &theirs[0]["files"]["steps.md"];
    assert_eq!(file["language"], "Markdown");
    assert_eq!(file["size"], 8);
    assert!(file.get("content").is_none(), "lists have no texts");
    for (arguments, count) in [
        (json!({"since": "2024-02-20"}), 1),
        (json!({"perPage": 1, "page": 2}), 1),
        (json!({"perPage": 1, "page": 3}), 0),
        (json!({"username": "acme"}), 0),
    ] {
        let listed = world.json("list_gists", arguments.clone()).await;
        assert_eq!(listed.as_array().unwrap().len(), count, "{arguments}");
    }
}

#[tokio::test]
async fn tools_for_gists_are_there_where_the_world_has_any() {
    for (version, tools) in [
        ("v0.15.0", &["list_gists"][..]),
        ("v1.10.1", &["get_gist", "list_gists"]),
    ] {
        let of_gists = |world: &World| {
            let all = world
                .client
                .tools()
                .iter()
                .map(|tool| tool.name.to_string());
            all.filter(|name| name.contains("gist")).collect::<Vec<_>>()
        };
        assert_eq!(
            of_gists(&World::as_of(version, with_gists, None).await),
            tools
        );
        let without = World::as_of(version, standard, None).await;
        assert_eq!(of_gists(&without), [""; 0]);
    }
}

#[tokio::test]
async fn one_is_read_with_its_texts_also_a_secret_one() {
    let world = World::as_of("v1.10.1", with_gists, None).await;
    let secret = json!({"gist_id": "b".repeat(20)});
    let gist = world.json("get_gist", secret).await;
    assert_eq!(gist["files"]["draft.md"]["content"], "later\n");
    assert_eq!(gist["public"], false);
    let missing = world.refusal("get_gist", json!({"gist_id": "d"})).await;
    assert_eq!(
        missing,
        "failed to get gist: GET https://api.github.com/gists/d: 404 Not Found []"
    );
    let since = world.refusal("list_gists", json!({"since": "soon"})).await;
    assert!(
        since.contains("\"soon\"") || since.contains(": soon"),
        "{since}"
    );
}

#[tokio::test]
async fn gists_are_part_of_the_final_state() {
    let world = World::of(with_gists).await;
    let before = world.json("list_gists", json!({})).await;
    let world = world.again().await;
    assert_eq!(world.json("list_gists", json!({})).await, before);
    let me = world.json("get_me", json!({})).await;
    assert_eq!(me["details"]["public_gists"], 1);
}

#[tokio::test]
async fn gists_that_are_none_are_refused_by_name() {
    for (gist, expected) in [
        (
            json!({"owner": "bo", "files": {}}),
            "gists.json:2: [0]: it has no file",
        ),
        (
            json!({"owner": "", "files": {"a": "b"}}),
            "gists.json:2: [0]: it has no owner",
        ),
        (
            json!({"id": "XYZ", "owner": "bo", "files": {"a": "b"}}),
            "gists.json:2: [0]: its id is not 20 to 32 hexadecimal digits",
        ),
        (
            json!({"owner": "bo", "files": {"a": 1}}),
            "gists.json:2: [0]: ",
        ),
    ] {
        let problem = problem(|dir| write(dir, "gists.json", &json!([gist]))).await;
        assert!(problem.contains(expected), "{problem}");
    }
}
