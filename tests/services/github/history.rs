//! Commits, branches, tags, and files of earlier commits.

use std::collections::BTreeMap;

use gix::objs::tree::EntryKind;
use serde_json::json;

use crate::rest::Site;
use crate::support::{Repo, World, standard, texts};

#[tokio::test]
async fn commits_are_listed_the_newest_first() {
    let world = World::new().await;
    let commits = world.json("list_commits", json!({})).await;
    let messages = texts(&commits, "/commit/message");
    assert_eq!(
        messages,
        [
            "Move the notes",
            "Describe two",
            "Add notes\n\nThey say more.",
            "Begin"
        ]
    );
    let page = world
        .json(
            "list_commits",
            json!({"perPage": 1, "page": 3, "sha": "main"}),
        )
        .await;
    assert_eq!(page[0]["commit"]["message"], "Add notes\n\nThey say more.");
    assert_eq!(page[0]["author"]["login"], "bo");
    assert_eq!(
        page[0]["commit"]["author"],
        json!({"name": "Bo", "email": "bo@example.org", "date": "2024-01-01T01:00:00Z"})
    );
    let by = world
        .json("list_commits", json!({"author": "bo", "sha": "feature"}))
        .await;
    assert_eq!(by.as_array().unwrap().len(), 2);
    let mail = world
        .json("list_commits", json!({"author": "bo@example.org"}))
        .await;
    assert_eq!(mail.as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn a_commit_names_its_files() {
    let world = World::new().await;
    let commits = world.json("list_commits", json!({})).await;
    let sha = commits[0]["sha"].as_str().unwrap();
    let text = world.text("get_commit", json!({"sha": sha})).await;
    let author = r#"{"name":"Ann Lee","email":"ann@example.org","date":"2024-01-01T03:00:00Z"}"#;
    assert!(text.starts_with(&format!(
        r#"{{"sha":"{sha}","html_url":"https://github.com/acme/demo/commit/{sha}","commit":{{"message":"Move the notes","author":{author},"committer":{author}}},"author":{{"login":"ann","id":"#
    )), "{text}");
    assert!(
        text.ends_with(r#""stats":{},"files":[{"filename":"docs/moved.txt","status":"renamed"}]}"#),
        "{text}"
    );
    let short = world
        .text(
            "get_commit",
            json!({"sha": &sha[..8], "include_diff": false}),
        )
        .await;
    assert!(!short.contains("files"), "{short}");
    let branch = world.json("get_commit", json!({"sha": "feature"})).await;
    assert_eq!(
        branch["stats"],
        json!({"additions": 1, "deletions": 1, "total": 2})
    );
    assert_eq!(
        branch["files"],
        json!([{"filename": "README.md", "status": "modified", "additions": 1, "deletions": 1, "changes": 2}])
    );
}

#[tokio::test]
async fn branches_and_tags_are_listed() {
    let world = World::new().await;
    let branches = world.json("list_branches", json!({})).await;
    let names = texts(&branches, "/name");
    assert_eq!(names, ["clash", "feature", "main"]);
    assert_eq!(
        branches[2].as_object().unwrap().keys().collect::<Vec<_>>(),
        ["name", "sha", "protected"]
    );
    let tags = world.json("list_tags", json!({})).await;
    assert_eq!(tags[0]["name"], "v1");
    assert_eq!(tags[0]["commit"]["sha"], branches[2]["sha"]);
    assert!(
        world
            .refusal("get_tag", json!({"tag": "v1"}))
            .await
            .starts_with(
                "failed to get tag object: GET https://api.github.com/repos/acme/demo/git/tags/"
            )
    );
    assert_eq!(
        world.refusal("get_tag", json!({"tag": "v2"})).await,
        "failed to get tag reference: GET https://api.github.com/repos/acme/demo/git/ref/tags/v2: 404 Not Found []"
    );
}

#[tokio::test]
async fn the_branches_of_a_clone_are_those_it_tracks() {
    let world = World::of(|dir| {
        crate::support::standard(dir);
        let git = dir.join("repo/.git");
        let tip = std::fs::read_to_string(git.join("refs/heads/feature")).unwrap();
        std::fs::create_dir_all(git.join("refs/remotes/origin")).unwrap();
        std::fs::remove_file(git.join("refs/heads/feature")).unwrap();
        std::fs::write(git.join("refs/remotes/origin/feature"), &tip).unwrap();
        std::fs::write(git.join("refs/remotes/origin/main"), &tip).unwrap();
        std::fs::write(
            git.join("refs/remotes/origin/HEAD"),
            "ref: refs/remotes/origin/main\n",
        )
        .unwrap();
    })
    .await;
    let branches = world.json("list_branches", json!({})).await;
    let names = texts(&branches, "/name");
    assert_eq!(names, ["clash", "feature", "main"]);
    assert_ne!(branches[1]["sha"], branches[2]["sha"]);
}

#[tokio::test]
async fn lines_have_an_age_however_far_apart_their_times_are() {
    let world = World::of(|dir| {
        standard(dir);
        let repo = Repo::again(dir);
        let text = |text: &str| BTreeMap::from([("text", (EntryKind::Blob, text.to_owned()))]);
        let old = repo.commit_onto(&[], 0, "Old", &text("a\n"));
        let new = repo.commit_onto(&[old], i64::MAX - 1, "New", &text("a\nb\n"));
        repo.set("refs/heads/far", new);
    })
    .await;
    let site = Site::of(world).await;
    let query = "{ repository(owner: \"acme\", name: \"demo\") { object(expression: \"far\") { \
                 ... on Commit { blame(path: \"text\") { ranges { age } } } } } }";
    let body = json!({"query": query}).to_string();
    let answer = site
        .send("POST", "/api/graphql", "", body.as_bytes())
        .await
        .json();
    let ranges = &answer["data"]["repository"]["object"]["blame"]["ranges"];
    assert_eq!(ranges, &json!([{"age": 10}, {"age": 1}]), "{answer}");
}
