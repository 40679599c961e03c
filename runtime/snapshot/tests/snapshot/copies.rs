//! Private copies: an overlay mount and a written copy behave in the same way.

use std::fs;
use std::io::Write;
use std::os::fd::AsRawFd;
use std::process::Command;
use std::sync::Arc;

use cap_std::fs::{Dir, PermissionsExt};
use mcpmark_snapshot::{
    CaptureOptions, CopyMethod, Digest, Node, PrivateCopy, ScratchSpace, Snapshot, Store, Tree,
    TreePath, capture,
};
use mcpmark_test_support::{Need, skip};
use proptest::prelude::*;

use crate::trees::{World, path};

const CLOCK: i64 = 1_700_000_000;

/// Both kinds of copies of one world, each with its own store.
struct Pair {
    copies: Vec<(PrivateCopy, Dir, Store)>,
    _home: tempfile::TempDir,
}

/// Returns a temporary directory with support for overlay mounts, or skips the test.
fn overlays() -> Option<(tempfile::TempDir, ScratchSpace)> {
    let home = tempfile::tempdir().unwrap();
    match ScratchSpace::probe(home.path(), CopyMethod::Overlay) {
        Ok(space) => Some((home, space)),
        Err(error) => {
            skip(Need::Overlay, &error);
            None
        }
    }
}

fn world() -> World {
    let mut world = World::default()
        .file("a", "alpha")
        .file("d/f", "in d")
        .file("d/e/g", "deep")
        .file("d/e/h", "deeper")
        .file("x/y/z", "last")
        .directory("empty")
        .symlink("link", "d/f")
        .symlink("d/up", "../a");
    world.add("run", "#!/bin/sh\n", true, None).unwrap();
    world.add("old", "past", false, Some(1_000)).unwrap();
    world.add("d/dated", "past", false, Some(2_000)).unwrap();
    world
}

impl Pair {
    fn new() -> Option<Self> {
        let (home, overlays) = overlays()?;
        let written = ScratchSpace::plain(home.path());
        let copies = [(overlays, "first"), (written, "second")].map(|(space, name)| {
            let world = world();
            let store = Store::open(home.path().join(name)).unwrap();
            let tree = world.tree();
            let snapshot = Snapshot::new(tree.clone(), Arc::new(world.blobs));
            store.put_snapshot(&snapshot).unwrap();
            let copy = PrivateCopy::make(&tree, &store, &space, CLOCK).unwrap();
            let dir = Dir::from_std_file(copy.world().unwrap());
            (copy, dir, store)
        });
        assert!(copies[0].0.is_overlay() && !copies[1].0.is_overlay());
        Some(Self {
            copies: copies.into(),
            _home: home,
        })
    }

    /// Makes a change in both copies and returns the captured tree, which must be the same. Invalid states, such as a
    /// symlink that leads outside, must be refused with the same message.
    fn attempt(&self, change: &Change) -> Result<Tree, String> {
        let mut captured = Vec::new();
        for (copy, dir, store) in &self.copies {
            // A change that fails must leave the same state as well.
            let _ = change.make(dir, &Dir::from_std_file(copy.staging().unwrap()));
            let tree = copy.capture().map(|captured| captured.tree);
            let options = CaptureOptions {
                clock: Some(CLOCK),
                ..CaptureOptions::default()
            };
            let here = format!("/proc/self/fd/{}", dir.as_raw_fd());
            let seen = capture(here.as_ref(), store, &options);
            if let (Ok(tree), Ok(seen)) = (&tree, &seen) {
                assert_same_content(seen, tree);
                assert_eq!(store.load_tree(&tree.digest()).unwrap(), *tree);
            }
            assert_eq!(tree.is_ok(), seen.is_ok(), "{change:?}");
            captured.push(tree.map_err(|error| error.to_string()));
        }
        let digests = |one: &Result<Tree, String>| one.clone().map(|tree| tree.digest());
        assert_eq!(digests(&captured[0]), digests(&captured[1]), "{change:?}");
        captured.swap_remove(0)
    }

    fn change(&self, change: &Change) -> Tree {
        self.attempt(change).unwrap()
    }
}

