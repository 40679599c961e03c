//! Files that the user names: atomic writes. [`mcpmark_bundle::files`] reads them.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Seek, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, OFlags, linkat};
use tempfile::NamedTempFile;

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

/// Writes a file that the user named. A new file appears when it is complete, and replaces an existing one, whose
/// permissions it gets. Pipes, devices, symlinks such as `/dev/stdout`, and files that cannot be replaced are written
/// directly.
///
/// # Errors
///
/// Returns an error if the file cannot be written.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let (exists, mode) = match fs::symlink_metadata(path) {
        Ok(found) if found.is_file() => {
            // A write-protected file is refused, although its directory may permit a replacement.
            OpenOptions::new().write(true).open(path)?;
            (true, found.permissions().mode() & 0o777)
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => (false, default_mode()),
        _ => return fs::write(path, bytes),
    };
    let new = match NewFile::new(path, mode) {
        Ok(new) => new,
        Err(error) if exists && !is_protected(&error) => return Err(error),
        // A file may be writable in a directory that is not.
        Err(_) => return fs::write(path, bytes),
    };
    new.file().write_all(bytes)?;
    match new.keep() {
        // A mount point, such as a single file that a container shares with its host, cannot be replaced.
        Err(error) if error.kind() == io::ErrorKind::ResourceBusy => fs::write(path, bytes),
        kept => kept,
    }
}

/// Returns true if files cannot be created in a directory because of its permissions or of a read-only file system.
fn is_protected(error: &io::Error) -> bool {
    use io::ErrorKind::{PermissionDenied, ReadOnlyFilesystem};
    matches!(error.kind(), PermissionDenied | ReadOnlyFilesystem)
}

/// Returns the permissions of a new file: reading and writing for all, without those that the umask of the process
/// removes. If the umask is not known, only the user may read and write.
fn default_mode() -> u32 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("Umask:"));
    let mask = mask.and_then(|mask| u32::from_str_radix(mask.trim(), 8).ok());
    0o666 & !mask.unwrap_or(0o077)
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
    use std::io::Read;

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
    fn a_file_is_replaced_when_the_new_one_is_complete() {
        let dir = tempfile::tempdir().unwrap();
        let [to, plain, link] = ["file", "plain", "link"].map(|name| dir.path().join(name));
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        fs::write(&plain, "").unwrap();
        write(&to, b"first").unwrap();
        assert_eq!(mode(&to), mode(&plain), "the mode of any new file");
        fs::set_permissions(&to, Permissions::from_mode(0o640)).unwrap();
        let mut old = File::open(&to).unwrap();
        write(&to, b"second").unwrap();
        assert_eq!(mode(&to), 0o640);
        assert_eq!(fs::read(&to).unwrap(), b"second");
        // The old file was replaced and not overwritten.
        let mut text = String::new();
        old.read_to_string(&mut text).unwrap();
        assert_eq!(text, "first");

        std::os::unix::fs::symlink(&to, &link).unwrap();
        write(&link, b"third").unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read(&to).unwrap(), b"third");
        assert!(write(dir.path(), b"").is_err());
        assert!(write(&to.join("below"), b"").is_err());
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 3);
    }

    #[test]
    fn pipes_are_written_directly() {
        let (mut reader, writer) = io::pipe().unwrap();
        let path = format!("/proc/self/fd/{}", writer.as_raw_fd());
        write(Path::new(&path), b"text").unwrap();
        drop(writer);
        let mut text = String::new();
        reader.read_to_string(&mut text).unwrap();
        assert_eq!(text, "text");
    }
}
