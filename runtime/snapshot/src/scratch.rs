//! Temporary private directories.

use std::fs::{self, File, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use rustix::fs::FlockOperation;
use tempfile::TempDir;

/// Minimum free space on the memory file system, in bytes. With less, the disk is used.
const ROOM: u64 = 1 << 30;
const SHARED_MEMORY: &str = "/dev/shm";
/// Prefix of the names. It is unlikely for other directories, because sweeping removes directories recursively.
const PREFIX: &str = ".mcpmark-scratch-";
/// Number of random characters after the prefix.
const RANDOM: usize = 6;
const MODE: u32 = 0o700;
/// Minimum age of a directory for sweeping, because a younger one may not be locked yet.
const SETTLED: Duration = Duration::from_secs(60);

/// Private directory (mode 0700, unique name) that is removed on drop. Directories of killed processes are removed by
/// [`sweep_scratch`].
#[derive(Debug)]
pub struct Scratch {
    dir: TempDir,
    /// Lock that is held while the directory is in use. The system releases it when the process dies.
    _lock: File,
}

impl Scratch {
    /// Creates a directory in `parent`; see [`scratch_parent`].
    pub fn new(parent: &Path) -> io::Result<Self> {
        let dir = tempfile::Builder::new()
            .prefix(PREFIX)
            .rand_bytes(RANDOM)
            .permissions(Permissions::from_mode(MODE))
            .tempdir_in(parent)?;
        let lock = File::open(dir.path())?;
        rustix::fs::flock(&lock, FlockOperation::NonBlockingLockExclusive)?;
        Ok(Self { dir, _lock: lock })
    }

    /// Returns the path of the directory.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.dir.path()
    }

    /// Removes the directory now, and reports errors.
    pub fn close(self) -> io::Result<()> {
        self.dir.close()
    }
}

impl AsRef<Path> for Scratch {
    fn as_ref(&self) -> &Path {
        self.path()
    }
}

/// Removes the scratch directories in `parent` that belong to this user and that no living process has locked. Returns
/// the number of removed directories. Directories that cannot be removed are ignored.
pub fn sweep_scratch(parent: &Path) -> usize {
    let Ok(entries) = fs::read_dir(parent) else {
        return 0;
    };
    let abandoned = entries.filter_map(Result::ok).filter(|entry| {
        let name = entry.file_name();
        let random = name.as_encoded_bytes().strip_prefix(PREFIX.as_bytes());
        random.is_some_and(|random| random.len() == RANDOM) && is_abandoned(&entry.path())
    });
    abandoned
        .filter(|entry| remove(&entry.path()).is_ok())
        .count()
}

fn remove(dir: &Path) -> io::Result<()> {
    fs::remove_dir_all(dir).or_else(|_| {
        open_up(dir);
        fs::remove_dir_all(dir)
    })
}

/// Makes directories accessible, because an overlay mount leaves some without permissions.
fn open_up(dir: &Path) {
    for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            // If this fails, the removal fails and reports the error.
            let _ = fs::set_permissions(entry.path(), Permissions::from_mode(MODE));
            open_up(&entry.path());
        }
    }
}

fn is_abandoned(dir: &Path) -> bool {
    let Ok(metadata) = fs::symlink_metadata(dir) else {
        return false;
    };
    let old = metadata.modified().is_ok_and(|time| {
        SystemTime::now()
            .duration_since(time)
            .is_ok_and(|age| age > SETTLED)
    });
    metadata.is_dir()
        && metadata.permissions().mode() & 0o7777 == MODE
        && metadata.uid() == rustix::process::geteuid().as_raw()
        && old
        && File::open(dir).is_ok_and(|file| {
            rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive).is_ok()
        })
}

/// Returns the parent for scratch directories: `chosen` if given, otherwise the memory file system if it is writable
/// and has 1 GiB free, otherwise the directory for temporary files.
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
    fn sweeping_takes_what_nobody_holds_and_nothing_else() {
        let parent = tempfile::tempdir().unwrap();
        let held = Scratch::new(parent.path()).unwrap();
        let make = |name: &str| {
            let path = parent.path().join(name);
            fs::create_dir(&path).unwrap();
            fs::write(path.join("f"), "x").unwrap();
            fs::set_permissions(&path, Permissions::from_mode(MODE)).unwrap();
            path
        };
        let (left, young) = (
            make(".mcpmark-scratch-aB3dE6"),
            make(".mcpmark-scratch-young1"),
        );
        // Such as a checkout of this repository.
        let foreign = [
            make("mcpmark-main"),
            make(".mcpmark-scratch-of-mine"),
            make("other"),
        ];
        let open_to_all = make(".mcpmark-scratch-shared");
        fs::set_permissions(&open_to_all, Permissions::from_mode(0o755)).unwrap();
        let past = SystemTime::now() - 2 * SETTLED;
        let old = [held.path(), &left, &open_to_all].into_iter();
        for dir in old.chain(foreign.iter().map(AsRef::as_ref)) {
            File::open(dir).unwrap().set_modified(past).unwrap();
        }
        assert_eq!(sweep_scratch(parent.path()), 1);
        assert!(!left.exists());
        assert!(held.path().exists() && young.exists() && open_to_all.exists());
        assert!(foreign.iter().all(|dir| dir.exists()));
    }

    #[test]
    fn closed_directories_are_opened_up() {
        let dir = tempfile::tempdir().unwrap();
        let inner = dir.path().join("work/work/incompat");
        fs::create_dir_all(&inner).unwrap();
        let outer = inner.parent().unwrap();
        for closed in [&*inner, outer] {
            fs::set_permissions(closed, Permissions::from_mode(0o000)).unwrap();
        }
        open_up(dir.path());
        for open in [&*inner, outer] {
            let mode = fs::metadata(open).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, MODE);
        }
    }

    #[test]
    fn the_default_parent_is_writable() {
        Scratch::new(&scratch_parent(None)).unwrap();
    }
}