/// Compares trees without modification times, which a capture without a base cannot determine.
fn assert_same_content(seen: &Tree, tree: &Tree) {
    let untimed = |tree: &Tree| -> Vec<(TreePath, Digest, bool)> {
        tree.walk(&TreePath::root())
            .map(|(path, node)| match node {
                Node::File(file) => (path, file.content, file.executable),
                Node::Symlink(_) => (path, node.digest(), false),
                Node::Directory(_) => (path, Digest::of(b"directory"), false),
            })
            .collect()
    };
    assert_eq!(untimed(seen), untimed(tree));
}

#[derive(Clone, Debug)]
enum Change {
    Write(String, String),
    /// Written in the staging directory and renamed into the world, as in the filesystem service.
    Replace(String, String),
    Touch(String, i64),
    Execute(String, bool),
    Remove(String),
    RemoveAll(String),
    Directory(String),
    Link(String, String),
    Rename(String, String),
}

impl Change {
    fn make(&self, dir: &Dir, staging: &Dir) -> std::io::Result<()> {
        let set_time = |path: &str, time: i64| {
            let file = dir.open_with(path, cap_std::fs::OpenOptions::new().append(true))?;
            let time = std::time::UNIX_EPOCH + std::time::Duration::from_secs(time as u64);
            file.into_std().set_modified(time)
        };
        match self {
            Self::Write(path, text) => {
                // A write through a symlink would have a different time in each copy.
                if dir.symlink_metadata(path).is_ok_and(|it| it.is_symlink()) {
                    return Ok(());
                }
                dir.write(path, text)?;
                set_time(path, CLOCK)
            }
            Self::Replace(path, text) => {
                let mut file = staging.create("new")?;
                file.write_all(text.as_bytes())?;
                let time = std::time::UNIX_EPOCH + std::time::Duration::from_secs(CLOCK as u64);
                file.into_std().set_modified(time)?;
                staging.rename("new", dir, path)
            }
            Self::Touch(path, time) => set_time(path, *time),
            Self::Execute(path, executable) => {
                let mode = if *executable { 0o755 } else { 0o644 };
                dir.set_permissions(path, cap_std::fs::Permissions::from_mode(mode))
            }
            Self::Remove(path) => dir.remove_file(path),
            Self::RemoveAll(path) => dir.remove_dir_all(path),
            Self::Directory(path) => dir.create_dir(path),
            Self::Link(target, path) => dir.symlink_contents(target, path),
            Self::Rename(from, to) => {
                // The kernel does not rename a directory of the base in an overlay. The filesystem service has a
                // separate test for these.
                if dir.symlink_metadata(from).is_ok_and(|it| it.is_dir()) {
                    return Ok(());
                }
                dir.rename(from, dir, to)
            }
        }
    }
}

fn name() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        "a", "d", "d/f", "d/e", "d/e/g", "d/e/h", "d/dated", "d/up", "x", "x/y", "x/y/z", "empty",
        "link", "run", "old", "new", "new/n", "empty/n", "d/n", "d/n/m",
    ])
    .prop_map(str::to_owned)
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        (name(), "[ab]{0,3}").prop_map(|(path, text)| Change::Write(path, text)),
        (name(), "[ab]{0,3}").prop_map(|(path, text)| Change::Replace(path, text)),
        (
            name(),
            prop::sample::select(vec![1_000, 2_000, CLOCK, CLOCK + 1])
        )
            .prop_map(|(path, time)| Change::Touch(path, time)),
        (name(), any::<bool>()).prop_map(|(path, on)| Change::Execute(path, on)),
        name().prop_map(Change::Remove),
        name().prop_map(Change::RemoveAll),
        name().prop_map(Change::Directory),
        (prop::sample::select(vec!["a", "e", "nowhere"]), name())
            .prop_map(|(target, path)| Change::Link(target.to_owned(), path)),
        (name(), name()).prop_map(|(from, to)| Change::Rename(from, to)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn either_way_gives_the_same_tree(changes in prop::collection::vec(change(), 1..24)) {
        if let Some(pair) = Pair::new() {
            for change in &changes {
                let _ = pair.attempt(change);
            }
        }
    }
}

