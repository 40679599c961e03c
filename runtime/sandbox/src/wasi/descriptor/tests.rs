//! Results of each file system operation on each kind of node.

use std::sync::Arc;

use mcpmark_snapshot::{File, MemoryBlobs, Snapshot, TreeBuilder, TreePath};

use super::super::bindings::wasi::clocks::monotonic_clock::Host as _;
use super::super::bindings::wasi::filesystem::preopens::Host as _;
use super::super::bindings::wasi::filesystem::types::{HostDescriptor, HostDirectoryEntryStream};
use super::super::bindings::wasi::io::poll::{Host as _, HostPollable};
use super::super::bindings::wasi::io::streams::{HostInputStream, StreamError};
use super::super::clock::Pollable;
use super::super::host::{HasWasi, ScriptHost};
use super::*;
use crate::limits::Allowed;
use crate::{GuestKind, Limits, Mount, ScriptInput};

const FOLLOW: PathFlags = PathFlags::SYMLINK_FOLLOW;

fn host() -> WasiHost<'static> {
    let blobs = MemoryBlobs::new();
    let mut tree = TreeBuilder::new();
    let path = |text: &str| TreePath::parse(text).unwrap();
    for (name, bytes, modified) in [("a.txt", &b"alpha"[..], Some(77)), ("d/b.txt", b"b", None)] {
        let file = File {
            size: bytes.len() as u64,
            executable: false,
            modified,
            content: blobs.put(bytes),
        };
        tree.insert_file(&path(name), file).unwrap();
    }
    for (name, target) in [
        ("link", "a.txt"),
        ("dir", "d"),
        ("dangling", "nothing"),
        ("loop", "loop"),
    ] {
        tree.insert_symlink(&path(name), target).unwrap();
    }
    let input = ScriptInput {
        script: String::new(),
        arguments: Vec::new(),
        environment: Vec::new(),
        mounts: vec![Mount {
            name: "state".into(),
            snapshot: Snapshot::new(tree.finish(), Arc::new(blobs)),
        }],
        clock: 1_000,
        seed: 0,
        services: None,
    };
    let allowed = Allowed::new(GuestKind::Verifier, &Limits::SCRIPT, &Limits::CEILING);
    // Each test has one host, which lives as long as the process.
    Box::leak(Box::new(ScriptHost::new(allowed, &input))).wasi()
}

fn open(host: &mut WasiHost, path: &str) -> Descriptor {
    let root = root(host);
    let flags = DescriptorFlags::READ;
    let opened = host.open_at(root, FOLLOW, path.into(), OpenFlags::empty(), flags);
    opened.unwrap().unwrap()
}

fn root(host: &mut WasiHost) -> Descriptor {
    host.get_directories().unwrap().remove(0).0
}

fn same(descriptor: &Descriptor) -> Descriptor {
    Resource::new_own(descriptor.rep())
}

/// Returns the error of a refused operation.
fn refused<T>(answer: Answer<T>) -> Option<ErrorCode> {
    answer.unwrap().err()
}

type Operation = fn(&mut WasiHost, Descriptor, String) -> Option<ErrorCode>;

fn opening(
    path: PathFlags,
    open: OpenFlags,
    flags: DescriptorFlags,
) -> impl Fn(&mut WasiHost, Descriptor, String) -> Option<ErrorCode> {
    move |host, base, name| refused(host.open_at(base, path, name, open, flags))
}

