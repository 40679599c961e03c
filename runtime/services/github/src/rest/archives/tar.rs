//! TAR writer in the format of POSIX.1-2001, with a GZIP stream of stored blocks.

use super::{Collected, Member};
use crate::git::EntryKind;

/// Size of a record, in bytes.
const RECORD: usize = 512;
/// Size of a block of 20 records, in bytes. Archives are padded to whole blocks.
const BLOCK: usize = 20 * RECORD;
/// Maximum length of a name in a header, in bytes.
const NAME: usize = 100;
/// Maximum size of a stored block, in bytes (RFC 1951, 3.2.4).
const STORED: usize = 65_535;

/// Fields of a header, except for the name.
struct Header<'a> {
    kind: u8,
    mode: u32,
    size: usize,
    seconds: i64,
    link: &'a [u8],
}

/// Writes the files as a TAR in a GZIP stream.
pub(super) fn compressed(collected: &Collected) -> Vec<u8> {
    gzip(&written(collected))
}

fn written(collected: &Collected) -> Vec<u8> {
    let mut tar = Vec::new();
    // Like `git archive`, records the commit id in a comment.
    let comment = extended(&[("comment", collected.commit.to_string().as_bytes())]);
    let seconds = collected.seconds.clamp(0, 0o77_777_777_777);
    let of_extensions = |kind, size| Header {
        kind,
        mode: 0o666,
        size,
        seconds,
        link: b"",
    };
    header(
        &mut tar,
        b"pax_global_header",
        &of_extensions(b'g', comment.len()),
    );
    data(&mut tar, &comment);
    for Member { path, kind, bytes } in &collected.members {
        let link: &[u8] = if *kind == EntryKind::Symlink {
            bytes
        } else {
            b""
        };
        let mut more: Vec<(&str, &[u8])> = Vec::new();
        if path.len() > NAME {
            more.push(("path", path.as_bytes()));
        }
        if link.len() > NAME {
            more.push(("linkpath", link));
        }
        if !more.is_empty() {
            let more = extended(&more);
            header(
                &mut tar,
                b"extended_header",
                &of_extensions(b'x', more.len()),
            );
            data(&mut tar, &more);
        }
        let (kind, mode) = match kind {
            EntryKind::Directory | EntryKind::Submodule => (b'5', 0o775),
            EntryKind::Symlink => (b'2', 0o777),
            EntryKind::Executable => (b'0', 0o775),
            EntryKind::File => (b'0', 0o664),
        };
        let content: &[u8] = if kind == b'0' { bytes } else { b"" };
        let own = Header {
            kind,
            mode,
            size: content.len(),
            seconds,
            link: &link[..link.len().min(NAME)],
        };
        header(&mut tar, &path.as_bytes()[..path.len().min(NAME)], &own);
        data(&mut tar, content);
    }
    tar.resize((tar.len() + 2 * RECORD).next_multiple_of(BLOCK), 0);
    tar
}

fn header(tar: &mut Vec<u8>, name: &[u8], header: &Header<'_>) {
    let mut record = [0; RECORD];
    let mut put = |at: usize, bytes: &[u8]| record[at..at + bytes.len()].copy_from_slice(bytes);
    put(0, name);
    put(100, format!("{:07o}\0", header.mode).as_bytes());
    put(108, b"0000000\0");
    put(116, b"0000000\0");
    put(124, format!("{:011o}\0", header.size).as_bytes());
    put(136, format!("{:011o}\0", header.seconds).as_bytes());
    put(148, b"        ");
    put(156, &[header.kind]);
    put(157, header.link);
    put(257, b"ustar\x0000");
    put(265, b"root");
    put(297, b"root");
    put(329, b"0000000\0");
    put(337, b"0000000\0");
    let sum: u32 = record.iter().map(|byte| u32::from(*byte)).sum();
    record[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    tar.extend_from_slice(&record);
}

/// Appends bytes, padded to whole records.
fn data(tar: &mut Vec<u8>, bytes: &[u8]) {
    tar.extend_from_slice(bytes);
    tar.resize(tar.len().next_multiple_of(RECORD), 0);
}

/// Encodes records of an extended header. Each begins with its own length.
fn extended(pairs: &[(&str, &[u8])]) -> Vec<u8> {
    let mut all = Vec::new();
    for (key, value) in pairs {
        // Length of key and value, and of the space, the equals sign and the line feed.
        let rest = key.len() + value.len() + 3;
        let mut length = rest + 1;
        while length != rest + length.to_string().len() {
            length = rest + length.to_string().len();
        }
        all.extend_from_slice(format!("{length} {key}=").as_bytes());
        all.extend_from_slice(value);
        all.push(b'\n');
    }
    all
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    // No modification time, no name, and an unknown operating system.
    let mut file = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff];
    let mut blocks = bytes.chunks(STORED).peekable();
    while let Some(block) = blocks.next() {
        let length = block.len() as u16;
        file.push(u8::from(blocks.peek().is_none()));
        file.extend_from_slice(&length.to_le_bytes());
        file.extend_from_slice(&(!length).to_le_bytes());
        file.extend_from_slice(block);
    }
    file.extend_from_slice(&crc32fast::hash(bytes).to_le_bytes());
    file.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
    file
}