fn text(text: &str) -> String {
    text.to_owned()
}

#[test]
fn marks_of_an_overlay_are_read() {
    use Change::{Directory, Execute, Link, Remove, RemoveAll, Rename, Replace, Touch, Write};
    let Some(pair) = Pair::new() else { return };
    let start = world().tree();
    let digest = |tree: &Tree, at: &str| tree.get(&path(at)).map(Node::digest);
    let modified = |tree: &Tree, at: &str| tree.get(&path(at)).unwrap().as_file().unwrap().modified;

    // No change, and a change that is reverted.
    assert_eq!(pair.change(&Remove(text("not there"))), start);
    pair.change(&Write(text("a"), text("beta")));
    assert_eq!(pair.change(&Write(text("a"), text("alpha"))), start);
    // A touched file with the same content keeps its time.
    let tree = pair.change(&Touch(text("a"), 5_000));
    assert_eq!(tree, start, "who has the same content has the same time");
    assert_eq!(modified(&tree, "old"), Some(1_000));

    // Whiteouts.
    let tree = pair.change(&Remove(text("d/e/g")));
    assert_eq!(digest(&tree, "d/e/g"), None);
    assert_eq!(digest(&tree, "d/e/h"), digest(&start, "d/e/h"));
    let tree = pair.change(&RemoveAll(text("x")));
    assert_eq!(digest(&tree, "x"), None);

    // An opaque directory: entries of the removed directory stay hidden, at every depth.
    pair.change(&RemoveAll(text("d")));
    pair.change(&Directory(text("d")));
    pair.change(&Directory(text("d/e")));
    let tree = pair.change(&Write(text("d/e/new"), text("new")));
    assert_eq!(digest(&tree, "d/f"), None);
    assert_eq!(digest(&tree, "d/e/h"), None);
    // A recreated file has the same time as in the base.
    let tree = pair.change(&Write(text("d/dated"), text("past")));
    assert_eq!(modified(&tree, "d/dated"), Some(2_000));

    // A directory replaces a file, a file replaces a directory, and both are reverted.
    pair.change(&Remove(text("a")));
    pair.change(&Directory(text("a")));
    pair.change(&Write(text("a/inner"), text("x")));
    pair.change(&RemoveAll(text("empty")));
    let tree = pair.change(&Write(text("empty"), text("a file now")));
    assert!(tree.get(&path("a")).unwrap().as_directory().is_some());
    assert!(tree.get(&path("empty")).unwrap().as_file().is_some());
    pair.change(&RemoveAll(text("a")));
    pair.change(&Write(text("a"), text("alpha")));
    pair.change(&Remove(text("empty")));
    let tree = pair.change(&Directory(text("empty")));
    assert_eq!(digest(&tree, "a"), digest(&start, "a"));
    assert_eq!(digest(&tree, "empty"), digest(&start, "empty"));

    // Executable bits, symlinks and moves.
    let tree = pair.change(&Execute(text("run"), false));
    assert!(
        !tree
            .get(&path("run"))
            .unwrap()
            .as_file()
            .unwrap()
            .executable
    );
    pair.change(&Remove(text("link")));
    let tree = pair.change(&Link(text("empty"), text("link")));
    assert_eq!(
        tree.get(&path("link"))
            .unwrap()
            .as_symlink()
            .unwrap()
            .target,
        "empty"
    );
    let tree = pair.change(&Rename(text("old"), text("older")));
    assert_eq!(modified(&tree, "older"), Some(1_000));
    let tree = pair.change(&Replace(text("older"), text("now")));
    assert_eq!(modified(&tree, "older"), None);
}

