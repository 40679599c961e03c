//! Tests of the export and import of states.

use std::sync::Arc;

use mcpmark_snapshot::{File, MemoryBlobs, Snapshot, TreeBuilder, TreePath};
use proptest::prelude::*;

use super::*;

/// Entries of an archive, as names and contents.
type Entries = Vec<(String, Vec<u8>)>;

const BOUNDS: Bounds = Bounds {
    entries: 1000,
    bytes: 1 << 20,
};

fn path(text: &str) -> TreePath {
    TreePath::parse(text).unwrap()
}

/// Returns a tree with all kinds of entries.
fn sample() -> Snapshot {
    let blobs = MemoryBlobs::new();
    let mut builder = TreeBuilder::new();
    for (name, text, executable, modified) in [
        ("a/b/run.sh", "echo", true, None),
        ("a/same", "same", false, Some(7)),
        ("same", "same", false, Some(-7)),
        ("nothing", "", false, None),
    ] {
        let content = blobs.put(text);
        let size = text.len() as u64;
        let file = File {
            size,
            executable,
            modified,
            content,
        };
        builder.insert_file(&path(name), file).unwrap();
    }
    builder.insert_symlink(&path("a/link"), "../same").unwrap();
    builder.create_directory(&path("empty")).unwrap();
    Snapshot::new(builder.finish(), Arc::new(blobs))
}

fn store() -> (tempfile::TempDir, Store) {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::open(dir.path().join("store")).unwrap();
    (dir, store)
}

fn packed() -> (Vec<u8>, Snapshot, Digest) {
    let (_dir, store) = store();
    let snapshot = sample();
    store.put_snapshot(&snapshot).unwrap();
    let loose = store.put(b"loose").unwrap();
    let mut bytes = Vec::new();
    let written = write(&store, &[snapshot.digest()], &[loose], &mut bytes).unwrap();
    // The table of contents, three files with distinct content, the other blob, and four directories.
    assert_eq!(written.entries, 9);
    (bytes, snapshot, loose)
}

/// Builds a compressed archive of the given entries.
fn stream(entries: &[(String, Vec<u8>)]) -> Vec<u8> {
    let mut archive = Writer::new(Vec::new());
    for (name, bytes) in entries {
        archive.file(name, bytes).unwrap();
    }
    zstd::encode_all(&archive.finish().unwrap()[..], 1).unwrap()
}

fn entries(bytes: &[u8]) -> Entries {
    let plain = zstd::decode_all(bytes).unwrap();
    let mut archive = Reader::new(&plain[..], BOUNDS);
    let mut entries = Vec::new();
    while let Some(entry) = archive.next().unwrap() {
        entries.push((entry.name, rest(&mut archive).unwrap()));
    }
    entries
}

fn refusal(bytes: &[u8]) -> String {
    let (_dir, store) = store();
    let error = read(bytes, BOUNDS, &store).unwrap_err();
    assert!(!error.is_infrastructure());
    assert_eq!(store.blobs().unwrap(), [], "{error}");
    let mut told = error.to_string();
    let mut source = std::error::Error::source(&error);
    while let Some(cause) = source {
        told.push_str(&format!(": {cause}"));
        source = cause.source();
    }
    told
}

#[test]
fn states_come_back_as_they_were() {
    let (bytes, snapshot, loose) = packed();
    assert_eq!(packed().0, bytes);
    let (_dir, store) = store();
    let contents = read(&bytes[..], BOUNDS, &store).unwrap();
    assert_eq!(
        (&contents.trees[..], &contents.blobs[..]),
        (&[snapshot.digest()][..], &[loose][..])
    );
    let tree = store.load_tree(&snapshot.digest()).unwrap();
    assert_eq!(tree, snapshot.tree);
    for (_, file) in tree.files() {
        assert_eq!(store.read(&file.content).unwrap().len() as u64, file.size);
    }
    assert_eq!(store.read(&loose).unwrap(), b"loose");
}

#[test]
fn each_byte_that_flips_is_noticed_or_harmless() {
    let (bytes, snapshot, _) = packed();
    for at in 0..bytes.len() {
        let mut bytes = bytes.clone();
        bytes[at] ^= 0x11;
        let (_dir, store) = store();
        if read(&bytes[..], BOUNDS, &store).is_ok() {
            assert_eq!(
                store.load_tree(&snapshot.digest()).unwrap(),
                snapshot.tree,
                "{at}"
            );
        } else {
            assert_eq!(store.blobs().unwrap(), [], "{at}");
        }
    }
    for length in 0..bytes.len() {
        refusal(&bytes[..length]);
    }
}

