//! Files given by the user: size-limited reads and atomic writes.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Read, Seek};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, OFlags, linkat};
use tempfile::NamedTempFile;

/// Maximum size of a file of keys, rules, settings, prices, locks or certificates, in bytes.
pub(crate) const MAX_FILE_BYTES: u64 = 16 << 20;

/// Reads a file, device or pipe.
///
/// # Errors
///
/// Returns an error if it cannot be read, or has more than [`MAX_FILE_BYTES`].
pub(crate) fn read(path: &Path) -> io::Result<Vec<u8>> {
    read_within(path, MAX_FILE_BYTES)
}

/// Reads UTF-8 text from a file, device or pipe.
///
/// # Errors
///
/// Returns an error if it cannot be read, has more than [`MAX_FILE_BYTES`], or is not UTF-8.
pub(crate) fn read_text(path: &Path) -> io::Result<String> {
    utf8(read(path)?)
}

/// Reads UTF-8 text of at most `limit` bytes.
///
/// # Errors
///
/// Returns an error if it cannot be read, is longer, or is not UTF-8.
pub(crate) fn read_short_text(path: &Path, limit: u64) -> io::Result<String> {
    utf8(read_within(path, limit)?)
}

fn utf8(bytes: Vec<u8>) -> io::Result<String> {
    String::from_utf8(bytes).map_err(|error| {
        let place = error.utf8_error().valid_up_to();
        let message = format!("byte {} is not UTF-8", place + 1);
        io::Error::new(io::ErrorKind::InvalidData, message)
    })
}

fn read_within(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = File::open(path)?.take(limit + 1).read_to_end(&mut bytes)?;
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

/// File that appears under its name only when it is complete. Until then it is an unnamed temporary file (`O_TMPFILE`)
/// if the file system supports that, so that nothing remains if the process is killed.
#[derive(Debug)]
pub(crate) struct NewFile {
    content: Content,
    to: PathBuf,
    mode: u32,
}

#[derive(Debug)]
enum Content {
    Unnamed(File),
    Named(NamedTempFile),
}

impl NewFile {
    /// Creates a file that will get the name `to` and this mode.
    ///
    /// # Errors
    ///
    /// Returns an error if no file can be created in the same directory.
    pub(crate) fn new(to: &Path, mode: u32) -> io::Result<Self> {
        let parent = parent(to);
        let mut unnamed = OpenOptions::new();
        unnamed.read(true).write(true).mode(0o600);
        unnamed.custom_flags(OFlags::TMPFILE.bits().cast_signed());
        let content = match unnamed.open(parent) {
            Ok(file) => Content::Unnamed(file),
            // Not every file system supports unnamed files.
            Err(_) => Content::Named(NamedTempFile::new_in(parent)?),
        };
        Ok(Self {
            content,
            to: to.to_owned(),
            mode,
        })
    }

    pub(crate) fn file(&self) -> &File {
        match &self.content {
            Content::Unnamed(file) => file,
            Content::Named(file) => file.as_file(),
        }
    }

    /// Gives the file its name and replaces an existing file.
    ///
    /// # Errors
    ///
    /// Returns an error if the file system refuses that.
    pub(crate) fn keep(self) -> io::Result<()> {
        self.file()
            .set_permissions(Permissions::from_mode(self.mode))?;
        let mut file = match self.content {
            Content::Named(file) => {
                file.persist(&self.to)?;
                return Ok(());
            }
            Content::Unnamed(file) => file,
        };
        match link(&file, &self.to) {
            Ok(()) => return Ok(()),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                // Unlike a rename, a link cannot replace an existing file.
                let mut name = self.to.file_name().unwrap_or_default().to_owned();
                name.push(format!(".{}.new", std::process::id()));
                let beside = self.to.with_file_name(name);
                if link(&file, &beside).is_ok() {
                    let renamed = fs::rename(&beside, &self.to);
                    return renamed.inspect_err(|_| drop(fs::remove_file(&beside)));
                }
            }
            Err(_) => {}
        }
        // An unnamed file cannot be linked, for example because /proc is not mounted.
        let mut named = NamedTempFile::new_in(parent(&self.to))?;
        file.rewind()?;
        io::copy(&mut file, &mut named)?;
        named
            .as_file()
            .set_permissions(Permissions::from_mode(self.mode))?;
        named.persist(&self.to)?;
        Ok(())
    }
}

fn link(file: &File, to: &Path) -> io::Result<()> {
    let open = format!("/proc/self/fd/{}", file.as_raw_fd());
    Ok(linkat(CWD, open, CWD, to, AtFlags::SYMLINK_FOLLOW)?)
}

/// Returns the directory of a file.
pub(crate) fn parent(file: &Path) -> &Path {
    match file.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn a_file_is_there_when_it_is_whole() {
        let dir = tempfile::tempdir().unwrap();
        let to = dir.path().join("file");
        let names = || fs::read_dir(dir.path()).unwrap().count();
        for text in ["first", "second"] {
            let before = names();
            let new = NewFile::new(&to, 0o640).unwrap();
            new.file().write_all(text.as_bytes()).unwrap();
            if matches!(new.content, Content::Unnamed(_)) {
                assert_eq!(names(), before, "what is not whole has no name");
            }
            new.keep().unwrap();
            assert_eq!(fs::read_to_string(&to).unwrap(), text);
            assert_eq!(
                fs::metadata(&to).unwrap().permissions().mode() & 0o777,
                0o640
            );
            assert_eq!(names(), 1);
        }
        drop(NewFile::new(&to, 0o640).unwrap());
        assert_eq!(names(), 1);
        assert!(NewFile::new(&to.join("below"), 0o640).is_err());
    }

    #[test]
    fn a_file_without_an_end_is_refused() {
        let error = read(Path::new("/dev/zero")).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::FileTooLarge);
        assert!(
            error.to_string().contains("exceeds the limit of 16 MiB"),
            "{error}"
        );
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("file");
        for length in [0, 7, 8] {
            std::fs::write(&file, vec![b'a'; length]).unwrap();
            assert_eq!(read_within(&file, 8).unwrap().len(), length);
        }
        assert!(read_within(&file, 7).is_err());
        std::fs::write(&file, b"a\xff").unwrap();
        assert_eq!(
            read_text(&file).unwrap_err().to_string(),
            "byte 2 is not UTF-8"
        );
    }
}