#[test]
fn only_changes_are_read() {
    let Some((home, space)) = overlays() else {
        return;
    };
    let store = Store::open(home.path().join("store")).unwrap();
    let world = world();
    let tree = world.tree();
    let snapshot = Snapshot::new(tree.clone(), Arc::new(world.blobs));
    store.put_snapshot(&snapshot).unwrap();
    let copy = PrivateCopy::make(&tree, &store, &space, CLOCK).unwrap();
    assert_eq!(copy.capture().unwrap().hashed, 0);
    let dir = Dir::from_std_file(copy.world().unwrap());
    dir.write("d/f", "changed").unwrap();
    dir.write("new", "new").unwrap();
    dir.remove_file("a").unwrap();
    let captured = copy.capture().unwrap();
    assert_eq!(captured.hashed, 2);
    // The base is unmodified, for the next copy.
    let next = PrivateCopy::make(&tree, &store, &space, CLOCK).unwrap();
    assert_eq!(next.capture().unwrap().tree, tree);
    let dir = Dir::from_std_file(next.world().unwrap());
    assert_eq!(dir.read_to_string("d/f").unwrap(), "in d");
    assert_eq!(
        store.load_tree(&captured.tree.digest()).unwrap(),
        captured.tree
    );
}

#[test]
fn a_copy_goes_with_all_that_it_needs() {
    let Some((home, space)) = overlays() else {
        return;
    };
    let store = Store::open(home.path().join("store")).unwrap();
    let entries = || fs::read_dir(home.path()).unwrap().count();
    let before = entries();
    let copy = PrivateCopy::make(&Tree::empty(), &store, &space, CLOCK).unwrap();
    let dir = Dir::from_std_file(copy.world().unwrap());
    dir.write("f", "x").unwrap();
    assert_eq!(entries(), before + 1);
    copy.close().unwrap();
    assert_eq!(entries(), before);
    // Open files remain readable.
    assert_eq!(dir.read_to_string("f").unwrap(), "x");
    drop(PrivateCopy::make(&Tree::empty(), &store, &space, CLOCK).unwrap());
    assert_eq!(entries(), before);
}

#[test]
fn a_world_that_cannot_be_laid_over_is_written() {
    let Some((home, space)) = overlays() else {
        return;
    };
    let store = Store::open(home.path().join("store")).unwrap();
    // Bases cannot be created.
    fs::remove_dir(home.path().join("store/bases")).unwrap();
    fs::write(home.path().join("store/bases"), "").unwrap();
    let copy = PrivateCopy::make(&Tree::empty(), &store, &space, CLOCK).unwrap();
    assert!(!copy.is_overlay());
    copy.world().unwrap();
    copy.staging().unwrap();
    assert_eq!(copy.capture().unwrap().tree, Tree::empty());
}

#[test]
fn methods_have_names() {
    for (name, method) in [
        ("auto", CopyMethod::Auto),
        ("overlay", CopyMethod::Overlay),
        ("copy", CopyMethod::Plain),
    ] {
        assert_eq!(name.parse(), Ok(method));
    }
    let error = "Copy".parse::<CopyMethod>().unwrap_err();
    assert_eq!(
        error.to_string(),
        "invalid copy method \"Copy\": expected auto, overlay or copy"
    );
    let home = tempfile::tempdir().unwrap();
    let space = ScratchSpace::probe(home.path(), CopyMethod::Plain).unwrap();
    assert_eq!(space.has_overlay(), Err("plain copies are configured"));
}

/// In a user namespace, overlay mounts use other extended attributes.
#[test]
fn the_same_in_a_user_namespace() {
    const INSIDE: &str = "MCPMARK_TEST_NAMESPACE";
    if std::env::var_os(INSIDE).is_some() {
        return;
    }
    let unshare = |program: &std::ffi::OsStr, arguments: &[&str]| {
        Command::new("unshare")
            .args(["--user", "--map-root-user", "--mount"])
            .arg(program)
            .args(arguments)
            .env(INSIDE, "1")
            .output()
    };
    if !unshare("true".as_ref(), &[]).is_ok_and(|output| output.status.success()) {
        skip(Need::Unshare, "no user namespaces");
        return;
    }
    let tests = std::env::current_exe().unwrap();
    let output = unshare(tests.as_os_str(), &["copies::", "--nocapture"]).unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    if said.contains("SKIPPED") {
        skip(Need::Overlay, format!("in a user namespace: {said}"));
    }
}
