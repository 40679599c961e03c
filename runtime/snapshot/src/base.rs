//! Cache of materialised starting states, which are the lower directories of overlay mounts.
//!
//! A base is `<store>/bases/<digest>-<clock>/world`: one tree, materialised once with one clock, and never modified.
//! Its users hold a shared lock on its directory. If there are too many bases, the least recently used ones without a
//! lock are removed. The first use in a process compares every byte with the tree, so that a base that was modified, by
//! a crash of the machine or by hand, is recreated.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::SystemTime;

use rustix::fs::FlockOperation;
use rustix::io::Errno;
use tempfile::TempDir;

use crate::materialise::{MaterialiseError, MaterialiseOptions, materialise};
use crate::overlay::WORLD;
use crate::{Digest, Node, Store, Tree, TreePath};

/// Maximum number of bases that are kept.
const MAX_BASES: usize = 64;
/// Maximum total size of the bases that are kept, in bytes.
const MAX_BYTES: u64 = 4 << 30;

/// Base in use.
#[derive(Debug)]
pub(crate) struct Base {
    dir: PathBuf,
    /// Shared lock on the base. The system releases it when the process dies.
    _lock: File,
}

impl Base {
    /// Returns the directory that contains the world.
    pub(crate) fn path(&self) -> &Path {
        &self.dir
    }
}

/// Bases that this process uses or has verified.
#[derive(Debug, Default)]
pub(crate) struct Bases {
    slots: Mutex<HashMap<String, Arc<Mutex<Slot>>>>,
}

#[derive(Debug, Default)]
struct Slot {
    base: Weak<Base>,
    /// Device and inode of the directory that was verified.
    compared: Option<(u64, u64)>,
}

impl Bases {
    /// Returns the base of a tree with a clock, and creates it if necessary.
    pub(crate) fn get(&self, tree: &Tree, store: &Store, clock: i64) -> io::Result<Arc<Base>> {
        let name = format!("{}-{clock}", tree.digest().hex());
        let slot = {
            let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(slots.entry(name.clone()).or_default())
        };
        // A slot is valid even after a panic, because it is written last.
        let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(base) = slot.base.upgrade() {
            return Ok(base);
        }
        let dir = store.bases_dir().join(name);
        let (lock, inode) = match take(&dir)? {
            Some((lock, inode)) if slot.compared == Some(inode) => (lock, inode),
            Some((lock, inode)) if is_intact(&dir, tree, clock) => (lock, inode),
            found => {
                drop(found);
                make(&dir, tree, store, clock)?
            }
        };
        // Time of last use. The time of this directory is not part of the world.
        let _ = lock.set_modified(SystemTime::now());
        let base = Arc::new(Base { dir, _lock: lock });
        *slot = Slot {
            base: Arc::downgrade(&base),
            compared: Some(inode),
        };
        Ok(base)
    }
}

type Taken = (File, (u64, u64));

