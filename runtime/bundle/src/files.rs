//! Files that the user names: size-limited reads.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Maximum size of a key, a trust policy, a lock, a certificate, a price list or a configuration file, in bytes.
pub const MAX_FILE_BYTES: u64 = 16 << 20;

/// Reads a file, device or pipe.
///
/// # Errors
///
/// Returns an error if it cannot be read, or has more than [`MAX_FILE_BYTES`].
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    read_within(File::open(path)?, MAX_FILE_BYTES)
}

/// Reads UTF-8 text from a file, device or pipe.
///
/// # Errors
///
/// Returns an error if it cannot be read, has more than [`MAX_FILE_BYTES`], or is not UTF-8.
pub fn read_text(path: &Path) -> io::Result<String> {
    read_text_within(path, MAX_FILE_BYTES)
}

/// Reads UTF-8 text of at most `limit` bytes.
///
/// # Errors
///
/// Returns an error if it cannot be read, is longer, or is not UTF-8.
pub fn read_text_within(path: &Path, limit: u64) -> io::Result<String> {
    utf8(read_within(File::open(path)?, limit)?)
}

/// Reads UTF-8 text from an open source, such as standard input.
///
/// # Errors
///
/// Returns an error if it cannot be read, has more than [`MAX_FILE_BYTES`], or is not UTF-8.
pub fn read_text_from(source: impl Read) -> io::Result<String> {
    utf8(read_within(source, MAX_FILE_BYTES)?)
}

fn read_within(source: impl Read, limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = source.take(limit + 1).read_to_end(&mut bytes)?;
    if read as u64 > limit {
        let limit = match limit >> 20 {
            0 => format!("{} KiB", limit >> 10),
            limit => format!("{limit} MiB"),
        };
        let message = format!("the file exceeds the limit of {limit}");
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, message));
    }
    Ok(bytes)
}

fn utf8(bytes: Vec<u8>) -> io::Result<String> {
    String::from_utf8(bytes).map_err(|error| {
        let place = error.utf8_error().valid_up_to();
        let message = format!("byte {} is not UTF-8", place + 1);
        io::Error::new(io::ErrorKind::InvalidData, message)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_without_an_end_and_other_encodings_are_refused() {
        let error = read(Path::new("/dev/zero")).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::FileTooLarge);
        assert_eq!(error.to_string(), "the file exceeds the limit of 16 MiB");
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("file");
        std::fs::write(&file, b"a\xff").unwrap();
        assert_eq!(read(&file).unwrap(), b"a\xff");
        assert_eq!(
            read_text(&file).unwrap_err().to_string(),
            "byte 2 is not UTF-8"
        );
    }

    #[test]
    fn a_limit_is_exact() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("file");
        for length in [0, 7, 8] {
            std::fs::write(&file, vec![b'a'; length]).unwrap();
            assert_eq!(read_text_within(&file, 8).unwrap().len(), length);
        }
        assert!(read_text_within(&file, 7).is_err());
        assert_eq!(read_text_from(&b"text"[..]).unwrap(), "text");
    }
}
