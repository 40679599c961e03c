//! Requests that git or GitHub refuse. The session continues, and `git fsck --strict` reports nothing.

use serde_json::{Value, json};

use crate::rest::Site;
use crate::support::{Repo, World, git, write};

/// Runs `git fsck` on the repository of the final state, if git is installed.
async fn fsck(world: &World) {
    let dir = world.export().await.join("repo");
    if let Some((clean, said)) = git(&dir, &["fsck", "--strict", "--full", "--no-dangling"]) {
        let complains = ["error", "warning", "missing", "broken"];
        assert!(
            clean && !complains.iter().any(|it| said.contains(it)),
            "{said}"
        );
    }
}

#[tokio::test]
async fn requests_that_no_tree_can_hold_are_refused() {
    let site = Site::of(World::new().await).await;
    let main = site.get("/git/ref/heads/main").await.json();
    let commit = main["object"]["sha"].as_str().unwrap().to_owned();
    let tree = site.get("/git/trees/main").await.json();
    let (tree_sha, entries) = (
        tree["sha"].clone(),
        tree["tree"].as_array().unwrap().clone(),
    );
    let blob = entries.iter().find(|it| it["type"] == "blob").unwrap()["sha"].clone();
    for entry in [
        json!({"path": "", "mode": "100644", "type": "blob", "sha": null}),
        json!({"path": "a//b", "mode": "100644", "type": "blob", "sha": null}),
        json!({"path": "x", "mode": "040000", "type": "tree", "content": "hi"}),
        json!({"path": "x", "mode": "160000", "type": "commit", "content": "hi"}),
        json!({"path": "x", "mode": "100644", "type": "blob", "content": "hi", "sha": blob}),
        json!({"path": "x", "mode": "040000", "type": "tree", "sha": blob}),
        json!({"path": "x", "mode": "100644", "type": "blob", "sha": tree_sha}),
        json!({"path": "x", "mode": "100755", "type": "blob", "sha": commit}),
        json!({"path": "x", "mode": "160000", "type": "commit", "sha": blob}),
        json!({"path": ".git/config", "mode": "100644", "type": "blob", "content": "hi"}),
        json!({"path": ".gitmodules", "mode": "100644", "content": "[submodule \"../x\"]\n\turl = y\n"}),
        json!({"path": ".gitattributes", "mode": "100644", "content": "a".repeat(2048)}),
        json!({"path": ".gitmodules/x", "mode": "100644", "content": "hi"}),
        json!({"path": "sub/.gitattributes", "mode": "040000", "sha": tree_sha}),
    ] {
        let body = json!({"base_tree": tree_sha, "tree": [entry]});
        let answer = site.ask("POST", "/git/trees", body).await;
        assert_eq!(
            answer.status,
            422,
            "{entry}: {}",
            String::from_utf8_lossy(&answer.body)
        );
    }
    let author = |date: &str| json!({"name": "a", "email": "a@x", "date": date});
    for (path, body) in [
        (
            "/git/tags",
            json!({"tag": "-v", "message": "m", "object": commit, "type": "commit"}),
        ),
        (
            "/git/tags",
            json!({"tag": "a b", "message": "m", "object": commit, "type": "commit"}),
        ),
        (
            "/git/commits",
            json!({"message": "m", "tree": tree_sha, "author": author("1960-01-01T00:00:00Z")}),
        ),
        (
            "/git/commits",
            json!({"message": "m".repeat(1 << 20), "tree": tree_sha}),
        ),
    ] {
        let answer = site.ask("POST", path, body.clone()).await;
        assert_eq!(
            answer.status,
            422,
            "{path}: {}",
            String::from_utf8_lossy(&answer.body)
        );
    }
    // A submodule link need not resolve, and the refused requests had no effect.
    let body = json!({"base_tree": tree_sha, "tree": [
        {"path": "lib", "mode": "160000", "type": "commit", "sha": "1".repeat(40)},
        {"path": ".gitmodules", "mode": "100644", "content": "[submodule \"lib\"]\n\tpath = lib\n\turl = ../lib.git\n"},
    ]});
    let made = site.ask("POST", "/git/trees", body).await;
    assert_eq!(made.status, 201, "{}", String::from_utf8_lossy(&made.body));
    let body = json!({"message": "m", "tree": made.json()["sha"], "parents": [commit]});
    let made = site.ask("POST", "/git/commits", body).await.json();
    let moved = site
        .ask("PATCH", "/git/refs/heads/main", json!({"sha": made["sha"]}))
        .await;
    assert_eq!(moved.status, 200);
    fsck(&site.world).await;
}

