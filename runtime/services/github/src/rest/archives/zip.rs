//! ZIP writer without compression.

use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::{Collected, Member};
use crate::git::EntryKind;

/// Version needed to extract stored files, and version made by, which marks attributes as those of Unix.
const NEEDED: u16 = 10;
const MADE_BY: u16 = 3 << 8 | 23;
/// Flag for names in UTF-8.
const UTF_8: u16 = 1 << 11;

/// Writes the files as a ZIP with the commit id as its comment, like `git archive`.
pub(super) fn written(collected: &Collected) -> Vec<u8> {
    let (mut zip, mut directory) = (Vec::new(), Vec::new());
    let (date, time) = date_and_time(collected.seconds);
    for Member { path, kind, bytes } in &collected.members {
        let offset = zip.len() as u32;
        let mut common = Vec::new();
        for number in [NEEDED, UTF_8, 0, time, date] {
            common.extend_from_slice(&number.to_le_bytes());
        }
        let size = bytes.len() as u32;
        for number in [crc32fast::hash(bytes), size, size] {
            common.extend_from_slice(&number.to_le_bytes());
        }
        common.extend_from_slice(&(path.len() as u16).to_le_bytes());
        common.extend_from_slice(&0_u16.to_le_bytes());
        zip.extend_from_slice(b"PK\x03\x04");
        zip.extend_from_slice(&common);
        zip.extend_from_slice(path.as_bytes());
        zip.extend_from_slice(bytes);
        // Unix mode, and the DOS attribute of directories.
        let attributes: u32 = match kind {
            EntryKind::Directory | EntryKind::Submodule => 0o040_755 << 16 | 0x10,
            EntryKind::Symlink => 0o120_777 << 16,
            EntryKind::Executable => 0o100_755 << 16,
            EntryKind::File => 0o100_644 << 16,
        };
        directory.extend_from_slice(b"PK\x01\x02");
        directory.extend_from_slice(&MADE_BY.to_le_bytes());
        directory.extend_from_slice(&common);
        // No comment, first disk, and no internal attributes.
        directory.extend_from_slice(&[0; 6]);
        directory.extend_from_slice(&attributes.to_le_bytes());
        directory.extend_from_slice(&offset.to_le_bytes());
        directory.extend_from_slice(path.as_bytes());
    }
    let (start, count) = (zip.len() as u32, collected.members.len() as u16);
    zip.extend_from_slice(&directory);
    zip.extend_from_slice(b"PK\x05\x06\0\0\0\0");
    zip.extend_from_slice(&count.to_le_bytes());
    zip.extend_from_slice(&count.to_le_bytes());
    zip.extend_from_slice(&(directory.len() as u32).to_le_bytes());
    zip.extend_from_slice(&start.to_le_bytes());
    let comment = collected.commit.to_string();
    zip.extend_from_slice(&(comment.len() as u16).to_le_bytes());
    zip.extend_from_slice(comment.as_bytes());
    zip
}

/// Date and time in the DOS format, in UTC. Times that it cannot express become 1980-01-01.
fn date_and_time(seconds: i64) -> (u16, u16) {
    let time = Timestamp::from_second(seconds).unwrap_or_default();
    let time = time.to_zoned(TimeZone::UTC);
    let year = i32::from(time.year()) - 1980;
    if !(0..128).contains(&year) {
        return (1 << 5 | 1, 0);
    }
    let part = |number: i8| number.unsigned_abs() as u16;
    let date = (year as u16) << 9 | part(time.month()) << 5 | part(time.day());
    let time = part(time.hour()) << 11 | part(time.minute()) << 5 | (part(time.second()) / 2);
    (date, time)
}
