//! Incremental capture: the files that are read again, and their modification times.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::time::{Duration, UNIX_EPOCH};

use mcpmark_snapshot::{
    CaptureOptions, Captured, MaterialiseOptions, Materialised, Scratch, Snapshot, Store, Tree,
    capture, capture_counted, materialise, scratch_parent,
};

use crate::trees::{World, path};

const CLOCK: i64 = 1_700_000_000;

struct Copy {
    dir: PathBuf,
    store: Store,
    tree: Tree,
    written: Materialised,
    _home: Scratch,
}

fn copy() -> Copy {
    let mut world = World::default();
    for i in 0..20 {
        world
            .add(
                &format!("d{}/f{i}", i % 3),
                &format!("content {i}"),
                false,
                None,
            )
            .unwrap();
    }
    world
        .add("old", "from the past", false, Some(1_000))
        .unwrap();
    let home = Scratch::new(&scratch_parent(None)).unwrap();
    let store = Store::open(home.path().join("store")).unwrap();
    let tree = world.tree();
    let snapshot = Snapshot::new(tree.clone(), std::sync::Arc::new(world.blobs));
    store.put_snapshot(&snapshot).unwrap();
    let dir = home.path().join("world");
    let options = MaterialiseOptions { clock: Some(CLOCK) };
    let mut written = materialise(&tree, &store, &dir, &options).unwrap();
    written.settle().unwrap();
    Copy {
        dir,
        store,
        tree,
        written,
        _home: home,
    }
}

impl Copy {
    fn capture(&self, clock: Option<i64>) -> Captured {
        let options = CaptureOptions {
            base: Some((&self.tree, &self.written)),
            clock,
            ..CaptureOptions::default()
        };
        let captured = capture_counted(&self.dir, &self.store, &options).unwrap();
        let options = CaptureOptions {
            clock,
            ..CaptureOptions::default()
        };
        let plain = capture(&self.dir, &self.store, &options).unwrap();
        for (path, file) in captured.tree.files() {
            let same = plain.get(&path).unwrap().as_file().unwrap();
            assert_eq!(file.content, same.content, "{path}");
            assert_eq!(file.executable, same.executable, "{path}");
        }
        captured
    }

    fn modified(&self, at: &str, clock: Option<i64>) -> Option<i64> {
        let tree = self.capture(clock).tree;
        tree.get(&path(at)).unwrap().as_file().unwrap().modified
    }
}

fn set_time(file: &std::path::Path, seconds: u64) {
    let file = fs::File::options().write(true).open(file).unwrap();
    file.set_modified(UNIX_EPOCH + Duration::from_secs(seconds))
        .unwrap();
}

#[test]
fn only_what_was_touched_is_hashed() {
    let copy = copy();
    let captured = copy.capture(None);
    assert_eq!(captured.hashed, 0);
    assert_eq!(captured.tree, copy.tree);

    fs::write(copy.dir.join("d0/f0"), "CONTENT 0").unwrap();
    fs::write(copy.dir.join("new"), "new").unwrap();
    fs::remove_file(copy.dir.join("d1/f1")).unwrap();
    fs::rename(copy.dir.join("d2/f2"), copy.dir.join("moved")).unwrap();
    let captured = copy.capture(None);
    assert_eq!(captured.hashed, 3, "edited, new and moved");
    let content = |at: &str| captured.tree.get(&path(at)).map(|node| node.digest());
    assert_eq!(
        content("d0/f0"),
        Some(mcpmark_snapshot::Digest::of(b"CONTENT 0"))
    );
    assert_eq!(
        content("moved"),
        copy.tree.get(&path("d2/f2")).map(|n| n.digest())
    );
    assert_eq!(content("d1/f1"), None);
}

#[test]
fn same_length_and_restored_time_do_not_hide_a_change() {
    let copy = copy();
    let file = copy.dir.join("d0/f0");
    fs::write(&file, "CONTENT 0").unwrap();
    set_time(&file, CLOCK as u64);
    let captured = copy.capture(Some(CLOCK));
    assert_eq!(captured.hashed, 1);
    assert_ne!(captured.tree.digest(), copy.tree.digest());
}

#[test]
fn files_written_in_the_last_tick_are_read_again() {
    let copy = copy();
    let again = copy.dir.with_file_name("again");
    let options = MaterialiseOptions { clock: Some(CLOCK) };
    let written = materialise(&copy.tree, &copy.store, &again, &options).unwrap();
    // Without a wait for the clock, files may be of its last tick, and a change within this tick must be detected as
    // well.
    fs::write(again.join("old"), "FROM THE PAST").unwrap();
    set_time(&again.join("old"), 1_000);
    let options = CaptureOptions {
        base: Some((&copy.tree, &written)),
        clock: Some(CLOCK),
        ..CaptureOptions::default()
    };
    let captured = capture_counted(&again, &copy.store, &options).unwrap();
    assert!(captured.hashed >= 1);
    let digest = captured.tree.get(&path("old")).unwrap().digest();
    assert_eq!(digest, mcpmark_snapshot::Digest::of(b"FROM THE PAST"));
}

#[test]
fn a_store_that_lacks_the_blob_gets_it() {
    let copy = copy();
    let other = Store::open(copy.dir.with_file_name("other")).unwrap();
    let options = CaptureOptions {
        base: Some((&copy.tree, &copy.written)),
        ..CaptureOptions::default()
    };
    let captured = capture_counted(&copy.dir, &other, &options).unwrap();
    assert_eq!(captured.hashed, copy.written.len());
    let snapshot = other.snapshot(&captured.tree.digest()).unwrap();
    assert_eq!(snapshot.read(&path("old")).unwrap(), b"from the past");
}

#[test]
fn times_on_disk_are_ignored_without_a_clock() {
    let copy = copy();
    set_time(&copy.dir.join("old"), 77);
    set_time(&copy.dir.join("d0/f0"), 77);
    assert_eq!(copy.modified("old", None), Some(1_000));
    assert_eq!(copy.modified("d0/f0", None), None);
    fs::write(copy.dir.join("old"), "edited").unwrap();
    assert_eq!(copy.modified("old", None), None);
}

#[test]
fn times_on_disk_count_with_a_clock() {
    let copy = copy();
    for (at, time) in [
        ("old", CLOCK as u64),
        ("d0/f0", 77),
        ("d0/f3", CLOCK as u64),
    ] {
        fs::write(copy.dir.join(at), "edited").unwrap();
        set_time(&copy.dir.join(at), time);
    }
    assert_eq!(copy.modified("old", Some(CLOCK)), None);
    assert_eq!(copy.modified("d0/f0", Some(CLOCK)), Some(77));
    assert_eq!(copy.modified("d0/f3", Some(CLOCK)), None);

    // Writing the same content again is not a change, regardless of the time.
    fs::write(copy.dir.join("old"), "from the past").unwrap();
    assert_eq!(copy.modified("old", Some(CLOCK)), Some(1_000));
    // The executable bit is a change.
    let mode = fs::Permissions::from_mode(0o755);
    fs::set_permissions(copy.dir.join("old"), mode).unwrap();
    set_time(&copy.dir.join("old"), 88);
    assert_eq!(copy.modified("old", Some(CLOCK)), Some(88));
}