#[test]
fn each_operation_on_each_place() {
    use ErrorCode::{Exist, Invalid, IsDirectory, Loop, NoEntry, NotDirectory, ReadOnly};

    const NEW: NewTimestamp = NewTimestamp::Now;
    let operations: [(&str, Operation, [Option<ErrorCode>; 6]); 17] = [
        (
            "stat",
            |h, b, p| refused(h.stat_at(b, FOLLOW, p)),
            [None, None, None, None, Some(NoEntry), Some(NoEntry)],
        ),
        (
            "stat the link",
            |h, b, p| refused(h.stat_at(b, PathFlags::empty(), p)),
            [None, None, None, None, None, Some(NoEntry)],
        ),
        (
            "hash",
            |h, b, p| refused(h.metadata_hash_at(b, FOLLOW, p)),
            [None, None, None, None, Some(NoEntry), Some(NoEntry)],
        ),
        (
            "open",
            |h, b, p| opening(FOLLOW, OpenFlags::empty(), DescriptorFlags::READ)(h, b, p),
            [None, None, None, None, Some(NoEntry), Some(NoEntry)],
        ),
        (
            "open the link",
            |h, b, p| {
                opening(
                    PathFlags::empty(),
                    OpenFlags::empty(),
                    DescriptorFlags::READ,
                )(h, b, p)
            },
            [
                None,
                None,
                Some(Loop),
                Some(Loop),
                Some(Loop),
                Some(NoEntry),
            ],
        ),
        (
            "open a directory",
            |h, b, p| opening(FOLLOW, OpenFlags::DIRECTORY, DescriptorFlags::READ)(h, b, p),
            [
                Some(NotDirectory),
                None,
                Some(NotDirectory),
                None,
                Some(NoEntry),
                Some(NoEntry),
            ],
        ),
        (
            "open or create",
            |h, b, p| opening(FOLLOW, OpenFlags::CREATE, DescriptorFlags::READ)(h, b, p),
            [
                None,
                Some(IsDirectory),
                None,
                Some(IsDirectory),
                Some(ReadOnly),
                Some(ReadOnly),
            ],
        ),
        (
            "create anew",
            |h, b, p| {
                let open = OpenFlags::CREATE | OpenFlags::EXCLUSIVE;
                opening(FOLLOW, open, DescriptorFlags::WRITE)(h, b, p)
            },
            [
                Some(Exist),
                Some(Exist),
                Some(Exist),
                Some(Exist),
                Some(Exist),
                Some(ReadOnly),
            ],
        ),
        (
            "open and empty",
            |h, b, p| opening(FOLLOW, OpenFlags::TRUNCATE, DescriptorFlags::WRITE)(h, b, p),
            [
                Some(ReadOnly),
                Some(IsDirectory),
                Some(ReadOnly),
                Some(IsDirectory),
                Some(NoEntry),
                Some(NoEntry),
            ],
        ),
        (
            "open to write",
            |h, b, p| opening(FOLLOW, OpenFlags::empty(), DescriptorFlags::WRITE)(h, b, p),
            [
                Some(ReadOnly),
                Some(IsDirectory),
                Some(ReadOnly),
                Some(IsDirectory),
                Some(NoEntry),
                Some(NoEntry),
            ],
        ),
        (
            "read the link",
            |h, b, p| refused(h.readlink_at(b, p)),
            [
                Some(Invalid),
                Some(Invalid),
                None,
                None,
                None,
                Some(NoEntry),
            ],
        ),
        (
            "make a directory",
            |h, b, p| refused(h.create_directory_at(b, p)),
            [
                Some(Exist),
                Some(Exist),
                Some(Exist),
                Some(Exist),
                Some(Exist),
                Some(ReadOnly),
            ],
        ),
        (
            "make a link",
            |h, b, p| refused(h.symlink_at(b, "a.txt".into(), p)),
            [
                Some(Exist),
                Some(Exist),
                Some(Exist),
                Some(Exist),
                Some(Exist),
                Some(ReadOnly),
            ],
        ),
        (
            "remove",
            |h, b, p| refused(h.unlink_file_at(b, p)),
            [
                Some(ReadOnly),
                Some(ReadOnly),
                Some(ReadOnly),
                Some(ReadOnly),
                Some(ReadOnly),
                Some(NoEntry),
            ],
        ),
        (
            "rename",
            |h, b, p| refused(h.rename_at(same(&b), p, b, "state/new".into())),
            [
                Some(ReadOnly),
                Some(ReadOnly),
                Some(ReadOnly),
                Some(ReadOnly),
                Some(ReadOnly),
                Some(NoEntry),
            ],
        ),
        (
            "link to",
            |h, b, p| refused(h.link_at(same(&b), PathFlags::empty(), p, b, "state/new".into())),
            [
                Some(ReadOnly),
                Some(ReadOnly),
                Some(ReadOnly),
                Some(ReadOnly),
                Some(ReadOnly),
                Some(NoEntry),
            ],
        ),
        (
            "set times",
            |h, b, p| refused(h.set_times_at(b, FOLLOW, p, NEW, NEW)),
            [
                Some(ReadOnly),
                Some(ReadOnly),
                Some(ReadOnly),
                Some(ReadOnly),
                Some(NoEntry),
                Some(NoEntry),
            ],
        ),
    ];
    const PLACES: [&str; 6] = ["a.txt", "d", "link", "dir", "dangling", "missing"];
    let mut host = host();
    for (name, operation, expected) in operations {
        for (place, expected) in PLACES.iter().zip(expected) {
            let root = root(&mut host);
            let said = operation(&mut host, root, format!("state/{place}"));
            assert_eq!(said, expected, "{name}: {place}");
        }
        // Every operation on a path through a symlink loop, through a file or out of the root fails with the same
        // error.
        let root = root(&mut host);
        let said = operation(&mut host, same(&root), "state/loop/x".into());
        assert_eq!(said, Some(Loop), "{name}: state/loop/x");
        let said = operation(&mut host, same(&root), "state/a.txt/x".into());
        assert_eq!(said, Some(NotDirectory), "{name}: state/a.txt/x");
        let said = operation(&mut host, root, "../x".into());
        assert_eq!(said, Some(ErrorCode::NotPermitted), "{name}: ../x");
    }
}

