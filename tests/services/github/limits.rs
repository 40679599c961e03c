//! Limits on directories, worlds and diff hunks of comments. Calls that exceed one are refused, and the state can still
//! be graded.

use mcpmark_github::archive::{Archive, ReadError};
use mcpmark_service::{ServiceError, SessionLimits};
use serde_json::{Value, json};

use crate::rest::Site;
use crate::support::{Repo, World, git, standard, write};

/// Returns names of the maximum length in bytes.
fn names(letter: char, count: usize) -> Vec<String> {
    let end = letter.to_string().repeat(249);
    (0..count).map(|it| format!("d/{it:06}{end}")).collect()
}

fn push(names: &[String], branch: &str) -> Value {
    let file = |path: &String| json!({"path": path, "content": "x"});
    let files: Value = names.iter().map(file).collect();
    json!({"branch": branch, "message": "Add", "files": files})
}

const TOO_LONG: &str = "the names in one directory take ";

#[tokio::test]
async fn a_directory_that_verifiers_cannot_read_is_refused() {
    let world = World::new().await;
    let names = names('a', 60_000);
    world
        .text("push_files", push(&names[..30_000], "main"))
        .await;
    let before = world.state().await.digest();
    let refused = world
        .refusal("push_files", push(&names[30_000..], "main"))
        .await;
    assert!(
        refused.contains(TOO_LONG) && refused.contains("spread its files over several directories"),
        "{refused}"
    );
    assert_eq!(world.state().await.digest(), before);
    world
        .text("push_files", push(&names[30_000..59_000], "main"))
        .await;
    let before = world.state().await.digest();
    assert_eq!(world.again().await.state().await.digest(), before);
}

#[tokio::test]
async fn a_merge_that_makes_such_a_directory_is_refused() {
    let make = |dir: &std::path::Path| {
        let mut repo = Repo::new(dir);
        repo.commit("main", "Begin", &[("README.md", Some("x"))]);
        repo.branch("topic", "main");
        for (branch, letter) in [("main", 'a'), ("topic", 'b')] {
            let names = names(letter, 30_000);
            let files: Vec<_> = names.iter().map(|it| (it.as_str(), Some("x"))).collect();
            repo.commit(branch, "Add many", &files);
        }
        let repository = json!({"owner": "acme", "name": "demo", "viewer": "ann"});
        write(dir, "repository.json", &repository);
        let pull = json!({"number": 1, "title": "Add", "head": "topic", "base": "main"});
        write(dir, "pulls.json", &json!([pull]));
    };
    let world = World::of(make).await;
    let before = world.state().await.digest();
    let pull = world
        .json("get_pull_request", json!({"pullNumber": 1}))
        .await;
    assert_eq!(pull["mergeable_state"], "unknown");
    for method in ["merge", "squash", "rebase"] {
        let merge = json!({"pullNumber": 1, "merge_method": method});
        let refused = world.refusal("merge_pull_request", merge).await;
        assert!(refused.contains(TOO_LONG), "{method}: {refused}");
    }
    let refused = world
        .refusal("update_pull_request_branch", json!({"pullNumber": 1}))
        .await;
    assert!(refused.contains(TOO_LONG), "{refused}");
    assert_eq!(world.state().await.digest(), before);
}

fn most_files(max_files: u64) -> SessionLimits {
    SessionLimits {
        max_files,
        ..SessionLimits::default()
    }
}

#[tokio::test]
async fn files_and_objects_are_bounded_by_the_limit_of_files() {
    let files = World::new().await.state().await.len();
    let world = World::limited(standard, most_files(files + 400)).await;
    let world = world.unwrap();
    let push = |range: std::ops::Range<usize>, branch: &str| {
        let file = |it: usize| json!({"path": format!("many/{it}"), "content": it.to_string()});
        let files: Value = range.map(file).collect();
        json!({"branch": branch, "message": "Add", "files": files})
    };
    let limit = "limit of files and directories that it may have";
    // 150 files and their blobs, a directory, and three other objects.
    world.text("push_files", push(0..150, "main")).await;
    let before = world.state().await.digest();
    for branch in ["main", "feature"] {
        let refused = world.refusal("push_files", push(150..300, branch)).await;
        assert!(refused.contains(limit), "{refused}");
    }
    assert_eq!(world.state().await.digest(), before);
    // A deleted file makes room for another file, but the objects stay.
    let away = json!({"branch": "main", "path": "many/1", "message": "Away"});
    world.text("delete_file", away).await;
    world.text("push_files", push(300..303, "main")).await;
}