#[tokio::test]
async fn a_repository_can_lose_its_last_file() {
    let world = World::of(|dir| {
        let mut repo = Repo::new(dir);
        repo.commit("main", "Begin", &[("a.txt", Some("a"))]);
        write(
            dir,
            "repository.json",
            &json!({"owner": "acme", "name": "demo", "viewer": "ann"}),
        );
    })
    .await;
    let gone = json!({"branch": "main", "message": "m", "path": "a.txt"});
    world.text("delete_file", gone).await;
    fsck(&world).await;
    let before = world.state().await;
    assert_eq!(world.again().await.state().await.digest(), before.digest());
}

#[tokio::test]
async fn files_that_steer_git_are_refused_as_by_a_push() {
    let world = World::new().await;
    let long = format!("* text\n{} text\n", "a".repeat(2100));
    for (path, content, said) in [
        (".gitattributes", long.as_str(), "gitattributesLineLength"),
        ("src/.gitattributes", &long, "gitattributesLineLength"),
        (
            ".gitmodules",
            "[submodule \"../x\"]\n\turl = a\n",
            "gitmodulesName",
        ),
        (
            ".gitmodules",
            "[submodule \"x\"]\n\turl = -u./evil\n",
            "gitmodulesUrl",
        ),
    ] {
        let files = json!({"branch": "main", "message": "m", "files": [{"path": path, "content": content}]});
        let refused = world.refusal("push_files", files).await;
        assert!(
            refused.contains("422") && refused.contains(said),
            "{refused}"
        );
        let file = json!({"branch": "main", "message": "m", "path": path, "content": content});
        let refused = world.refusal("create_or_update_file", file).await;
        assert!(
            refused.contains("422") && refused.contains(said),
            "{refused}"
        );
        compared(path, content);
    }
    let good: [(&str, &str); 3] = [
        (".gitattributes", "*.txt text\n"),
        (
            ".gitmodules",
            "[submodule \"x\"]\n\tpath = x\n\turl = https://example.org/x.git\n",
        ),
        (".gitignore", "a\n"),
    ];
    let files: Vec<Value> = good
        .iter()
        .map(|(path, content)| json!({"path": path, "content": content}))
        .collect();
    world
        .text(
            "push_files",
            json!({"branch": "main", "message": "m", "files": files}),
        )
        .await;
    fsck(&world).await;
}

/// Checks that `git fsck` refuses the file as well.
fn compared(path: &str, content: &str) {
    let home = tempfile::tempdir().unwrap();
    let Some((true, _)) = git(home.path(), &["init", "-q", "."]) else {
        return;
    };
    let file = home.path().join(path);
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(file, content).unwrap();
    for arguments in [&["add", "-A"][..], &["commit", "-qm", "x"]] {
        assert!(git(home.path(), arguments).unwrap().0);
    }
    let (clean, said) = git(home.path(), &["fsck", "--strict"]).unwrap();
    assert!(!clean, "{path}: {said}");
}

#[tokio::test]
async fn a_file_that_github_does_not_take_is_refused() {
    let world = World::new().await;
    let content = "a".repeat((100 << 20) + 1);
    let files =
        json!({"branch": "main", "message": "m", "files": [{"path": "a", "content": content}]});
    let refused = world.refusal("push_files", files).await;
    assert!(refused.contains("too large to process"), "{refused}");
    let files = json!({"branch": "main", "message": "m", "files": [{"path": "a", "content": content[1..]}]});
    world.text("push_files", files).await;
    let before = world.state().await;
    assert_eq!(world.again().await.state().await.digest(), before.digest());
}
