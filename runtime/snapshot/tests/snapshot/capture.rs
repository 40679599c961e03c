//! Entries that a tree cannot contain, and states that an agent may leave.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::PathBuf;

use mcpmark_snapshot::{CaptureError, CaptureOptions, Scratch, Snapshot, Store, Tree, capture};

use crate::trees::path;

struct Place {
    world: PathBuf,
    store: Store,
    _home: Scratch,
}

impl Place {
    fn new() -> Self {
        let home = Scratch::new(&std::env::temp_dir()).unwrap();
        let world = home.path().join("world");
        fs::create_dir_all(world.join("sub")).unwrap();
        fs::write(world.join("sub/file"), "content").unwrap();
        Self {
            world,
            store: Store::open(home.path().join("store")).unwrap(),
            _home: home,
        }
    }

    fn with(&self, options: &CaptureOptions<'_>) -> Result<Tree, CaptureError> {
        capture(&self.world, &self.store, options)
    }

    fn capture(&self) -> Result<Tree, CaptureError> {
        self.with(&CaptureOptions::default())
    }

    /// Returns the message of a refused capture, which must leave nothing in the store.
    fn refusal(&self) -> String {
        let error = self.capture().unwrap_err();
        for part in ["blobs", "tmp"] {
            let left = fs::read_dir(self.store.path().join(part)).unwrap().count();
            assert_eq!(left, 0, "left in {part}");
        }
        error.to_string()
    }
}

#[test]
fn sockets_pipes_and_devices() {
    let place = Place::new();
    let socket = UnixListener::bind(place.world.join("sub/sock")).unwrap();
    assert_eq!(
        place.refusal(),
        "\"sub/sock\" is a socket; a world can contain only files, directories and symlinks"
    );
    drop(socket);
    fs::remove_file(place.world.join("sub/sock")).unwrap();

    let pipe = place.world.join("pipe");
    let mode = rustix::fs::Mode::from_raw_mode(0o600);
    rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, mode, 0).unwrap();
    assert!(place.refusal().starts_with("\"pipe\" is a pipe;"));
}

#[test]
fn names_that_are_not_utf8() {
    let place = Place::new();
    let bad = place
        .world
        .join("sub")
        .join(OsStr::from_bytes(b"caf\xe9\n"));
    fs::write(&bad, "x").unwrap();
    assert_eq!(
        place.refusal(),
        "the name of \"sub/caf\\xe9\\n\" is not UTF-8"
    );
    fs::remove_file(bad).unwrap();

    symlink(OsStr::from_bytes(b"\xff"), place.world.join("link")).unwrap();
    assert_eq!(
        place.refusal(),
        "the target of symlink \"link\" is not UTF-8"
    );
}

#[test]
fn symlinks_that_lead_outside() {
    for (at, target) in [
        ("sub/link", "../../secret"),
        ("link", "/etc/passwd"),
        ("link", ".."),
    ] {
        let place = Place::new();
        symlink(target, place.world.join(at)).unwrap();
        assert_eq!(
            place.refusal(),
            format!("symlink {at:?} points outside the world (to {target:?})")
        );
    }
    // Each target stays inside as text, but the combination leads outside.
    let place = Place::new();
    symlink("..", place.world.join("sub/up")).unwrap();
    symlink("sub/up/../secret", place.world.join("link")).unwrap();
    assert!(
        place
            .refusal()
            .starts_with("symlink \"link\" points outside")
    );
}

#[test]
fn symlinks_that_stay_inside_are_text() {
    let place = Place::new();
    symlink("missing", place.world.join("dangling")).unwrap();
    symlink("sub", place.world.join("dir")).unwrap();
    symlink("loop", place.world.join("loop")).unwrap();
    symlink("../sub//./file", place.world.join("sub/long")).unwrap();
    let tree = place.capture().unwrap();
    let target = |at: &str| {
        let link = tree.get(&path(at)).unwrap().as_symlink().unwrap();
        link.target.clone()
    };
    assert_eq!(target("dangling"), "missing");
    assert_eq!(target("dir"), "sub");
    assert_eq!(target("loop"), "loop");
    assert_eq!(target("sub/long"), "../sub//./file");
    assert_eq!(tree.get(&path("dir/file")), None);
    assert_eq!(tree.len(), 6);
}

#[test]
fn hidden_files_count() {
    let place = Place::new();
    fs::create_dir(place.world.join(".git")).unwrap();
    fs::write(place.world.join(".git/.config"), "x").unwrap();
    assert!(
        place
            .capture()
            .unwrap()
            .get(&path(".git/.config"))
            .is_some()
    );
}