#[test]
fn a_slash_at_the_end_asks_for_a_directory() {
    let mut host = host();
    for (path, follow, expected) in [
        ("state/d/", true, None),
        ("state/d//", false, None),
        ("state/dir/", false, None),
        ("state/a.txt/", true, Some(ErrorCode::NotDirectory)),
        ("state/link/", false, Some(ErrorCode::NotDirectory)),
        ("state/dangling/", false, Some(ErrorCode::NoEntry)),
        ("state/missing/", true, Some(ErrorCode::NoEntry)),
    ] {
        let flags = if follow { FOLLOW } else { PathFlags::empty() };
        let root = root(&mut host);
        let stat = host.stat_at(root, flags, path.into()).unwrap();
        let found = stat.as_ref().err();
        assert_eq!(found, expected.as_ref(), "{path}");
        if let Ok(stat) = stat {
            assert_eq!(stat.type_, DescriptorType::Directory, "{path}");
        }
    }
    let root = root(&mut host);
    let made = host.create_directory_at(root, "state/missing/".into());
    assert_eq!(refused(made), Some(ErrorCode::ReadOnly));
}

#[test]
fn each_operation_on_what_is_open() {
    use ErrorCode::{BadDescriptor, IsDirectory, NotDirectory, ReadOnly};
    let mut host = host();
    let (file, dir) = (open(&mut host, "state/link"), open(&mut host, "state/dir"));
    let now = NewTimestamp::Now;
    type Use = fn(&mut WasiHost, Descriptor, NewTimestamp) -> Option<ErrorCode>;
    let uses: [(&str, Use, [Option<ErrorCode>; 2]); 11] = [
        (
            "read",
            |h, d, _| refused(HostDescriptor::read(h, d, 1, 0)),
            [None, Some(IsDirectory)],
        ),
        (
            "list",
            |h, d, _| refused(h.read_directory(d)),
            [Some(NotDirectory), None],
        ),
        (
            "read on",
            |h, d, _| refused(h.read_via_stream(d, 0)),
            [None, Some(IsDirectory)],
        ),
        (
            "write",
            |h, d, _| refused(h.write(d, vec![1], 0)),
            [Some(BadDescriptor); 2],
        ),
        (
            "write on",
            |h, d, _| refused(h.write_via_stream(d, 0)),
            [Some(BadDescriptor); 2],
        ),
        (
            "append",
            |h, d, _| refused(h.append_via_stream(d)),
            [Some(BadDescriptor); 2],
        ),
        (
            "cut",
            |h, d, _| refused(h.set_size(d, 0)),
            [Some(ReadOnly); 2],
        ),
        (
            "set times",
            |h, d, now| refused(h.set_times(d, now, now)),
            [Some(ReadOnly); 2],
        ),
        ("sync", |h, d, _| refused(h.sync(d)), [None; 2]),
        ("sync data", |h, d, _| refused(h.sync_data(d)), [None; 2]),
        (
            "advise",
            |h, d, _| refused(h.advise(d, 0, 1, Advice::Normal)),
            [None; 2],
        ),
    ];
    for (name, operation, expected) in uses {
        for (descriptor, expected) in [&file, &dir].into_iter().zip(expected) {
            let said = operation(&mut host, same(descriptor), now);
            assert_eq!(said, expected, "{name}");
        }
    }
    for (descriptor, kind, size, time) in [
        (&file, DescriptorType::RegularFile, 5, 77),
        (&dir, DescriptorType::Directory, DIRECTORY_SIZE, 1_000),
    ] {
        let stat = host.stat(same(descriptor)).unwrap().unwrap();
        assert_eq!((stat.type_, stat.size), (kind, size));
        let modified = stat.data_modification_timestamp.unwrap();
        assert_eq!((modified.seconds, modified.nanoseconds), (time, 0));
        assert_eq!(host.get_type(same(descriptor)).unwrap().unwrap(), kind);
        let flags = host.get_flags(same(descriptor)).unwrap().unwrap();
        assert_eq!(flags, DescriptorFlags::READ);
    }
    // A closed descriptor is invalid. Using it stops the guest, not the host.
    HostDescriptor::drop(&mut host, same(&file)).unwrap();
    assert!(host.stat(file).is_err());
}

