//! Worlds in other formats (published templates, answers of the REST API), and invalid worlds.

use std::path::{Path, PathBuf};

use gix::ObjectId;
use mcpmark_service::ServiceError;
use serde_json::json;

use crate::support::{Repo, World, git, standard, write};

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
            {"number": 4, "title": "F", "user": {"login": "carol"}, "state": "open",
             "head": {"ref": "main", "sha": Repo::again(dir).tip("feature").unwrap().to_string(), "user": {"login": "carol"}},
             "base": {"ref": "main", "user": {"login": "acme"}}},
        ]));
    })
    .await;
    for (number, label) in [(3, "acme:clash"), (4, "carol:main")] {
        let pull = world
            .json("get_pull_request", json!({"pullNumber": number}))
            .await;
        assert_eq!(pull["head"]["label"], label);
    }
    let issue = world.json("get_issue", json!({"issue_number": 1})).await;
    assert_eq!(
        (&issue["user"]["login"], &issue["milestone"]["title"]),
        (&json!("dan"), &json!("Soon"))
    );
}

/// Opens the standard world with a change that must make it invalid. Returns the chain of errors.
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
    let cases: [(&str, &str, &str); 41] = [
        (
            "issues.json",
            "[\n  {\"number\": 1,\n}",
            "issues.json:3:1: trailing comma",
        ),
        (
            "issues.json",
            "{}",
            "issues.json: the document: is not a list",
        ),
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
            "pulls.json:1: #7: its head \"nope\" is not a branch of the repository",
        ),
        (
            "repo/.git/packed-refs",
            "# x\nzzz refs/heads/a\n",
            "repo/.git/packed-refs:2: expected an object id, found \"zzz\"",
        ),
        (
            "repo/.git/refs/heads/main",
            "short\n",
            "repo/.git/refs/heads/main: expected an object id, found \"short\"",
        ),
        (
            "repo/.git/refs/heads/main",
            "1111111111111111111111111111111111111111\n",
            "repo/.git/refs/heads/main: points to 1111111111111111111111111111111111111111, which does not exist",
        ),
        (
            "repo/.git/HEAD",
            "garbage\n",
            "repo/.git/HEAD: expected a ref (ref: refs/heads/main) or an object id, found \"garbage\"",
        ),
        (
            "repository.json",
            r#"{"owner": "acme", "name": "demo", "default_branch": "nope"}"#,
            "repository.json: the document: the default branch \"nope\" does not exist in the repository",
        ),
        (
            "issues.json",
            r#"[{"number": 7, "title": "x", "sub_issues": [77]}]"#,
            "issues.json:1: #7: its sub-issue #77 does not exist",
        ),
        (
            "issues.json",
            r#"[{"number": 7, "title": "x", "sub_issues": [7]}]"#,
            "issues.json:1: #7: it is below itself in the hierarchy of sub-issues",
        ),
        (
            "issues.json",
            "[{\"number\": 9, \"title\": \"x\"},\n{\"number\": 7, \"title\": \"x\", \"sub_issues\": [8]},\n\
             {\"number\": 8, \"title\": \"x\", \"sub_issues\": [7]}]",
            "issues.json:2: #7: it is below itself in the hierarchy of sub-issues",
        ),
        (
            "issues.json",
            r#"[{"number": 7, "title": "x", "sub_issues": [9]}, {"number": 8, "title": "x", "sub_issues": [9]},
                {"number": 9, "title": "x"}]"#,
            "issues.json:1: #8: its sub-issue #9 is already a sub-issue of #7",
        ),
        (
            "issues.json",
            r#"[{"number": 7, "title": "x", "duplicate_of": 99}]"#,
            "issues.json:1: #7: it is a duplicate of #99, which does not exist",
        ),
        (
            "issues.json",
            r#"[{"number": 7, "title": "x", "state_reason": "bogus"}]"#,
            "issues.json:1: #7: unknown state_reason \"bogus\"; expected one of completed,",
        ),
        (
            "issues.json",
            r#"[{"number": 18446744073709551615, "title": "x"}]"#,
            "issues.json:1: #18446744073709551615: the number must be less than 2147483647",
        ),
        (
            "issues.json",
            "[{\"number\": 7,\n\"title\": \"x\", \"title\": \"y\"}]",
            "issues.json:2:21: duplicate key \"title\"",
        ),
        (
            "milestones.json",
            r#"[{"number": 2147483647, "title": "x"}]"#,
            "milestones.json:1: #2147483647: the number must be less than 2147483647",
        ),
        (
            "labels.json",
            r#"[{"name": "a", "color": "zzz"}]"#,
            "labels.json:1: a: its color \"zzz\" is not six hexadecimal digits",
        ),
        (
            "releases.json",
            r#"[{"id": 1, "tag_name": "a", "author": "bo"}, {"id": 1, "tag_name": "b", "author": "bo"}]"#,
            "releases.json:1: [1]: its id 1 occurs twice",
        ),
        (
            "runs.json",
            r#"{"workflow_runs": [{"id": 18446744073709551615}]}"#,
            "runs.json: the document: the id 18446744073709551615 exceeds the limit of",
        ),
        (
            "pulls.json",
            r#"[{"number": 7, "title": "x", "head": "clash", "base": "main", "merged_at": "2024-01-05T00:00:00Z"}]"#,
            "pulls.json:1: #7: it is merged but still open",
        ),
        (
            "pulls.json",
            r#"[{"number": 7, "title": "x", "head": "clash", "base": "main", "head_sha": "zzzz"}]"#,
            "pulls.json:1: #7: head_sha \"zzzz\" is not a commit id",
        ),
        (
            "pulls.json",
            r#"[{"number": 7, "title": "x", "head": "clash", "base": "main", "state": "closed",
                 "merge_commit_sha": "main"}]"#,
            "pulls.json:1: #7: merge_commit_sha \"main\" is not a commit id",
        ),
        (
            "repo/.git/objects/pack/pack-a.pack",
            "PACK",
            "repo/.git/objects/pack/pack-a.pack: its index does not exist",
        ),
        (
            "issues.json",
            "null",
            "issues.json: the document: is not a list",
        ),
        (
            "issues.json",
            "[{\"number\": 7, \"title\": \"x\"},\n{\"number\": 8, \"title\": \" \"}]",
            "issues.json:2: #8: its title is empty",
        ),
        (
            "issues.json",
            r#"[{"number": 7, "title": "x", "user": "a b/c"}]"#,
            "issues.json:1: #7: invalid login \"a b/c\"",
        ),
        (
            "issues.json",
            r#"[{"number": 7, "title": "x", "comments": [{"user": "dan", "body": "x",
                 "reactions": [{"user": "bo", "content": "meh"}]}]}]"#,
            "issues.json:1: #7: unknown reaction \"meh\"; expected one of +1, -1,",
        ),
        (
            "issues.json",
            r#"[{"number": 7, "title": "x", "sub_issues": [3]}]"#,
            "issues.json:1: #7: its sub-issue #3 is a pull request",
        ),
        (
            "issue.json",
            "[]",
            "issue.json: the document: is not read; rename it to issues.json",
        ),
        (
            "users.json",
            "[{\"login\": \"ann\", \"email\": \"a@x.org\"},\n{\"login\": \"bo\", \"emails\": [\"A@x.org\"]}]",
            "users.json:2: bo: the address \"A@x.org\" already belongs to ann",
        ),
        (
            "users.json",
            r#"[{"login": "ann", "name": "A\n"}]"#,
            "users.json:1: ann: \"A\\n\" contains a control character",
        ),
        (
            "repository.json",
            r#"{"owner": "a/b", "name": "demo"}"#,
            "repository.json: the document: invalid login \"a/b\"",
        ),
        (
            "repository.json",
            r#"{"owner": "acme", "name": "a b"}"#,
            "repository.json: the document: invalid repository name \"a b\"",
        ),
        (
            "pulls.json",
            r#"[{"number": 7, "title": "x", "head": "main", "base": "main"}]"#,
            "pulls.json:1: #7: its head and its base are both \"main\"",
        ),
        (
            "pulls.json",
            r#"[{"number": 7, "title": "x", "head": "clash", "base": "main",
                 "review_comments": [{"user": "bo", "body": "x", "in_reply_to": 77}]}]"#,
            "pulls.json:1: #7: a comment replies to comment 77, which does not exist",
        ),
        (
            "repo/.git/refs/heads/round",
            "ref: refs/heads/round\n",
            "repo/.git/refs/heads/round: points to itself",
        ),
    ];
    for (file, text, expected) in cases {
        let problem = problem(|dir| {
            let file = dir.join(file);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, text).unwrap();
        })
        .await;
        assert!(problem.contains(expected), "{file}: {problem}");
    }
    let long = "x".repeat(257);
    let document = json!([{"number": 7, "title": long}]);
    let titled = problem(|dir| write(dir, "issues.json", &document)).await;
    let expected = "#7: its title has 257 characters, but the limit is 256";
    assert!(titled.contains(expected), "{titled}");
    let missing = problem(|dir| std::fs::remove_dir_all(dir.join("repo/.git")).unwrap()).await;
    assert!(missing.contains("repo/.git/ does not exist"), "{missing}");
}

