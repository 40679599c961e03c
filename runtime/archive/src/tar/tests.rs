//! Tests of the tar reader and writer.

use super::*;
use proptest::prelude::*;

const BOUNDS: Bounds = Bounds {
    entries: 10,
    bytes: 10_000,
};

fn archive(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = Writer::new(Vec::new());
    for (name, bytes) in files {
        if name.ends_with('/') {
            writer.directory(name).unwrap()
        } else {
            writer.file(name, bytes).unwrap()
        }
    }
    writer.finish().unwrap()
}

/// Reads all entries of an archive.
fn read(bytes: &[u8]) -> Result<Vec<(String, Vec<u8>)>, TarError> {
    let mut reader = Reader::new(bytes, BOUNDS);
    let mut found = Vec::new();
    while let Some(entry) = reader.next()? {
        let mut content = Vec::new();
        reader.read_to_end(&mut content).map_err(TarError::Read)?;
        assert_eq!(content.len() as u64, entry.size);
        let start = entry.offset as usize;
        assert_eq!(bytes[start..start + content.len()], content);
        found.push((entry.name, content));
    }
    Ok(found)
}

fn refusal(bytes: &[u8]) -> String {
    read(bytes).unwrap_err().to_string()
}

/// Builds an archive of one file with a modified header and a valid checksum.
fn with_header(change: impl FnOnce(&mut [u8])) -> Vec<u8> {
    let mut bytes = archive(&[("a", b"x")]);
    change(&mut bytes[..BLOCK]);
    let sum = checksum(bytes[..BLOCK].try_into().unwrap());
    bytes[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    bytes
}

#[test]
fn written_archives_are_read_back() {
    let big = vec![7; 5000];
    let bytes = archive(&[("d/", b""), ("d/a", b""), ("b", b"x"), ("c", &big)]);
    let found = read(&bytes).unwrap();
    let names: Vec<_> = found.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["d", "d/a", "b", "c"]);
    assert_eq!(found[3].1, big);
    let mut streamed = Writer::new(Vec::new());
    streamed.stream("c", 5000, &big[..]).unwrap();
    assert_eq!(streamed.finish().unwrap(), archive(&[("c", &big)]));
    for size in [4999, 5001] {
        let mut writer = Writer::new(Vec::new());
        assert!(writer.stream("c", size, &big[..]).is_err());
    }
    let mut filled = bytes.clone();
    filled.resize(bytes.len() + 9 * BLOCK, 0);
    assert_eq!(read(&filled).unwrap(), found);
}

#[test]
fn unsupported_archives_are_refused_by_name() {
    for (kind, word) in [
        (b'1', "a hard link"),
        (b'2', "a symlink"),
        (b'3', "a device"),
        (b'4', "a device"),
        (b'6', "a pipe"),
        (b'x', "an extended header"),
        (b'g', "an extended header"),
        (b'L', "a long name"),
        (b'S', "a sparse file"),
        (b'?', "unknown type"),
    ] {
        let told = refusal(&with_header(|header| header[156] = kind));
        assert!(told.contains(word) && told.contains("\"a\""), "{told}");
    }
    for (name, word) in [
        ("/etc/passwd", "absolute"),
        ("../a", "'..' segment"),
        ("a/../../b", "'..' segment"),
        ("a//b", "empty"),
        ("a/", "empty"),
        (".", "'..' segment"),
        ("a\\b", "backslash"),
        ("", "empty"),
    ] {
        let bytes = with_header(|header| {
            header[..100].fill(0);
            header[..name.len()].copy_from_slice(name.as_bytes());
        });
        let told = refusal(&bytes);
        assert!(told.contains(word), "{name}: {told}");
    }
    for (change, word) in [
        (
            &(|header: &mut [u8]| header[124] = 0x80) as &dyn Fn(&mut [u8]),
            "octal",
        ),
        (&|header| header[257] = b'U', "ustar"),
        (&|header| header[0] = 0xff, "UTF-8"),
        (&|header| header[157] = b'a', "target of a link"),
        (&|header| header[156] = b'5', "has a size"),
        (
            &|header| header[124..135].fill(b'7'),
            "more than 10000 bytes",
        ),
    ] {
        let told = refusal(&with_header(|header| change(header)));
        assert!(told.contains(word), "{told}");
    }
    assert!(refusal(&archive(&[("a", b"1"), ("a", b"2")])).contains("\"a\" occurs twice"));
    for names in [
        ["a", "a/b"],
        ["a/b", "a"],
        ["a/b/c", "a/b"],
        ["a/b", "a/b/c/"],
    ] {
        let told = refusal(&archive(&names.map(|name| (name, &b""[..]))));
        assert!(told.contains("it is both a file"), "{names:?}: {told}");
    }
    assert!(read(&archive(&[("a/b/c", b"1"), ("a/", b""), ("a/b/", b"")])).is_ok());
    let many: Vec<_> = (0..11).map(|n| n.to_string()).collect();
    let many: Vec<_> = many.iter().map(|name| (name.as_str(), &b""[..])).collect();
    assert!(refusal(&archive(&many)).contains("more than 10 entries"));
    assert!(refusal(&archive(&[("a", &[1; 10_001])])).contains("more than 10000 bytes"));
    assert!(refusal(b"no archive").contains("is truncated"));
}

#[test]
fn every_flipped_byte_is_noticed() {
    let bytes = archive(&[("d/", b""), ("d/a", b"one"), ("b", b"two")]);
    let found = read(&bytes).unwrap();
    for at in 0..bytes.len() {
        for bit in 0..8 {
            let mut bytes = bytes.clone();
            bytes[at] ^= 1 << bit;
            // Contents are protected by their digests, and everything else by the archive.
            let same_names = read(&bytes).is_ok_and(|other| {
                let names = |list: &[(String, Vec<u8>)]| -> Vec<String> {
                    list.iter().map(|(name, _)| name.clone()).collect()
                };
                assert_ne!(other, found, "byte {at}");
                names(&other) == names(&found)
            });
            let content =
                bytes.len() > at && (at / BLOCK == 2 || at / BLOCK == 4) && at % BLOCK < 3;
            assert_eq!(same_names, content, "byte {at}");
        }
    }
    for length in 0..bytes.len() {
        assert!(read(&bytes[..length]).is_err(), "{length}");
    }
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..2000)) {
        let _ = read(&bytes);
    }

    #[test]
    fn any_damage_to_an_archive_is_read_or_refused(
        edits in proptest::collection::vec((0_usize..4096, any::<u8>()), 0..6),
        length in 0_usize..4097,
    ) {
        let mut bytes = archive(&[("d/", b""), ("d/a", b"one"), ("b", b"two")]);
        for (at, byte) in edits {
            let at = at % bytes.len();
            bytes[at] = byte;
        }
        bytes.truncate(length.max(BLOCK));
        let _ = read(&bytes);
    }
}