#[test]
fn errors_are_named_and_nothing_is_kept() {
    let (bytes, ..) = packed();
    let sound = entries(&bytes);
    let (_dir, kept) = store();
    assert!(read(&stream(&sound)[..], BOUNDS, &kept).is_ok());
    let changed = |change: &dyn Fn(&mut Entries)| {
        let mut entries = sound.clone();
        change(&mut entries);
        refusal(&stream(&entries))
    };
    let first_blob = sound
        .iter()
        .position(|(name, _)| name.starts_with("blobs/"))
        .unwrap();
    let last = sound.len() - 1;
    for more in [&b"more"[..], &bytes] {
        let told = refusal(&[&bytes, more].concat());
        assert!(told.contains("unexpected data after the end"), "{told}");
    }
    for (told, word) in [
        (changed(&|all| drop(all.remove(0))), "not the first entry"),
        (
            changed(&|all| all[0].1 = b"{".to_vec()),
            "invalid \"states.json\"",
        ),
        (
            changed(&|all| all[0].1 = br#"{"schema":2}"#.to_vec()),
            "schema 2",
        ),
        (changed(&|all| drop(all.remove(first_blob))), "is missing"),
        (
            changed(&|all| drop(all.remove(first_blob + 1))),
            "file sha256:",
        ),
        (changed(&|all| drop(all.remove(last))), "tree sha256:"),
        (changed(&|all| all.swap(first_blob + 1, last)), "is missing"),
        (
            changed(&|all| all[first_blob].1.push(b'!')),
            "has the digest",
        ),
        (
            changed(&|all| all[last].1.push(b'!')),
            "is not the encoding of a directory",
        ),
        (
            changed(&|all| all[first_blob].0 = "blobs/xyz".into()),
            "unknown entry",
        ),
        (
            changed(&|all| all[first_blob].0 = "../x".into()),
            "invalid path",
        ),
        (
            changed(&|all| all.push(("more".into(), Vec::new()))),
            "unknown entry",
        ),
        (changed(&|all| all.push(all[1].clone())), "occurs twice"),
    ] {
        assert!(told.contains(word), "{word}: {told}");
    }
}

#[test]
fn bombs_are_refused_at_their_bounds() {
    let zeros = io::repeat(0).take(64 << 20);
    let mut archive = Vec::new();
    let head = mcpmark_json::canonical(&json!({"schema": 1, "trees": [], "blobs": []}));
    let mut writer = Writer::new(&mut archive);
    writer.file(HEAD, head.as_bytes()).unwrap();
    writer.file("blobs/00", &[]).unwrap();
    // A blob whose header states 64 MiB.
    let at = archive.len() - 512;
    archive[at + 124..at + 135].copy_from_slice(b"00400000000");
    let sum: u64 = (0..512)
        .map(|n| {
            if (148..156).contains(&n) {
                32
            } else {
                u64::from(archive[at + n])
            }
        })
        .sum();
    archive[at + 148..at + 156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    let bomb = zstd::encode_all(archive.chain(zeros), 1).unwrap();
    assert!(bomb.len() < 20_000);
    assert!(refusal(&bomb).contains("more than 1048576 bytes"));

    let many: Vec<_> = std::iter::once((HEAD.to_owned(), head.into_bytes()))
        .chain((0..1001_u32).map(|n| {
            let bytes = n.to_string().into_bytes();
            (format!("blobs/{}", Digest::of(&bytes).hex()), bytes)
        }))
        .collect();
    assert!(refusal(&stream(&many)).contains("more than 1000 entries"));

    // A window that requires 128 MiB for decompression.
    let mut encoder = zstd::Encoder::new(Vec::new(), 1).unwrap();
    encoder.window_log(27).unwrap();
    encoder.write_all(&[0; 100_000]).unwrap();
    let wide = encoder.finish().unwrap();
    assert!(refusal(&wide).contains("cannot read the archive"));
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..500)) {
        refusal(&bytes);
    }
}
