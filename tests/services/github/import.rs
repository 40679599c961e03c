//! Import of published templates, compared with the result of their own importer.

use std::path::Path;

use mcpmark_github::world::{ImportError, Imported, Importer};
use mcpmark_snapshot::{CaptureOptions, MaterialiseOptions, Store, capture, materialise};
use serde_json::{Value, json};

use crate::support::{CLOCK, Repo, World, write};

/// Writes a template: a clone with a remote-tracking branch that has no local branch, two issues, and four pull
/// requests, of which one has no commits and another no branch.
fn template(dir: &Path) {
    let mut repo = Repo::new(dir);
    let files = [
        ("a", "a\n"),
        (".github/workflows/check.yml", "on: push\n"),
        (".github/CODEOWNERS", "* @ann\n"),
    ];
    let first = repo.commit(
        "main",
        "Begin",
        &files.map(|(path, text)| (path, Some(text))),
    );
    for (path, text) in files {
        let path = dir.join("repo").join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    repo.set("refs/remotes/origin/main", first);
    repo.set("refs/remotes/origin/stray", first);
    repo.set("refs/tags/v1", first);
    for branch in ["topic", "pr/31-carol-main", "empty"] {
        repo.branch(branch, "main");
    }
    repo.commit("topic", "Topic", &[("b", Some("b\n"))]);
    repo.commit("pr/31-carol-main", "Fork", &[("c", Some("c\n"))]);
    write(
        dir,
        "meta.json",
        &json!({"owner": "acme", "repo": "demo", "default_branch": "main", "pr_head_refs": ["topic", "main"]}),
    );
    write(
        dir,
        "issues.json",
        &json!([
            {"title": "Newest", "body": null, "labels": ["bug"], "state": "open", "number": 40,
             "comments": [{"user": "dan", "body": "as @bo said"}, {"user": "bo", "body": "mail me@example.org"}]},
            {"title": "Oldest", "body": "ask @bo", "labels": [], "state": "closed", "number": 2, "comments": []},
        ]),
    );
    write(
        dir,
        "pulls.json",
        &json!([
            {"number": 33, "title": "No commits", "body": "x", "head": "empty", "base": "main", "is_from_fork": false,
             "comments": [{"user": "dan", "body": "?"}], "review_comments": []},
            {"number": 32, "title": "Topic", "body": "Closes #1", "head": "topic", "base": "main", "is_from_fork": false,
             "comments": [{"user": "dan", "body": "ok"}], "review_comments": [{"user": "bo", "body": "why?"}]},
            {"number": 31, "title": "Fork", "body": "", "head": "main", "base": "main", "is_from_fork": true,
             "fork_owner": "carol", "fork_repo": "demo", "head_sha": first.to_string(),
             "local_branch": "pr/31-carol-main", "comments": [], "review_comments": []},
            {"number": 30, "title": "Gone", "body": null, "head": "stray", "base": "main", "is_from_fork": false,
             "comments": [], "review_comments": []},
        ]),
    );
}

/// Imports the template in a directory with a new store and writes the world to `out`.
fn import(dir: &Path, out: &Path) -> Result<Imported, ImportError> {
    let home = tempfile::tempdir().unwrap();
    let store = Store::open(home.path().join("store")).unwrap();
    let tree = capture(dir, &store, &CaptureOptions::default()).unwrap();
    let importer = Importer {
        owner: "evals".to_owned(),
        viewer: "eve".to_owned(),
        clock: CLOCK,
    };
    let imported = importer.import(&tree, &store, home.path())?;
    materialise(&imported.tree, &store, out, &MaterialiseOptions::default()).unwrap();
    Ok(imported)
}

fn numbers(list: &Value) -> Vec<u64> {
    let all = list.as_array().unwrap().iter();
    all.map(|it| it["number"].as_u64().unwrap()).collect()
}

/// Removes the random suffix of a user name in a mention.
fn without_suffix(value: &Value) -> String {
    let text = value.as_str().unwrap();
    match text.split_once('_') {
        Some((before, after)) => format!("{before}{}", &after[4..]),
        None => text.to_owned(),
    }
}

#[tokio::test]
async fn a_template_becomes_what_its_importer_leaves() {
    let dirs = [(); 3].map(|()| tempfile::tempdir().unwrap());
    let [one, out, again] = dirs.each_ref().map(|dir| dir.path());
    template(one);
    let imported = import(one, out).unwrap();
    assert_eq!(imported.repository, "evals/demo");
    assert_eq!((imported.issues, imported.pulls), (2, 2));
    let skipped = imported
        .skipped
        .iter()
        .map(|it| (it.place.as_str(), it.title.as_str()));
    let skipped: Vec<_> = skipped.collect();
    assert_eq!(
        skipped,
        [
            ("pulls.json: #33", "No commits"),
            ("pulls.json: #30", "Gone")
        ]
    );
    assert!(
        imported.skipped[0]
            .why
            .contains("No commits between main and empty")
    );

    // The result does not depend on the path or the store.
    let two = tempfile::tempdir().unwrap();
    template(two.path());
    let repeated = import(two.path(), again).unwrap();
    assert_eq!(repeated.tree.digest(), imported.tree.digest());

    let world = World::of(|dir| drop(import(one, dir).unwrap())).await;
    let at = |mut arguments: Value| {
        arguments["owner"] = "evals".into();
        arguments["repo"] = "demo".into();
        arguments
    };
    let branches = world.json("list_branches", at(json!({}))).await;
    let branches: Vec<_> = branches
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["name"].clone())
        .collect();
    assert_eq!(branches, ["empty", "main", "pr/31-carol-main", "topic"]);

    let issues = world
        .json(
            "list_issues",
            at(json!({"direction": "ASC", "orderBy": "CREATED_AT"})),
        )
        .await;
    assert_eq!(numbers(&issues["issues"]), [1, 2]);
    let newest = world
        .json("get_issue", at(json!({"issue_number": 1})))
        .await;
    assert_eq!(
        (
            &newest["title"],
            &newest["user"]["login"],
            &newest["labels"][0]["name"]
        ),
        (&json!("Newest"), &json!("eve"), &json!("bug"))
    );
    assert!(newest["body"].is_null());
    let oldest = world
        .json("get_issue", at(json!({"issue_number": 2})))
        .await;
    assert_eq!(
        (&oldest["state"], &oldest["state_reason"]),
        (&json!("closed"), &json!("completed"))
    );
    assert_eq!(without_suffix(&oldest["body"]), "ask @bo");
    let said = world
        .json("get_issue_comments", at(json!({"issue_number": 1})))
        .await;
    assert_eq!(
        without_suffix(&said[1]["body"]),
        "*Original author: @bo*\n\nmail me@example.org"
    );
    assert_eq!(said[0]["body"].as_str().unwrap().matches('_').count(), 2);

    let pulls = world
        .json(
            "list_pull_requests",
            at(json!({"direction": "asc", "sort": "created"})),
        )
        .await;
    assert_eq!(numbers(&pulls), [3, 4]);
    let topic = world
        .json("get_issue_comments", at(json!({"issue_number": 3})))
        .await;
    assert_eq!(
        without_suffix(&topic[1]["body"]),
        "*Original author: @bo* (review)\n\nwhy?"
    );
    let fork = world
        .json("get_pull_request", at(json!({"pullNumber": 4})))
        .await;
    assert_eq!(
        (&fork["head"]["ref"], &fork["body"]),
        (
            &json!("pr/31-carol-main"),
            &json!("---\n_This PR was originally from a fork: **carol/demo** (branch: `main`)_")
        )
    );

    let commits = world.json("list_commits", at(json!({}))).await;
    assert_eq!(commits[0]["commit"]["message"], "Remove .github directory");
    assert_eq!(commits[0]["commit"]["author"]["name"], "eve");
    assert!(out.join("repo/a").exists() && !out.join("repo/.github").exists());
    let tags = world.json("list_tags", at(json!({}))).await;
    assert_eq!(tags[0]["name"], "v1");
}

#[test]
fn a_broken_template_says_where() {
    let cases: [(&str, Option<&str>, &str); 5] = [
        ("meta.json", None, "meta.json does not exist"),
        (
            "meta.json",
            Some("{}"),
            "meta.json: the document: missing field `repo`",
        ),
        (
            "issues.json",
            Some("[\n{\"title\": 5}]"),
            "issues.json:2: [0]: invalid type",
        ),
        (
            "pulls.json",
            Some("[\n\n{\"number\": 3, \"title\": \"x\", \"base\": \"main\"}]"),
            "pulls.json:3: #3: missing field `head`",
        ),
        ("repo/.git/HEAD", None, "repo/.git/HEAD: does not exist"),
    ];
    for (file, text, expected) in cases {
        let (dir, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        template(dir.path());
        let path = dir.path().join(file);
        match text {
            Some(text) => std::fs::write(path, text).unwrap(),
            None => std::fs::remove_file(path).unwrap(),
        }
        let error = import(dir.path(), out.path()).unwrap_err().to_string();
        assert!(error.contains(expected), "{file}: {error}");
    }
}
