//! Tools that read and write files.

use std::collections::BTreeMap;
use std::path::Path;

use gix::objs::tree::EntryKind;
use mcpmark_service::Content;
use serde_json::{Value, json};

use crate::rest::Site;
use crate::support::{Repo, World, texts, write};

pub(crate) async fn read(world: &World, arguments: Value) -> (String, Value) {
    let output = world.call("get_file_contents", arguments).await;
    assert!(!output.is_error, "{}", output.text());
    match &output.content[1] {
        Content::Other(block) => (output.text(), block["resource"].clone()),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_file_comes_as_a_resource() {
    let world = World::new().await;
    let (text, resource) = read(&world, json!({"path": "README.md"})).await;
    assert_eq!(
        text,
        format!(
            "successfully downloaded text file (SHA: {})",
            blob(b"# Demo\n\nA demo.\n")
        )
    );
    assert_eq!(
        resource,
        json!({
            "uri": "repo://acme/demo/contents/README.md",
            "mimeType": "text/plain; charset=utf-8",
            "text": "# Demo\n\nA demo.\n",
        })
    );
    let (_, resource) = read(&world, json!({"path": "README.md", "ref": "feature"})).await;
    assert_eq!(
        resource["uri"],
        "repo://acme/demo/feature/contents/README.md"
    );
    assert_eq!(resource["text"], "# Demo\n\nA demo of three.\n");
    let (_, resource) = read(
        &world,
        json!({"path": "docs/moved.txt", "ref": "refs/tags/v1"}),
    )
    .await;
    assert_eq!(
        resource["uri"],
        "repo://acme/demo/refs/tags/v1/contents/docs/moved.txt"
    );
}

#[tokio::test]
async fn a_commit_gives_the_bytes_and_the_default_branch_the_id() {
    let world = World::new().await;
    let branches = world.json("list_branches", json!({})).await;
    let sha = branches[1]["sha"].as_str().unwrap();
    let (text, resource) = read(&world, json!({"path": "README.md", "sha": sha})).await;
    let on_main = blob(b"# Demo\n\nA demo.\n");
    assert_eq!(
        text,
        format!("successfully downloaded text file (SHA: {on_main})")
    );
    assert_eq!(resource["text"], "# Demo\n\nA demo of three.\n");
    let uri = format!("repo://acme/demo/sha/{sha}/contents/README.md");
    assert_eq!(resource["uri"], uri);
    for (path, problem) in [
        (
            "src/three.rs",
            "failed to get file SHA: GET https://api.github.com/repos/acme/demo/contents/src/three.rs: 404 Not \
             Found []",
        ),
        (
            "docs/moved.txt",
            "Failed to get file contents. The path does not point to a file or directory, or the file does not \
             exist in the repository.",
        ),
    ] {
        let refusal = world
            .refusal("get_file_contents", json!({"path": path, "sha": sha}))
            .await;
        assert_eq!(refusal, problem);
    }
}

fn blob(bytes: &[u8]) -> String {
    gix::objs::compute_hash(gix::hash::Kind::Sha1, gix::objs::Kind::Blob, bytes)
        .unwrap()
        .to_string()
}

#[tokio::test]
async fn a_directory_comes_as_a_list() {
    let world = World::new().await;
    let list = world.json("get_file_contents", json!({"path": "/"})).await;
    let names = texts(&list, "/name");
    assert_eq!(names, ["README.md", "docs", "src"]);
    let keys: Vec<&String> = list[0].as_object().unwrap().keys().collect();
    assert_eq!(
        keys,
        [
            "type",
            "size",
            "name",
            "path",
            "sha",
            "url",
            "git_url",
            "html_url",
            "download_url"
        ]
    );
    let list = world
        .json(
            "get_file_contents",
            json!({"path": "src/", "ref": "feature"}),
        )
        .await;
    assert_eq!(list[1]["path"], "src/three.rs");
    assert_eq!(list[1]["size"], 32);
    assert_eq!(
        world
            .refusal("get_file_contents", json!({"path": "src"}))
            .await,
        "file content SHA is nil"
    );
    let text = world
        .text("get_file_contents", json!({"path": "rc/"}))
        .await;
    assert!(text.starts_with(r#"Path did not point to a file or directory, but resolved git ref to {"Ref":"refs/heads/main","SHA":""#), "{text}");
    assert!(
        text.ends_with(r#"with possible path matches: ["src/"]"#),
        "{text}"
    );
}

#[tokio::test]
async fn a_file_is_written_in_a_commit() {
    let world = World::new().await;
    let made = world
        .json(
            "create_or_update_file",
            json!({
                "path": "docs/new.md", "content": "new\n", "message": "Add new", "branch": "main",
            }),
        )
        .await;
    assert_eq!(made["content"]["sha"], blob(b"new\n"));
    assert_eq!(made["commit"]["message"], "Add new");
    assert_eq!(
        made["commit"]["author"],
        json!({"date": "2025-01-01T00:00:01Z", "name": "Ann Lee", "email": "ann@example.org"})
    );
    assert_eq!(made["commit"]["committer"]["email"], "noreply@github.com");
    let (_, resource) = read(&world, json!({"path": "docs/new.md"})).await;
    assert_eq!(resource["text"], "new\n");

    let again =
        json!({"path": "docs/new.md", "content": "newer\n", "message": "Renew", "branch": "main"});
    assert_eq!(
        world.refusal("create_or_update_file", again.clone()).await,
        "failed to create/update file: PUT https://api.github.com/repos/acme/demo/contents/docs/new.md: 422 Invalid request.\n\n\"sha\" wasn't supplied. []"
    );
    let mut stale = again.clone();
    stale["sha"] = blob(b"other").into();
    let problem = world.refusal("create_or_update_file", stale).await;
    assert!(
        problem.contains(": 409 docs/new.md does not match "),
        "{problem}"
    );
    let mut right = again;
    right["sha"] = blob(b"new\n").into();
    let made = world.json("create_or_update_file", right).await;
    assert_eq!(made["commit"]["committer"]["date"], "2025-01-01T00:00:02Z");
}

#[tokio::test]
async fn files_are_pushed_and_deleted() {
    let world = World::new().await;
    let made = world
        .json(
            "create_branch",
            json!({"branch": "work", "from_branch": "feature"}),
        )
        .await;
    assert_eq!(made["ref"], "refs/heads/work");
    assert_eq!(made["object"]["type"], "commit");
    let pushed = world.json("push_files", json!({
        "branch": "work", "message": "Two at once",
        "files": [{"path": "a/b.txt", "content": "b"}, {"path": "README.md", "content": "gone\n"}],
    })).await;
    assert_eq!(pushed["ref"], "refs/heads/work");
    let commit = world
        .json("get_commit", json!({"sha": pushed["object"]["sha"]}))
        .await;
    assert_eq!(commit["commit"]["committer"]["name"], "Ann Lee");
    assert_eq!(commit["files"].as_array().unwrap().len(), 2);
    let deleted = world
        .json(
            "delete_file",
            json!({"branch": "work", "path": "a/b.txt", "message": "Drop b"}),
        )
        .await;
    assert_eq!(deleted["content"], Value::Null);
    let list = world
        .json("get_file_contents", json!({"path": "/", "ref": "work"}))
        .await;
    assert!(list.as_array().unwrap().iter().all(|it| it["name"] != "a"));
    assert_eq!(
        world
            .refusal("create_branch", json!({"branch": "work"}))
            .await,
        "failed to create branch: POST https://api.github.com/repos/acme/demo/git/refs: 422 Reference already exists []"
    );
}

#[tokio::test]
async fn links_and_submodules_are_no_plain_files() {
    let make = |dir: &Path| {
        let modules = "[submodule \"lib\"]\n\tpath = lib\n\turl = https://example.org/lib.git\n";
        let files = [
            (".gitmodules", EntryKind::Blob, modules),
            ("README.md", EntryKind::Blob, "# Demo\n"),
            ("docs/link", EntryKind::Link, "../README.md"),
            ("docs/dir", EntryKind::Link, ".."),
            ("docs/out", EntryKind::Link, "../../x"),
            ("lib", EntryKind::Commit, "x"),
        ];
        let files: BTreeMap<&str, (EntryKind, String)> = files
            .into_iter()
            .map(|(path, kind, text)| (path, (kind, text.to_owned())))
            .collect();
        let repo = Repo::new(dir);
        repo.set(
            "refs/heads/main",
            repo.commit_onto(&[], 1_704_067_200, "Begin", &files),
        );
        let document = json!({"owner": "acme", "name": "demo", "viewer": "ann"});
        write(dir, "repository.json", &document);
    };
    let site = Site::of(World::as_of("v1.10.1", make, None).await).await;
    let link = |path: &str, target: &str| json!({"type": "symlink", "path": path, "sha": blob(target.as_bytes()), "target": target});
    let with = |mut view: Value, more: &[(&str, &str)]| {
        for (key, text) in more {
            view[*key] = (*text).into();
        }
        view
    };
    for (path, expected, read) in [
        (
            "docs/link",
            with(
                link("docs/link", "../README.md"),
                &[
                    ("resolved_path", "README.md"),
                    ("content", "dereferenced_target"),
                ],
            ),
            Some("# Demo\n"),
        ),
        (
            "docs/dir",
            with(
                link("docs/dir", ".."),
                &[("resolved_path", "."), ("content", "not_returned")],
            ),
            None,
        ),
        (
            "docs/out",
            with(link("docs/out", "../../x"), &[("content", "not_returned")]),
            None,
        ),
        (
            "lib",
            json!({"type": "submodule", "path": "lib", "sha": blob(b"x"), "git_url": "https://example.org/lib.git"}),
            None,
        ),
    ] {
        let output = site
            .world
            .call("get_file_contents", json!({"path": path}))
            .await;
        assert!(!output.is_error, "{}", output.text());
        assert_eq!(output.text(), expected.to_string(), "{path}");
        let text = output.content.get(1).map(|content| match content {
            Content::Other(block) => block["resource"]["text"].as_str().unwrap(),
            other => panic!("{other:?}"),
        });
        assert_eq!(text, read, "{path}");
    }
    for (path, target, first) in [
        (
            "docs/link",
            "../README.md",
            "Edit target: create_or_update_file path=\"README.md\".",
        ),
        ("docs/out", "../../x", "Target is outside this repository."),
    ] {
        let mut put = json!({"path": path, "content": "x", "message": "m", "branch": "main"});
        put["sha"] = blob(target.as_bytes()).into();
        let refused = site.world.refusal("create_or_update_file", put).await;
        let (payload, way) = refused.split_once('\n').unwrap();
        let payload: Value = serde_json::from_str(payload).unwrap();
        assert_eq!(
            (&payload["error"], &payload["target"]),
            (&json!("symlink_write_requires_opt_in"), &json!(target))
        );
        assert_eq!(
            way,
            format!(
                "{first} Retarget link: allow_symlink_write=true. Replace with a file: push_files path={path:?}."
            )
        );
    }
    for (path, key, value) in [
        ("docs/link", "type", "file"),
        ("docs/link", "content", "IyBEZW1vCg==\n"),
        ("docs/dir", "type", "symlink"),
        ("docs/dir", "target", ".."),
        ("lib", "type", "submodule"),
        ("lib", "submodule_git_url", "https://example.org/lib.git"),
    ] {
        let view = site.get(&format!("/contents/{path}")).await.json();
        assert_eq!(view[key], value, "{path} {key}");
    }
}