/// Returns the file of a loose object.
fn loose(dir: &Path, id: ObjectId) -> PathBuf {
    let hex = id.to_string();
    dir.join("repo/.git/objects")
        .join(&hex[..2])
        .join(&hex[2..])
}

#[tokio::test]
async fn branches_lead_to_commits_that_are_there() {
    let lost = problem(|dir| {
        let tip = Repo::again(dir).tip("clash").unwrap();
        std::fs::remove_file(loose(dir, tip)).unwrap();
        std::fs::write(loose(dir, tip), "garbage").unwrap();
    })
    .await;
    assert!(
        lost.contains("repo/.git/refs/heads/clash: cannot read "),
        "{lost}"
    );
    let lost = problem(|dir| {
        let repo = Repo::again(dir);
        std::fs::remove_file(loose(dir, repo.tree("clash"))).unwrap();
    })
    .await;
    assert!(
        lost.contains("repo/.git/refs/heads/clash: points to the tree "),
        "{lost}"
    );
    let lost = problem(|dir| {
        let repo = Repo::again(dir);
        repo.set("refs/heads/odd", repo.tree("main"));
    })
    .await;
    assert!(
        lost.contains("repo/.git/refs/heads/odd: ") && lost.contains("a tree; expected a commit"),
        "{lost}"
    );
    let borrowed = problem(|dir| {
        let tip = Repo::again(dir).tip("main").unwrap();
        std::fs::remove_file(loose(dir, tip)).unwrap();
        std::fs::create_dir_all(dir.join("repo/.git/objects/info")).unwrap();
        std::fs::write(
            dir.join("repo/.git/objects/info/alternates"),
            "/elsewhere\n",
        )
        .unwrap();
    })
    .await;
    assert!(borrowed.contains("`git repack -a -d`"), "{borrowed}");
}