/// Nested trees that expand to millions of files are refused without a walk over all of them.
#[tokio::test]
async fn a_commit_has_no_more_files_than_the_world_may_have() {
    let world = World::limited(standard, most_files(1_000)).await.unwrap();
    let site = Site::of(world).await;
    let mut tree = Value::Null;
    for level in 0..24 {
        let entry = |name: &str| match level {
            0 => json!({"path": name, "mode": "100644", "type": "blob", "content": "x"}),
            _ => json!({"path": name, "mode": "040000", "type": "tree", "sha": tree}),
        };
        let entries = json!({"tree": [entry("a"), entry("b")]});
        tree = site.ask("POST", "/git/trees", entries).await.json()["sha"].clone();
    }
    let main = site.get("/commits/main").await.json()["sha"].clone();
    let commit = json!({"message": "Add", "tree": tree, "parents": [main]});
    let refused = site.ask("POST", "/git/commits", commit).await;
    assert_eq!(refused.status, 422);
    let message = refused.json()["message"].to_string();
    assert!(message.contains("world_files"), "{message}");
}

#[tokio::test]
async fn a_world_with_more_files_than_it_may_have_is_refused() {
    let files = World::new().await.state().await.len();
    let refused = World::limited(standard, most_files(5)).await;
    let Err(error @ ServiceError::SetUp { .. }) = refused else {
        panic!("the world was opened");
    };
    let text = format!("{error}: {}", std::error::Error::source(&error).unwrap());
    assert!(
        text.contains("files and directories, more than the limit of 5"),
        "{text}"
    );
    assert!(files > 5);
}

/// The state is written even if very many files of the default branch have changed.
#[tokio::test]
async fn more_files_than_are_compared_can_change() {
    let make = |dir: &std::path::Path| {
        standard(dir);
        std::fs::write(dir.join("repo/README.md"), "# Demo\n\nA demo.\n").unwrap();
    };
    let world = World::limited(make, most_files(300_000)).await.unwrap();
    let names: Vec<String> = (0..100_500)
        .map(|it| format!("{}/{it}", it % 300))
        .collect();
    world.text("push_files", push(&names, "main")).await;
    let state = world.state().await;
    assert!(state.len() > 100_500, "{}", state.len());
}

/// A session that adds many objects writes them as one pack, which git and the next session can read.
#[tokio::test]
async fn many_new_objects_are_packed() {
    let world = World::new().await;
    let file = |it: usize| json!({"path": format!("many/{it}"), "content": it.to_string()});
    for (count, are_packed) in [(900, false), (1_100, true)] {
        let files: Value = (0..count).map(file).collect();
        let push = json!({"branch": "main", "message": "Add", "files": files});
        world.text("push_files", push).await;
        let objects = world.export().await.join("repo/.git/objects");
        let packs = std::fs::read_dir(objects.join("pack"));
        let packs = packs.map_or(0, Iterator::count);
        assert_eq!(packs, if are_packed { 2 } else { 0 }, "{count}");
    }
    let repo = world.export().await.join("repo");
    if let Some((clean, said)) = git(&repo, &["fsck", "--strict"]) {
        assert!(clean, "{said}");
        let (_, said) = git(&repo, &["show", "HEAD:many/1099"]).unwrap();
        assert_eq!(said, "1099");
    }
    let before = world.state().await.digest();
    let world = world.again().await;
    assert_eq!(world.state().await.digest(), before);
    let read = json!({"path": "many/1099"});
    let text = world.text("get_file_contents", read).await;
    assert!(text.contains("successfully downloaded"), "{text}");
}

/// Nested directories can have longer paths than a single path in a request.
#[tokio::test]
async fn paths_that_verifiers_cannot_read_are_refused() {
    let site = Site::of(World::new().await).await;
    let directory = vec!["d".repeat(250); 8].join("/");
    let file =
        json!({"path": format!("{directory}/f"), "mode": "100644", "type": "blob", "content": "x"});
    let tree = site
        .ask("POST", "/git/trees", json!({"tree": [file]}))
        .await;
    let below = |path: &str, tree: &Value| json!({"tree": [{"path": path, "mode": "040000", "type": "tree", "sha": tree["sha"]}]});
    let tree = below(&directory, &tree.json());
    let tree = site.ask("POST", "/git/trees", tree).await;
    assert_eq!(tree.status, 201);
    let tree = below(&"e".repeat(100), &tree.json());
    let refused = site.ask("POST", "/git/trees", tree).await;
    assert_eq!(refused.status, 422);
    let message = refused.json()["message"].to_string();
    assert!(
        message.contains("a path in the tree has 4118 bytes, and at most 4096 are allowed"),
        "{message}"
    );
}

