//! Worlds in other words, and worlds that are broken.

use std::path::Path;

use serde_json::json;

use crate::support::{Repo, World, standard, write};

#[tokio::test]
async fn a_published_template_opens() {
    let world = World::of(|dir| {
        let mut repo = Repo::new(dir);
        repo.commit("main", "Begin", &[("a", Some("a"))]);
        repo.branch("pr/2-carol-topic", "main");
        repo.commit("pr/2-carol-topic", "Topic", &[("b", Some("b"))]);
        write(dir, "meta.json", &json!({"owner": "acme", "repo": "demo", "default_branch": "main", "pr_head_refs": []}));
        write(dir, "issues.json", &json!([
            {"title": "T", "body": null, "labels": ["x"], "state": "open", "number": 1, "comments": [{"user": "dan", "body": "d"}]},
        ]));
        write(dir, "pulls.json", &json!([
            {"title": "P", "body": "p", "number": 2, "head": "topic", "base": "main", "is_from_fork": true, "fork_owner": "carol",
             "fork_repo": "demo", "local_branch": "pr/2-carol-topic", "comments": [], "review_comments": [{"user": "dan", "body": "r"}]},
        ]));
    })
    .await;
    let pull = world
        .json("get_pull_request", json!({"pullNumber": 2}))
        .await;
    assert_eq!(
        (
            &pull["head"]["label"],
            &pull["commits"],
            &pull["review_comments"]
        ),
        (&json!("carol:topic"), &json!(1), &json!(1))
    );
    assert_eq!(
        world.json("get_issue", json!({"issue_number": 1})).await["labels"][0]["name"],
        "x"
    );
}

#[tokio::test]
async fn answers_of_the_rest_api_open() {
    let world = World::of(|dir| {
        standard(dir);
        write(dir, "issues.json", &json!([
            {"id": 5_000_000_001_u64, "number": 1, "title": "T", "user": {"login": "dan"}, "labels": [{"name": "bug", "color": "fff"}],
             "state": "closed", "closed_at": "2024-01-01T00:00:00Z", "milestone": {"title": "Soon", "number": 1}, "comments": 0,
             "reactions": {"total_count": 0}, "author_association": "OWNER", "url": "u", "comments_url": "u", "assignee": null},
            {"number": 3, "title": "is a pull request", "user": {"login": "dan"}, "pull_request": {"url": "u"}},
        ]));
        write(dir, "pulls.json", &json!([
            {"number": 3, "title": "P", "user": {"login": "bo"}, "state": "open", "head": {"ref": "clash", "label": "acme:clash"}, "base": {"ref": "main"}},
        ]));
    })
    .await;
    let issue = world.json("get_issue", json!({"issue_number": 1})).await;
    assert_eq!(
        (&issue["user"]["login"], &issue["milestone"]["title"]),
        (&json!("dan"), &json!("Soon"))
    );
}

/// Why the standard world does not open with something changed in it, the whole chain.
pub(crate) async fn problem(change: impl FnOnce(&Path)) -> String {
    let opened = World::open(|dir| {
        standard(dir);
        change(dir);
    })
    .await;
    let error = opened.err().expect("the world opens");
    let mut text = error.to_string();
    let mut source = std::error::Error::source(&error);
    while let Some(cause) = source {
        text += &format!(": {cause}");
        source = cause.source();
    }
    text
}

#[tokio::test]
async fn a_broken_world_says_where() {
    let cases: [(&str, &str, &str); 9] = [
        (
            "issues.json",
            "[\n  {\"number\": 1,\n}",
            "issues.json:3:1: trailing comma",
        ),
        ("issues.json", "{}", "issues.json: the document: is no list"),
        (
            "issues.json",
            r#"[{"number": 7}]"#,
            "issues.json:1: #7: missing field `title`",
        ),
        (
            "issues.json",
            r#"[{"number": 7, "title": "x", "sate": "open"}]"#,
            "issues.json:1: #7: unknown field `sate`",
        ),
        (
            "issues.json",
            r#"[{"number": 3, "title": "x"}]"#,
            "pulls.json:2: #3: its number is used twice",
        ),
        (
            "issues.json",
            r#"[{"number": 7, "title": "x", "milestone": 5}]"#,
            "issues.json:1: #7: milestone 5 is not in milestones.json",
        ),
        (
            "pulls.json",
            r#"[{"number": 7, "title": "x", "head": "nope", "base": "main"}]"#,
            "pulls.json:1: #7: its head \"nope\" is no branch of the repository",
        ),
        (
            "repo/.git/packed-refs",
            "# x\nzzz refs/heads/a\n",
            "repo/.git/packed-refs:2: \"zzz\" is no object id",
        ),
        (
            "repo/.git/refs/heads/main",
            "short\n",
            "repo/.git/refs/heads/main: \"short\" is no object id",
        ),
    ];
    for (file, text, expected) in cases {
        let problem = problem(|dir| std::fs::write(dir.join(file), text).unwrap()).await;
        assert!(problem.contains(expected), "{file}: {problem}");
    }
    let missing = problem(|dir| std::fs::remove_dir_all(dir.join("repo/.git")).unwrap()).await;
    assert!(missing.contains("repo/.git/ is not there"), "{missing}");
}