#[tokio::test]
async fn a_pack_that_was_cut_off_is_refused() {
    let packed = |dir: &Path| {
        standard(dir);
        git(&dir.join("repo"), &["repack", "-adq"]).is_some_and(|(done, _)| done)
    };
    let pack = |dir: &Path| {
        let packs = std::fs::read_dir(dir.join("repo/.git/objects/pack")).unwrap();
        let mut packs = packs.map(|it| it.unwrap().path());
        packs
            .find(|it| it.extension().is_some_and(|it| it == "pack"))
            .unwrap()
    };
    let mut ran = false;
    let opened = World::open(|dir| {
        ran = packed(dir);
        if ran {
            // Packs that git writes are read-only.
            let pack = pack(dir);
            let bytes = std::fs::read(&pack).unwrap();
            std::fs::remove_file(&pack).unwrap();
            std::fs::write(&pack, &bytes[..300]).unwrap();
        }
    })
    .await;
    if !ran {
        return;
    }
    let error = opened.err().expect("the world opens");
    let told = std::error::Error::source(&error).unwrap().to_string();
    assert!(matches!(error, ServiceError::InvalidWorld { .. }), "{told}");
    assert!(
        told.contains(".pack: its checksum differs from its index"),
        "{told}"
    );
}

/// A missing object next to a written file is reported as damage of the world, not as an error of the call.
#[tokio::test]
async fn a_directory_that_is_lost_is_not_the_fault_of_who_writes_a_file() {
    let mut lost = None;
    let world = World::of(|dir| {
        standard(dir);
        let repo = Repo::again(dir);
        let tree = repo.entry("main", "docs");
        std::fs::remove_file(loose(dir, tree)).unwrap();
        lost = Some(tree.to_string());
    })
    .await;
    let lost = lost.unwrap();
    let file = json!([{"path": "new.txt", "content": "x\n"}]);
    let call = json!({"branch": "main", "files": file, "message": "m"});
    let told = world.error("push_files", call).await;
    assert!(told.contains(&lost), "{told}");
    let error = world.session.capture().await.unwrap_err();
    assert!(
        matches!(error, ServiceError::InvalidWorld { .. }),
        "{error}"
    );
}

#[tokio::test]
async fn a_damaged_object_is_the_worlds_fault_and_ends_no_session_that_only_read_it() {
    let mut lost = None;
    let world = World::of(|dir| {
        standard(dir);
        let repo = Repo::again(dir);
        let blob = repo.entry("main", "src/lib.rs");
        std::fs::remove_file(loose(dir, blob)).unwrap();
        lost = Some(blob.to_string());
    })
    .await;
    let lost = lost.unwrap();
    let told = world
        .error("get_file_contents", json!({"path": "src/lib.rs"}))
        .await;
    assert!(told.contains(&lost), "{told}");
    world.json("get_issue", json!({"issue_number": 2})).await;
    world.state().await;
    // A failed change may have stopped halfway, so the world counts as invalid from here on.
    let told = world
        .error("merge_pull_request", json!({"pullNumber": 3}))
        .await;
    assert!(told.contains(&lost), "{told}");
    let error = world.session.capture().await.unwrap_err();
    let told = std::error::Error::source(&error).unwrap().to_string();
    assert!(
        matches!(error, ServiceError::InvalidWorld { .. }) && told.contains(&lost),
        "{error}: {told}"
    );
}