#[test]
fn too_deep_and_too_long() {
    let place = Place::new();
    let deep = place.world.join(vec!["d"; 128].join("/"));
    fs::create_dir_all(&deep).unwrap();
    let tree = place.capture().unwrap();
    assert_eq!(place.store.load_tree(&tree.digest()).unwrap(), tree);
    fs::create_dir(deep.join("d")).unwrap();
    let error = place.capture().unwrap_err();
    assert!(
        error.to_string().contains("more than 128 segments"),
        "{error}"
    );
}

#[test]
fn limits_are_named() {
    let place = Place::new();
    fs::write(place.world.join("other"), "12345").unwrap();
    let files = |max_files| {
        place.with(&CaptureOptions {
            max_files,
            ..CaptureOptions::default()
        })
    };
    assert!(files(3).is_ok());
    let error = files(2).unwrap_err().to_string();
    assert_eq!(
        error,
        "more than 2 files, directories and symlinks (limit max_files)"
    );

    let bytes = |max_bytes| {
        place.with(&CaptureOptions {
            max_bytes,
            ..CaptureOptions::default()
        })
    };
    assert!(bytes(12).is_ok());
    let error = bytes(11).unwrap_err().to_string();
    assert_eq!(error, "more than 11 bytes in files (limit max_bytes)");

    // A sparse file of one terabyte is refused before it is read.
    let sparse = fs::File::create(place.world.join("sparse")).unwrap();
    sparse.set_len(1 << 40).unwrap();
    assert!(matches!(
        bytes(1 << 30),
        Err(CaptureError::TooManyBytes { .. })
    ));
}

#[test]
fn a_missing_directory_is_an_error() {
    let place = Place::new();
    let missing = place.world.join("missing");
    let error = capture(&missing, &place.store, &CaptureOptions::default()).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("cannot open directory {missing:?}")
    );
    let file = place.world.join("sub/file");
    assert!(capture(&file, &place.store, &CaptureOptions::default()).is_err());
}

#[test]
fn a_file_larger_than_the_buffer() {
    let place = Place::new();
    let bytes: Vec<u8> = (0..3_000_001_u32).map(|i| (i % 251) as u8).collect();
    fs::write(place.world.join("large"), &bytes).unwrap();
    fs::write(place.world.join("same"), &bytes).unwrap();
    fs::write(place.world.join("edge"), &bytes[..1 << 20]).unwrap();
    let tree = place.capture().unwrap();
    let snapshot = place.store.snapshot(&tree.digest()).unwrap();
    assert_eq!(snapshot.read(&path("large")).unwrap(), bytes);
    assert_eq!(snapshot.read(&path("edge")).unwrap(), bytes[..1 << 20]);
    assert_eq!(
        snapshot.read_range(&path("same"), 251, 3).unwrap(),
        [0, 1, 2]
    );
    assert_eq!(
        snapshot
            .read_range(&path("same"), 3_000_000, 9)
            .unwrap()
            .len(),
        1
    );
    assert!(
        snapshot
            .read_range(&path("same"), u64::MAX, 9)
            .unwrap()
            .is_empty()
    );
}

#[test]
fn times_with_a_fraction_are_those_of_this_machine() {
    let place = Place::new();
    let file = std::fs::File::options()
        .write(true)
        .open(place.world.join("sub/file"))
        .unwrap();
    let modified = |nanoseconds| {
        let time = std::time::UNIX_EPOCH + std::time::Duration::new(1_000, nanoseconds);
        file.set_modified(time).unwrap();
        [true, false].map(|whole_seconds| {
            let options = CaptureOptions {
                clock: Some(7),
                whole_seconds,
                ..CaptureOptions::default()
            };
            let tree = place.with(&options).unwrap();
            tree.get(&path("sub/file"))
                .unwrap()
                .as_file()
                .unwrap()
                .modified
        })
    };
    assert_eq!(modified(0), [Some(1_000), Some(1_000)]);
    assert_eq!(modified(1), [None, Some(1_000)]);
}

#[test]
fn a_snapshot_without_a_store_lives_on_when_the_directory_is_gone() {
    let place = Place::new();
    let snapshot = Snapshot::of_directory(&place.world).unwrap();
    let expected = place.capture().unwrap();
    drop(place);
    assert_eq!(snapshot.digest(), expected.digest());
    let copy = snapshot.clone();
    drop(snapshot);
    let file = path("sub/file");
    assert_eq!(copy.read(&file).unwrap(), b"content");
    assert_eq!(copy.read_range(&file, 3, 2).unwrap(), b"te");
    let Some(content) = copy.tree.get(&file).map(|node| node.digest()) else {
        panic!("it is there");
    };
    assert!(copy.blobs.contains(&content));
    let open = copy.blobs.open(&content).unwrap();
    assert_eq!(open.unwrap().metadata().unwrap().len(), 7);

    let error = Snapshot::of_directory("/no/such/directory").unwrap_err();
    assert!(matches!(error, CaptureError::Open { .. }), "{error}");
}