/// A file may exceed the read limit of verifiers, and the repository is still valid.
#[tokio::test]
async fn a_file_that_verifiers_cannot_read_is_no_damage() {
    let world = World::new().await;
    let file = json!([{"path": "large.txt", "content": "x".repeat(17 << 20)}]);
    let push = json!({"branch": "main", "message": "Add", "files": file});
    world.text("push_files", push).await;
    let state = world.state().await;
    let directory = Archive::find(&state).unwrap();
    let archive = Archive::open(directory, &*world.store, world.home.path()).unwrap();
    let main = archive.resolve("main", &mut |_| true).unwrap().to_string();
    let (entry, size) = archive.stat(&main, "large.txt", &mut |_| true).unwrap();
    assert_eq!(size, 17 << 20);
    let problem = match archive.blob(&entry.id.to_string(), &mut |_| true) {
        Err(ReadError::Invalid(problem)) => problem,
        other => panic!("{other:?}"),
    };
    assert!(
        problem.contains("has 17825792 bytes, and at most 16777216 can be read"),
        "{problem}"
    );
}

/// Creates a pull request with one long file and many comments on its last line.
fn commented(dir: &std::path::Path, comments: u64) {
    let mut repo = Repo::new(dir);
    repo.commit("main", "Begin", &[("README.md", Some("x"))]);
    repo.branch("topic", "main");
    repo.branch("other", "main");
    let text: String = (0..100_000).map(|it| format!("line {it}\n")).collect();
    repo.commit("topic", "Write", &[("long", Some(&text))]);
    let repository = json!({"owner": "acme", "name": "demo", "viewer": "ann"});
    write(dir, "repository.json", &repository);
    let comment = |id: u64| json!({"id": id, "user": "ann", "body": "x", "path": "long", "line": 100_000, "created_at": "2024-03-01T00:00:00Z"});
    let comments: Vec<Value> = (1..=comments).map(comment).collect();
    let pull = json!({"number": 1, "title": "Add", "head": "topic", "base": "main", "review_comments": comments});
    write(dir, "pulls.json", &json!([pull]));
}

/// Forces the head of the pull request to a commit without the commit of the comments.
async fn forced(site: &Site) -> u16 {
    let main = site.get("/commits/main").await.json();
    let tree =
        json!({"tree": [{"path": "long", "mode": "100644", "type": "blob", "content": "other\n"}]});
    let tree = site.ask("POST", "/git/trees", tree).await.json();
    let commit = json!({"message": "Again", "tree": tree["sha"], "parents": [main["sha"]]});
    let commit = site.ask("POST", "/git/commits", commit).await.json();
    let moved = json!({"sha": commit["sha"], "force": true});
    site.ask("PATCH", "/git/refs/heads/topic", moved)
        .await
        .status
}

#[tokio::test]
async fn of_a_long_hunk_the_last_lines_are_shown_and_kept() {
    const MAX_HUNK: usize = 16 << 10;
    let site = Site::of(World::of(|dir| commented(dir, 3)).await).await;
    let shown = site.get("/pulls/1/comments").await.json();
    let hunk = shown[2]["diff_hunk"].as_str().unwrap();
    assert!(hunk.len() <= MAX_HUNK && hunk.len() > MAX_HUNK - 20);
    assert!(hunk.starts_with("@@ -0,0 +1,100000 @@\n+line "));
    assert!(hunk.ends_with("\n+line 99998\n+line 99999"));
    assert_eq!(forced(&site).await, 200);
    let kept = site.get("/pulls/1/comments").await.json();
    assert_eq!(kept[2]["diff_hunk"], hunk);
    let state = std::fs::read_to_string(site.world.export().await.join("pulls.json")).unwrap();
    assert!(state.len() < 4 * MAX_HUNK, "{}", state.len());
}

#[tokio::test]
async fn hunks_that_are_kept_take_room_of_the_world() {
    // 2,000 comments would store hunks of 32 MiB.
    let limits = SessionLimits {
        max_bytes: 8 << 20,
        ..SessionLimits::default()
    };
    let world = World::limited(|dir| commented(dir, 2_000), limits).await;
    let site = Site::of(world.unwrap()).await;
    let before = site.world.state().await.digest();
    assert_eq!(forced(&site).await, 422);
    assert_eq!(site.world.state().await.digest(), before);
    // A change of the base stores no hunks, because both bases have the same merge base with the commit of the
    // comments.
    let base = json!({"pullNumber": 1, "base": "other"});
    site.world.text("update_pull_request", base).await;
}
