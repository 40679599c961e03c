//! Files that the user names: size-limited reads.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Maximum size of a key, a trust policy, a lock, a certificate or a configuration file, in bytes.
const LARGEST: u64 = 16 << 20;

/// Reads a file, device or pipe.
///
/// # Errors
///
/// Returns an error if it cannot be read or has more than 16 MiB.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = File::open(path)?
        .take(LARGEST + 1)
        .read_to_end(&mut bytes)?;
    if read as u64 > LARGEST {
        let message = format!("the file exceeds the limit of {} MiB", LARGEST >> 20);
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, message));
    }
    Ok(bytes)
}

/// Reads UTF-8 text from a file, device or pipe, within the same limit.
pub(crate) fn read_text(path: &Path) -> io::Result<String> {
    String::from_utf8(read(path)?).map_err(|error| {
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
}