#[test]
fn reads_end_where_the_file_does() {
    let mut host = host();
    let file = open(&mut host, "state/a.txt");
    for (length, offset, bytes, end) in [
        (2, 0, "al", false),
        (5, 0, "alpha", true),
        (9, 3, "ha", true),
        (1, 5, "", true),
        (9, 6, "", true),
        (u64::MAX, u64::MAX, "", true),
        (0, 0, "", false),
    ] {
        let read = HostDescriptor::read(&mut host, same(&file), length, offset);
        let read = read.unwrap().unwrap();
        assert_eq!(read, (bytes.into(), end), "{length} from {offset}");
    }
    for (offset, rest) in [(3, "ha"), (5, ""), (u64::MAX, "")] {
        let stream = host.read_via_stream(same(&file), offset).unwrap().unwrap();
        let again = Resource::new_own(stream.rep());
        match host.blocking_read(stream, 9).unwrap() {
            Ok(bytes) => assert_eq!(bytes, rest.as_bytes()),
            Err(error) => assert!(matches!(error, StreamError::Closed) && rest.is_empty()),
        }
        let at_end = HostInputStream::read(&mut host, again, 9).unwrap();
        assert!(matches!(at_end, Err(StreamError::Closed)), "from {offset}");
    }
    let dir = open(&mut host, "state");
    let listing = host.read_directory(dir).unwrap().unwrap();
    let mut names = Vec::new();
    let again = || Resource::new_own(listing.rep());
    while let Some(entry) = host.read_directory_entry(again()).unwrap().unwrap() {
        names.push(entry.name);
    }
    assert_eq!(names, ["a.txt", "d", "dangling", "dir", "link", "loop"]);
    assert!(
        host.read_directory_entry(again())
            .unwrap()
            .unwrap()
            .is_none()
    );
}

#[test]
fn a_place_is_itself_however_one_came_there() {
    let mut host = host();
    let paths = [
        "state/a.txt",
        "state/link",
        "state/d/../a.txt",
        "state/d/b.txt",
    ];
    let opened = paths.map(|path| open(&mut host, path));
    for (path, other) in paths.iter().zip(&opened) {
        let is_same = host.is_same_object(same(&opened[0]), same(other)).unwrap();
        assert_eq!(is_same, *path != "state/d/b.txt", "{path}");
        let hash = |host: &mut WasiHost, descriptor: &Descriptor| {
            let hash = host.metadata_hash(same(descriptor)).unwrap().unwrap();
            (hash.lower, hash.upper)
        };
        let hashes = (hash(&mut host, &opened[0]), hash(&mut host, other));
        assert_eq!(hashes.0 == hashes.1, is_same, "{path}");
        // The hash is the same by path, and in another grade.
        let mut later = self::host();
        let root = root(&mut later);
        let found = later.metadata_hash_at(root, FOLLOW, (*path).into());
        let found = found.unwrap().unwrap();
        assert_eq!((found.lower, found.upper), hashes.1, "{path}");
    }
    let root = root(&mut host);
    let mut hash = |flags| {
        let hash = host.metadata_hash_at(same(&root), flags, "state/link".into());
        hash.unwrap().unwrap().lower
    };
    assert_ne!(hash(FOLLOW), hash(PathFlags::empty()));
}

