//! Final states as directories that git can use, and their capture without a difference.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use gix::objs::tree::EntryKind;
use mcpmark_github::GitHub;
use mcpmark_service::Service;
use mcpmark_snapshot::{CaptureOptions, MaterialiseOptions, Snapshot, Tree, capture, materialise};
use serde_json::json;

use crate::support::{Repo, World, git, standard};

/// Exports the state of a world. Returns the directory and the written tree.
async fn exported(world: &World) -> (PathBuf, Tree) {
    let state = Snapshot::new(world.state().await, world.store.clone());
    let shown = GitHub::default()
        .exported(&state, world.home.path())
        .unwrap();
    let dir = world.home.path().join("shown");
    let _ = std::fs::remove_dir_all(&dir);
    let options = MaterialiseOptions::default();
    materialise(&shown.tree, &*shown.blobs, &dir, &options).unwrap();
    (dir, shown.tree)
}

/// World without a work tree, whose branch has every kind of entry.
fn with_all_kinds(world: &Path) {
    standard(world);
    let repo = Repo::again(world);
    let files = BTreeMap::from([
        ("a/b.txt", (EntryKind::Blob, "b\n".to_owned())),
        ("a-b.txt", (EntryKind::Blob, String::new())),
        (
            "run.sh",
            (EntryKind::BlobExecutable, "#!/bin/sh\n".to_owned()),
        ),
        ("link", (EntryKind::Link, "a/b.txt".to_owned())),
        ("\u{e9} \u{20ac}", (EntryKind::Blob, "\u{e9}\n".to_owned())),
    ]);
    let tip = repo.tip("main").unwrap();
    let commit = repo.commit_onto(&[tip], 1_734_000_000, "All kinds", &files);
    repo.set("refs/heads/main", commit);
}

/// Standard world with a work tree.
fn with_files(world: &Path) {
    standard(world);
    let repo = world.join("repo");
    for (path, text) in [
        ("README.md", "# Demo\n\nA demo.\n"),
        ("docs/moved.txt", "first\nsecond\n"),
        (
            "src/lib.rs",
            "pub fn one() -> u32 {\n    1\n}\n\n/// Two.\npub fn two() -> u32 {\n    2\n}\n",
        ),
    ] {
        std::fs::create_dir_all(repo.join(path).parent().unwrap()).unwrap();
        std::fs::write(repo.join(path), text).unwrap();
    }
}

#[tokio::test]
async fn git_finds_an_exported_state_clean() {
    for make in [with_all_kinds as fn(&Path), with_files] {
        let world = World::of(make).await;
        let file =
            json!({"path": "new/file.md", "content": "new\n", "message": "New", "branch": "main"});
        world.text("create_or_update_file", file).await;
        let merge = json!({"title": "Three", "head": "feature", "base": "main"});
        world.text("create_pull_request", merge).await;
        let (dir, _) = exported(&world).await;
        let repo = dir.join("repo");
        let Some((done, said)) = git(&repo, &["status", "--porcelain"]) else {
            return;
        };
        assert!(done && said.is_empty(), "{said}");
        assert_eq!(
            std::fs::read_to_string(repo.join("new/file.md")).unwrap(),
            "new\n"
        );
        let (sound, said) = git(&repo, &["fsck", "--strict"]).unwrap();
        assert!(sound, "{said}");
        // Git can continue with the index.
        std::fs::write(repo.join("new/file.md"), "newer\n").unwrap();
        let (_, said) = git(&repo, &["status", "--porcelain"]).unwrap();
        assert_eq!(said, " M new/file.md\n");
        let (done, said) = git(&repo, &["commit", "-qam", "Newer"]).unwrap();
        assert!(done, "{said}");
    }
}

#[tokio::test]
async fn an_exported_state_is_captured_as_it_was() {
    let world = World::of(with_files).await;
    let before = world.state().await;
    let (dir, shown) = exported(&world).await;
    assert_ne!(shown.digest(), before.digest());
    assert_eq!(
        world.state().await.digest(),
        before.digest(),
        "the state has no index"
    );
    let captured = capture(&dir, &world.store, &CaptureOptions::default()).unwrap();
    assert!(dir.join("repo/.git/index").exists());
    let again = GitHub::default().as_captured(captured);
    let paths = |tree: &Tree| -> Vec<String> {
        tree.files()
            .map(|(path, _)| path.as_str().to_owned())
            .collect()
    };
    assert_eq!(paths(&again), paths(&before));
    assert_eq!(
        GitHub::default().as_captured(before.clone()).digest(),
        before.digest()
    );
}
