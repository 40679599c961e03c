//! Refused destinations and trees, and cleanup after a failure.

use std::error::Error;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

use mcpmark_snapshot::{
    Digest, File, MaterialiseOptions, MemoryBlobs, Scratch, Store, Tree, TreeBuilder, materialise,
    scratch_parent,
};

use crate::trees::{World, path};

fn options() -> MaterialiseOptions {
    MaterialiseOptions::default()
}

fn scratch() -> Scratch {
    Scratch::new(&scratch_parent(None)).unwrap()
}

#[test]
fn the_destination_is_private_and_empty() {
    let home = scratch();
    let blobs = MemoryBlobs::new();
    let dest = home.path().join("dest");
    fs::create_dir(&dest).unwrap();
    fs::set_permissions(&dest, fs::Permissions::from_mode(0o777)).unwrap();
    materialise(&Tree::empty(), &blobs, &dest, &options()).unwrap();
    assert_eq!(fs::metadata(&dest).unwrap().mode() & 0o7777, 0o700);

    fs::write(dest.join("there"), "x").unwrap();
    let error = materialise(&Tree::empty(), &blobs, &dest, &options()).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("cannot use {dest:?} as the directory of a world")
    );
    assert!(dest.join("there").exists());

    let real = home.path().join("real");
    fs::create_dir(&real).unwrap();
    symlink(&real, home.path().join("link")).unwrap();
    for bad in ["link", "dest/there", "missing/parent"] {
        let dest = home.path().join(bad);
        assert!(
            materialise(&Tree::empty(), &blobs, &dest, &options()).is_err(),
            "{bad}"
        );
    }
}

#[test]
fn a_failure_leaves_nothing() {
    let home = scratch();
    let mut world = World::default().file("a/b/c", "content").symlink("l", "a");
    let lost = File {
        size: 3,
        executable: false,
        modified: None,
        content: Digest::of(b"lost"),
    };
    world.builder.insert_file(&path("x/lost"), lost).unwrap();
    let dest = home.path().join("dest");
    let error = materialise(&world.tree(), &world.blobs, &dest, &options()).unwrap_err();
    assert_eq!(error.to_string(), "cannot write \"x/lost\"");
    let cause = error.source().unwrap().to_string();
    assert_eq!(cause, format!("blob {} is missing", Digest::of(b"lost")));
    assert_eq!(fs::read_dir(&dest).unwrap().count(), 0);
}

#[test]
fn a_wrong_size_is_told() {
    let home = scratch();
    let store = Store::open(home.path().join("store")).unwrap();
    let content = store.put(b"content").unwrap();
    for size in [0, 6, 8, 1 << 40] {
        let mut builder = TreeBuilder::new();
        let file = File {
            size,
            executable: false,
            modified: None,
            content,
        };
        builder.insert_file(&path("f"), file).unwrap();
        let dest = home.path().join(size.to_string());
        let error = materialise(&builder.finish(), &store, &dest, &options()).unwrap_err();
        let cause = error.source().unwrap().to_string();
        assert_eq!(cause, format!("blob {content} is damaged"));
    }
}

#[test]
fn symlinks_that_lead_outside_together_are_refused() {
    let home = scratch();
    let world = World::default()
        .symlink("d/up", "..")
        .symlink("out", "d/up/../secret");
    let dest = home.path().join("dest");
    let error = materialise(&world.tree(), &world.blobs, &dest, &options()).unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("symlink \"out\" points outside")
    );
    assert!(!dest.exists());
}

#[test]
fn times_come_from_the_world() {
    let home = scratch();
    let mut world = World::default().file("d/f", "x").symlink("d/l", "f");
    world.add("d/dated", "x", false, Some(-5)).unwrap();
    let dest = home.path().join("dest");
    let clock = MaterialiseOptions { clock: Some(1_234) };
    materialise(&world.tree(), &world.blobs, &dest, &clock).unwrap();
    for (at, time) in [
        ("", 1_234),
        ("d", 1_234),
        ("d/f", 1_234),
        ("d/l", 1_234),
        ("d/dated", -5),
    ] {
        let metadata = fs::symlink_metadata(dest.join(at)).unwrap();
        assert_eq!((metadata.mtime(), metadata.mtime_nsec()), (time, 0), "{at}");
    }
}

#[test]
fn an_edit_in_place_does_not_reach_the_store() {
    let home = scratch();
    let store = Store::open(home.path().join("store")).unwrap();
    let mut builder = TreeBuilder::new();
    let content = store.put(b"content").unwrap();
    let file = File {
        size: 7,
        executable: false,
        modified: None,
        content,
    };
    builder.insert_file(&path("f"), file).unwrap();
    let dest = home.path().join("dest");
    materialise(&builder.finish(), &store, &dest, &options()).unwrap();
    fs::write(dest.join("f"), "CONTENT").unwrap();
    assert_eq!(fs::metadata(dest.join("f")).unwrap().nlink(), 1);
    assert_eq!(
        mcpmark_snapshot::Blobs::read(&store, &content).unwrap(),
        b"content"
    );
}

#[test]
fn many_files_over_several_threads() {
    let home = scratch();
    let mut world = World::default();
    for i in 0..1_500 {
        world
            .add(
                &format!("d{}/f{i}", i % 7),
                &i.to_string(),
                i % 2 == 0,
                None,
            )
            .unwrap();
    }
    let dest = home.path().join("dest");
    let written = materialise(&world.tree(), &world.blobs, &dest, &options()).unwrap();
    assert_eq!(written.len(), 1_500);
    for i in 0..1_500 {
        let file = dest.join(format!("d{}/f{i}", i % 7));
        assert_eq!(fs::read_to_string(&file).unwrap(), i.to_string());
    }
}