/// Locks the base at `dir` against removal. Returns `None` if there is no base.
fn take(dir: &Path) -> io::Result<Option<Taken>> {
    let lock = match File::open(dir) {
        Ok(lock) => lock,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    rustix::fs::flock(&lock, FlockOperation::NonBlockingLockShared)?;
    // To remove a base, a process moves it away first, while it holds an exclusive lock.
    let inode = inode(&lock.metadata()?);
    let stands = fs::symlink_metadata(dir).is_ok_and(|now| self::inode(&now) == inode);
    Ok(stands.then_some((lock, inode)))
}

fn inode(metadata: &fs::Metadata) -> (u64, u64) {
    (metadata.dev(), metadata.ino())
}

/// Creates a base in the temporary directory and renames it into place. Another process may create it first.
fn make(dir: &Path, tree: &Tree, store: &Store, clock: i64) -> io::Result<Taken> {
    remove(dir, store);
    make_room(store);
    let making = TempDir::new_in(store.temporary_dir())?;
    let options = MaterialiseOptions { clock: Some(clock) };
    materialise(tree, store, &making.path().join(WORLD), &options).map_err(
        |error| match error {
            MaterialiseError::Destination { source, .. }
            | MaterialiseError::Entry { source, .. } => source,
            MaterialiseError::Symlink(error) => io::Error::other(error),
        },
    )?;
    let is_ours = match fs::rename(making.path(), dir) {
        Ok(()) => {
            // The temporary directory has been renamed, so it must not be deleted.
            let _ = making.keep();
            true
        }
        Err(error) if Errno::from_io_error(&error) == Some(Errno::NOTEMPTY) => false,
        Err(error) => return Err(error),
    };
    let taken = take(dir)?.ok_or(io::ErrorKind::NotFound)?;
    if is_ours || is_intact(dir, tree, clock) {
        Ok(taken)
    } else {
        Err(io::Error::other(format!("{dir:?} is damaged and in use")))
    }
}

/// Removes a base unless it is locked, and returns true if it is gone. Best effort.
fn remove(dir: &Path, store: &Store) -> bool {
    let lock = match File::open(dir) {
        Ok(lock) => lock,
        Err(error) => return error.kind() == io::ErrorKind::NotFound,
    };
    if rustix::fs::flock(&lock, FlockOperation::NonBlockingLockExclusive).is_err() {
        return false;
    }
    let Ok(bin) = TempDir::new_in(store.temporary_dir()) else {
        return false;
    };
    // The base is deleted together with the bin. Remains are swept like other temporary files.
    fs::rename(dir, bin.path().join("base")).is_ok()
}

/// Removes least recently used bases that are not in use until another one fits. Best effort.
fn make_room(store: &Store) {
    let mut bases: Vec<(SystemTime, PathBuf, u64)> = fs::read_dir(store.bases_dir())
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| {
            let used = entry.metadata().ok()?.modified().ok()?;
            Some((used, entry.path(), size(&entry.path())))
        })
        .collect();
    bases.sort();
    let mut bytes: u64 = bases.iter().map(|(_, _, size)| size).sum();
    let mut count = bases.len();
    for (_, dir, size) in bases {
        if count < MAX_BASES && bytes < MAX_BYTES {
            break;
        }
        if remove(&dir, store) {
            count -= 1;
            bytes = bytes.saturating_sub(size);
        }
    }
}

/// Returns the total size of the readable files below a directory, in bytes.
fn size(dir: &Path) -> u64 {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    entries
        .map(|entry| match entry.metadata() {
            Ok(metadata) if metadata.is_dir() => size(&entry.path()),
            Ok(metadata) => metadata.len(),
            Err(_) => 0,
        })
        .sum()
}

/// Reports whether a base equals the materialised tree.
fn is_intact(dir: &Path, tree: &Tree, clock: i64) -> bool {
    let root = dir.join(WORLD);
    let is_alone = names(dir).is_ok_and(|names| names == [WORLD]);
    is_alone
        && has_names(&root, tree.root().iter().map(|(name, _)| name))
        && tree
            .walk(&TreePath::root())
            .all(|(path, node)| is_same(&root.join(path.as_str()), node, clock))
}

fn is_same(path: &Path, node: &Node, clock: i64) -> bool {
    let Ok(metadata) = fs::symlink_metadata(path) else {
        return false;
    };
    match node {
        Node::Directory(directory) => {
            metadata.is_dir() && has_names(path, directory.iter().map(|(name, _)| name))
        }
        Node::File(file) => {
            metadata.is_file()
                && metadata.len() == file.size
                && metadata.mtime() == file.modified.unwrap_or(clock)
                && (metadata.mode() & 0o100 != 0) == file.executable
                && fs::read(path).is_ok_and(|bytes| Digest::of(&bytes) == file.content)
        }
        Node::Symlink(symlink) => {
            metadata.is_symlink()
                && fs::read_link(path).is_ok_and(|target| target.as_os_str() == &*symlink.target)
        }
    }
}

fn has_names<'a>(dir: &Path, expected: impl Iterator<Item = &'a str>) -> bool {
    names(dir).is_ok_and(|names| names.iter().map(String::as_str).eq(expected))
}