#[test]
fn nothing_is_made_beside_the_mounts_either() {
    use ErrorCode::{NameTooLong, NoEntry, NotDirectory, ReadOnly};
    let long = "x".repeat(256);
    let mut host = host();
    for (path, refusal) in [
        ("new", ReadOnly),
        ("tmp/new", ReadOnly),
        ("var/tmp/deep/new", ReadOnly),
        ("state/../tmp/new", ReadOnly),
        ("state/missing/new", NoEntry),
        ("state/dangling/new", NoEntry),
        ("state/a.txt/new", NotDirectory),
        (&long, NameTooLong),
        (&format!("state/{long}"), NameTooLong),
        (&format!("state/{}", &long[1..]), ReadOnly),
    ] {
        let root = root(&mut host);
        let (create, write) = (OpenFlags::CREATE, DescriptorFlags::WRITE);
        let opened = opening(FOLLOW, create, write)(&mut host, same(&root), path.into());
        assert_eq!(opened, Some(refusal), "{path}");
        let made = refused(host.create_directory_at(same(&root), path.into()));
        assert_eq!(made, Some(refusal), "{path}");
        let linked = refused(host.symlink_at(same(&root), "a.txt".into(), path.into()));
        assert_eq!(linked, Some(refusal), "{path}");
        // Relative to a directory below the root, a missing parent is an ordinary error.
        let state = open(&mut host, "state");
        let opened = opening(FOLLOW, create, write)(&mut host, state, "tmp/new".into());
        assert_eq!(opened, Some(NoEntry), "{path}");
        assert!(host.stat_at(root, FOLLOW, path.into()).unwrap().is_err());
    }
}

#[test]
fn to_wait_for_what_has_passed_takes_time_too() {
    let mut host = host();
    let ready = host.pollable(Pollable::Ready).unwrap();
    let start = host.now().unwrap();
    for _ in 0..1_000 {
        host.block(Resource::new_own(ready.rep())).unwrap();
    }
    assert!(host.now().unwrap() - start < 1_000_000);
    let mut waits = 0_u32;
    loop {
        let nothing = host.subscribe_duration(0).unwrap();
        let own = Resource::new_own(nothing.rep());
        let waited = host.poll(vec![own]);
        HostPollable::drop(&mut host, nothing).unwrap();
        match waited {
            Ok(ready) => assert_eq!(ready, [0]),
            Err(_) => break,
        }
        waits += 1;
    }
    assert!((1_000..=3_600_000).contains(&waits), "{waits}");
}

#[test]
fn a_poll_waits_for_the_first_event_and_no_longer() {
    const SECOND: u64 = 1_000_000_000;
    let mut host = host();
    let start = host.now().unwrap();
    let late = host.subscribe_duration(9 * SECOND).unwrap();
    let soon = host.subscribe_instant(start + SECOND).unwrap();
    let ready = host.pollable(Pollable::Ready).unwrap();
    let own = |pollable: &Resource<Pollable>| Resource::new_own(pollable.rep());

    let all = vec![own(&late), own(&ready), own(&soon)];
    assert_eq!(host.poll(all).unwrap(), [1]);
    assert!(!host.ready(own(&soon)).unwrap());
    assert_eq!(host.poll(vec![own(&late), own(&soon)]).unwrap(), [1]);
    let passed = host.now().unwrap() - start;
    assert!((SECOND..2 * SECOND).contains(&passed), "{passed}");
    host.block(own(&late)).unwrap();
    assert_eq!(host.poll(vec![own(&late), own(&soon)]).unwrap(), [0, 1]);
    assert!(host.poll(Vec::new()).is_err());
    HostPollable::drop(&mut host, late).unwrap();
    assert!(host.poll(vec![ready, soon]).is_ok());
}
