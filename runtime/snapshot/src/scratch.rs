//! Private directories that go away.

use std::fs::Permissions;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

/// Less room than this on the memory file system, and the disk is taken.
const ROOM: u64 = 1 << 30;
const SHARED_MEMORY: &str = "/dev/shm";

/// A private directory (mode 0700, unique name) that is removed on drop.
#[derive(Debug)]
pub struct Scratch(TempDir);

impl Scratch {
    /// Makes one in `parent`; see [`scratch_parent`].
    pub fn new(parent: &Path) -> io::Result<Self> {
        tempfile::Builder::new()
            .prefix("mcpmark-")
            .permissions(Permissions::from_mode(0o700))
            .tempdir_in(parent)
            .map(Self)
    }

    /// The directory.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// Removes it now, and tells when that fails.
    pub fn close(self) -> io::Result<()> {
        self.0.close()
    }
}

impl AsRef<Path> for Scratch {
    fn as_ref(&self) -> &Path {
        self.path()
    }
}

/// Where to make scratch directories: `chosen` if given, else the memory file system
/// where there is one that is writable and has a gibibyte free, else the directory
/// for temporary files.
#[must_use]
pub fn scratch_parent(chosen: Option<&Path>) -> PathBuf {
    match chosen {
        Some(path) => path.to_owned(),
        None if has_room(SHARED_MEMORY) => SHARED_MEMORY.into(),
        None => std::env::temp_dir(),
    }
}

fn has_room(path: &str) -> bool {
    let writable = rustix::fs::access(path, rustix::fs::Access::WRITE_OK).is_ok();
    writable
        && rustix::fs::statvfs(path)
            .is_ok_and(|stat| stat.f_bavail.saturating_mul(stat.f_frsize) >= ROOM)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn private_unique_and_removed() {
        let parent = tempfile::tempdir().unwrap();
        let first = Scratch::new(&scratch_parent(Some(parent.path()))).unwrap();
        let second = Scratch::new(parent.path()).unwrap();
        assert_ne!(first.path(), second.path());
        let mode = std::fs::metadata(first.path())
            .unwrap()
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o700);
        std::fs::write(first.path().join("f"), "x").unwrap();
        drop(first);
        second.close().unwrap();
        assert_eq!(std::fs::read_dir(parent.path()).unwrap().count(), 0);
    }

    #[test]
    fn the_default_parent_is_writable() {
        Scratch::new(&scratch_parent(None)).unwrap();
    }
}