fn names(dir: &Path) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(dir)? {
        let name = entry?.file_name().into_string();
        names.push(name.map_err(|_| io::ErrorKind::InvalidData)?);
    }
    names.sort();
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{File, TreeBuilder};

    const CLOCK: i64 = 1_700_000_000;

    fn home() -> (tempfile::TempDir, Store, Tree) {
        let home = tempfile::tempdir().unwrap();
        let store = Store::open(home.path().join("store")).unwrap();
        let mut builder = TreeBuilder::new();
        for (path, content, modified) in [("d/a", "one", None), ("b", "two", Some(1_000))] {
            let file = File {
                size: content.len() as u64,
                executable: false,
                modified,
                content: store.put(content.as_bytes()).unwrap(),
            };
            let path = TreePath::parse(path).unwrap();
            builder.insert_file(&path, file).unwrap();
        }
        (home, store, builder.finish())
    }

    fn get(store: &Store, tree: &Tree) -> Arc<Base> {
        // A separate store, as in another process.
        let store = Store::open(store.path()).unwrap();
        store.bases().get(tree, &store, CLOCK).unwrap()
    }

    #[test]
    fn one_for_a_tree_and_a_clock() {
        let (_home, store, tree) = home();
        let base = get(&store, &tree);
        assert_eq!(get(&store, &tree).path(), base.path());
        assert!(is_intact(base.path(), &tree, CLOCK));
        let later = store.bases().get(&tree, &store, CLOCK + 1).unwrap();
        assert_ne!(later.path(), base.path());
        assert_eq!(names(&store.bases_dir()).unwrap().len(), 2);
        assert_eq!(names(&store.temporary_dir()).unwrap(), [""; 0]);
    }

    #[test]
    fn a_changed_base_is_made_anew() {
        let (_home, store, tree) = home();
        let changes: [fn(&Path); 6] = [
            |root| fs::write(root.join("b"), "TWO").unwrap(),
            |root| fs::write(root.join("stray"), "").unwrap(),
            |root| fs::write(root.join("d/stray"), "").unwrap(),
            |root| fs::remove_file(root.join("d/a")).unwrap(),
            |root| {
                let file = fs::File::options().append(true).open(root.join("b"));
                file.unwrap().set_modified(SystemTime::now()).unwrap();
            },
            |root| {
                use std::os::unix::fs::PermissionsExt;
                fs::set_permissions(root.join("b"), fs::Permissions::from_mode(0o755)).unwrap();
            },
        ];
        for (number, change) in changes.into_iter().enumerate() {
            let dir = get(&store, &tree).path().to_owned();
            change(&dir.join(WORLD));
            assert!(!is_intact(&dir, &tree, CLOCK), "change {number}");
            let again = get(&store, &tree);
            assert!(is_intact(again.path(), &tree, CLOCK), "change {number}");
        }
    }

    #[test]
    fn one_that_is_held_is_neither_removed_nor_replaced() {
        let (_home, store, tree) = home();
        let held = get(&store, &tree);
        remove(held.path(), &store);
        assert!(is_intact(held.path(), &tree, CLOCK));
        fs::write(held.path().join("world/b"), "TWO").unwrap();
        let other = Store::open(store.path()).unwrap();
        let error = other.bases().get(&tree, &other, CLOCK).unwrap_err();
        assert!(error.to_string().contains("is damaged and in use"));
        drop(held);
        assert!(is_intact(get(&store, &tree).path(), &tree, CLOCK));
    }

    #[test]
    fn the_least_recently_used_go_first() {
        let (_home, store, tree) = home();
        let held = get(&store, &tree);
        for clock in 0..=MAX_BASES as i64 {
            store.bases().get(&tree, &store, clock).unwrap();
            let dir = store
                .bases_dir()
                .join(format!("{}-{clock}", tree.digest().hex()));
            let used = SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(clock as u64);
            fs::File::open(dir).unwrap().set_modified(used).unwrap();
        }
        let left = names(&store.bases_dir()).unwrap();
        assert_eq!(left.len(), MAX_BASES, "{left:?}");
        assert!(held.path().exists());
        for (clock, stays) in [(0, false), (1, false), (2, true)] {
            let name = format!("{}-{clock}", tree.digest().hex());
            assert_eq!(left.contains(&name), stays, "{clock}");
        }
    }

    #[test]
    fn a_base_in_use_does_not_count_as_removed() {
        let (_home, store, tree) = home();
        let base = |clock: usize| {
            let base = store.bases().get(&tree, &store, clock as i64).unwrap();
            let used = SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(clock as u64);
            let dir = fs::File::open(base.path()).unwrap();
            dir.set_modified(used).unwrap();
            base
        };
        let held = base(0);
        for clock in 1..=MAX_BASES + 1 {
            drop(base(clock));
        }
        let left = names(&store.bases_dir()).unwrap();
        assert_eq!(left.len(), MAX_BASES, "{left:?}");
        assert!(held.path().exists());
    }
}
