//! Garbage collection of a store: listing of blobs, reachability, and removal of unreachable blobs.
//!
//! Nothing is removed while another process has opened the store: [`Store::open_exclusive`] fails without waiting.
//! Writers rely on the invariant that everything a stored directory names is stored as well. So blobs are removed from
//! the top down, and the invariant also holds if the removal is interrupted.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::io;
use std::path::Path;

use crate::encoding::{self, Entry};
use crate::{Blobs, Digest, LoadError, Store, StoreError, TreePath};

/// First bytes of each encoding of a directory.
const DIRECTORY: &[u8] = b"{\"directory\":[";

/// Reachable blobs of a store, and those of them that are directories.
///
/// They are kept separately, because a file may have the same bytes as the encoding of a directory.
#[derive(Debug, Clone, Default)]
pub struct Needed {
    blobs: HashSet<Digest>,
    directories: HashSet<Digest>,
}

/// Result of a garbage collection, or of its dry run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Removed {
    /// Number of unreachable blobs.
    pub blobs: u64,
    /// Total size of these blobs, in bytes.
    pub bytes: u64,
    /// Number of unreachable bases, that is, materialised starting states.
    pub bases: u64,
}

impl Needed {
    /// Creates an empty set.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds one blob, which need not exist.
    pub fn add_blob(&mut self, digest: Digest) {
        self.blobs.insert(digest);
    }

    /// Adds a tree: the encodings of its directories and the bytes of its files, which need not exist.
    ///
    /// # Errors
    ///
    /// Returns the first error of a directory that is missing, damaged or invalid, because the entries that it names
    /// are unknown. The directory itself is added nevertheless, as is everything that the other directories name.
    pub fn add_tree(&mut self, store: &Store, root: &Digest) -> Result<(), LoadError> {
        let mut tree = Self::new();
        let mut left = vec![*root];
        let mut lost = None;
        while let Some(digest) = left.pop() {
            if self.directories.contains(&digest) || !tree.directories.insert(digest) {
                continue;
            }
            tree.blobs.insert(digest);
            let entries = match directory(store, &digest) {
                Ok(entries) => entries,
                Err(error) => {
                    lost.get_or_insert(error);
                    continue;
                }
            };
            for (_, entry) in entries {
                match entry {
                    Entry::Directory(below) => left.push(below),
                    Entry::File(file) => {
                        tree.blobs.insert(file.content);
                    }
                    Entry::Symlink(_) => {}
                }
            }
        }
        match lost {
            None => {
                self.add(&tree);
                Ok(())
            }
            Some(error) => {
                // Directories of an incomplete tree are not marked as known, so that another tree with the same
                // directory is checked as well.
                self.blobs.extend(&tree.blobs);
                Err(error)
            }
        }
    }

    /// Adds everything in `other`.
    pub fn add(&mut self, other: &Self) {
        self.blobs.extend(&other.blobs);
        self.directories.extend(&other.directories);
    }

    /// Reports whether a blob is reachable.
    #[must_use]
    pub fn contains(&self, digest: &Digest) -> bool {
        self.blobs.contains(digest)
    }

    /// Returns all blobs, in arbitrary order.
    pub fn blobs(&self) -> impl Iterator<Item = &Digest> {
        self.blobs.iter()
    }
}

/// Returns the entries of a directory of a tree.
fn directory(store: &Store, digest: &Digest) -> Result<Vec<(String, Entry)>, LoadError> {
    let (path, digest) = (TreePath::root(), *digest);
    match store.read(&digest) {
        Ok(bytes) => encoding::decode(&bytes).map_err(|source| LoadError::Encoding {
            path,
            digest,
            source,
        }),
        Err(source) => Err(LoadError::Blob {
            path,
            digest,
            source,
        }),
    }
}

/// Returns the total size of all files below a directory, in bytes. Files that other programs remove meanwhile are
/// ignored.
pub fn bytes_below(dir: &Path) -> u64 {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    let sizes = entries.map(|entry| match entry.metadata() {
        Ok(metadata) if metadata.is_dir() => bytes_below(&entry.path()),
        Ok(metadata) => metadata.len(),
        Err(_) => 0,
    });
    sizes.sum()
}

impl Store {
    /// Returns the blobs with their lengths, sorted by digest. Files whose name is not a digest are ignored.
    ///
    /// # Errors
    ///
    /// Returns an error if a directory of the store cannot be read.
    pub fn blobs(&self) -> Result<Vec<(Digest, u64)>, StoreError> {
        let mut blobs = Vec::new();
        let root = self.blobs_dir();
        for first in entries(&root)? {
            let Ok(head) = first.file_name().into_string() else {
                continue;
            };
            if !first.path().is_dir() {
                continue;
            }
            for entry in entries(&first.path())? {
                let name = entry.file_name();
                let digest = name
                    .to_str()
                    .and_then(|tail| format!("sha256:{head}{tail}").parse::<Digest>().ok());
                let metadata = entry
                    .metadata()
                    .map_err(|source| StoreError::read(&entry.path(), source))?;
                if let (Some(digest), true) = (digest, metadata.is_file()) {
                    blobs.push((digest, metadata.len()));
                }
            }
        }
        blobs.sort_unstable();
        Ok(blobs)
    }

    /// Returns the total size of the bases in bytes. Missing bases are recreated when they are needed.
    #[must_use]
    pub fn bases_bytes(&self) -> u64 {
        bytes_below(&self.bases_dir())
    }

    /// Removes a blob, such as a damaged one, so that it can be written again.
    ///
    /// # Errors
    ///
    /// Returns an error if the blob cannot be removed. A missing blob is not an error.
    pub fn remove_blob(&self, digest: &Digest) -> Result<(), StoreError> {
        let path = self.blob_path(digest);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(StoreError::write(&path, error))
            }
            _ => Ok(()),
        }
    }

    /// Removes unreachable blobs and bases, or only counts them if `dry` is set. `go_on` is called before each of them,
    /// and stops the removal by returning false.
    ///
    /// # Errors
    ///
    /// Returns an error if the store is not open [exclusively](Self::open_exclusive), or if a file cannot be read or
    /// removed.
    pub fn remove_unneeded(
        &self,
        needed: &Needed,
        dry: bool,
        mut go_on: impl FnMut() -> bool,
    ) -> Result<Removed, StoreError> {
        if !dry && !self.is_alone() {
            let path = self.path().to_owned();
            return Err(StoreError::InUse { path });
        }
        let mut removed = Removed::default();
        let unneeded: Vec<_> = self
            .blobs()?
            .into_iter()
            .filter(|(digest, _)| !needed.contains(digest))
            .collect();
        for (digest, length) in self.parents_first(unneeded) {
            if !go_on() {
                return Ok(removed);
            }
            if !dry {
                self.remove_blob(&digest)?;
            }
            removed.blobs += 1;
            removed.bytes += length;
        }
        for base in entries(&self.bases_dir())? {
            let name = base.file_name();
            let of = name.to_str().and_then(|name| name.split_once('-'));
            let of = of.and_then(|(hex, _)| format!("sha256:{hex}").parse::<Digest>().ok());
            if of.is_some_and(|of| needed.directories.contains(&of)) || !go_on() {
                continue;
            }
            if !dry {
                let path = base.path();
                fs::remove_dir_all(&path).map_err(|source| StoreError::write(&path, source))?;
            }
            removed.bases += 1;
        }
        Ok(removed)
    }

    /// Sorts blobs so that directories come before the blobs that they name.
    fn parents_first(&self, blobs: Vec<(Digest, u64)>) -> Vec<(Digest, u64)> {
        let mut below: HashMap<Digest, Vec<Digest>> = HashMap::new();
        for (digest, length) in &blobs {
            // A damaged directory is ignored, because writers cannot rely on what it names.
            if let Some(named) = self.named_by(digest, *length) {
                below.insert(*digest, named);
            }
        }
        let mut order = Vec::new();
        let mut seen = HashSet::new();
        for (digest, _) in &blobs {
            // Depth first, with an explicit stack, because untrusted trees can be arbitrarily deep.
            let mut stack = vec![(*digest, 0)];
            while let Some((at, next)) = stack.pop() {
                if next == 0 && !seen.insert(at) {
                    continue;
                }
                match below.get(&at).and_then(|named| named.get(next)) {
                    Some(child) => {
                        stack.push((at, next + 1));
                        stack.push((*child, 0));
                    }
                    None => order.push(at),
                }
            }
        }
        let lengths: HashMap<Digest, u64> = blobs.into_iter().collect();
        let top_down = order.into_iter().rev();
        top_down
            .filter_map(|digest| Some((digest, *lengths.get(&digest)?)))
            .collect()
    }

    /// Returns the digests that a blob names, if it is the encoding of a directory.
    fn named_by(&self, digest: &Digest, length: u64) -> Option<Vec<Digest>> {
        let head = self
            .read_range(digest, 0, length.min(DIRECTORY.len() as u64))
            .ok()?;
        if head != DIRECTORY {
            return None;
        }
        let entries = encoding::decode(&self.read(digest).ok()?).ok()?;
        let named = entries.into_iter().filter_map(|(_, entry)| match entry {
            Entry::Directory(digest) => Some(digest),
            Entry::File(file) => Some(file.content),
            Entry::Symlink(_) => None,
        });
        Some(named.collect())
    }
}

fn entries(dir: &Path) -> Result<Vec<fs::DirEntry>, StoreError> {
    let read = fs::read_dir(dir).and_then(Iterator::collect);
    read.map_err(|source| StoreError::read(dir, source))
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::*;
    use crate::{File, MemoryBlobs, Snapshot, TreeBuilder};

    /// Builds a tree from paths and texts of files.
    fn tree(files: &[(String, String)]) -> Snapshot {
        let blobs = MemoryBlobs::new();
        let mut builder = TreeBuilder::new();
        for (path, text) in files {
            let file = File {
                size: text.len() as u64,
                executable: false,
                modified: None,
                content: blobs.put(text.as_bytes().to_vec()),
            };
            // If a path is used as a file and as a directory, the first use wins.
            let _ = builder.insert_file(&TreePath::parse(path).unwrap(), file);
        }
        Snapshot::new(builder.finish(), Arc::new(blobs))
    }

    fn is_whole(store: &Store, root: &Digest) -> bool {
        let Ok(tree) = store.load_tree(root) else {
            return false;
        };
        tree.files()
            .all(|(_, file)| store.read(&file.content).is_ok())
    }

    fn files() -> impl Strategy<Value = Vec<(String, String)>> {
        let path = prop::collection::vec("[a-c]", 1..4).prop_map(|names| names.join("/"));
        prop::collection::vec((path, "[xy]{0,2}"), 0..6)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        /// For arbitrary trees, some of them reachable, and a removal that is interrupted after any number of blobs:
        /// reachable trees stay complete, no directory names a missing blob, and every tree can be stored again.
        #[test]
        fn nothing_that_is_needed_is_lost(
            trees in prop::collection::vec((files(), any::<bool>()), 1..6),
            dies_after in 0_u32..40,
        ) {
            let dir = tempfile::tempdir().unwrap();
            let store = Store::open_exclusive(dir.path()).unwrap();
            let snapshots: Vec<Snapshot> = trees.iter().map(|(files, _)| tree(files)).collect();
            let mut needed = Needed::new();
            for (snapshot, (_, is_needed)) in snapshots.iter().zip(&trees) {
                let root = store.put_snapshot(snapshot).unwrap();
                if *is_needed {
                    needed.add_tree(&store, &root).unwrap();
                }
            }
            let would = store.remove_unneeded(&needed, true, || true).unwrap();
            let asked = Cell::new(0);
            let removed = store
                .remove_unneeded(&needed, false, || {
                    asked.set(asked.get() + 1);
                    asked.get() <= dies_after
                })
                .unwrap();
            prop_assert_eq!(removed.blobs, would.blobs.min(u64::from(dies_after)));
            for (snapshot, (_, is_needed)) in snapshots.iter().zip(&trees) {
                let root = snapshot.tree.digest();
                // Existing trees are complete, no matter when the removal was interrupted.
                prop_assert!(is_whole(&store, &root) || (!is_needed && !store.contains(&root)));
            }
            for (digest, length) in store.blobs().unwrap() {
                for named in store.named_by(&digest, length).unwrap_or_default() {
                    prop_assert!(store.contains(&named), "{digest} names {named}, which is gone");
                }
            }
            for snapshot in &snapshots {
                let root = store.put_snapshot(snapshot).unwrap();
                prop_assert!(is_whole(&store, &root));
            }
            store.remove_unneeded(&needed, false, || true).unwrap();
            let left = store.blobs().unwrap();
            prop_assert!(left.iter().all(|(digest, _)| needed.contains(digest)));
        }
    }

    #[test]
    fn a_file_with_the_bytes_of_a_directory_hides_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open_exclusive(dir.path()).unwrap();
        let pair = |path: &str, text: &str| (path.to_owned(), text.to_owned());
        let inner = tree(&[pair("deep.txt", "x")]);
        let encoding = String::from_utf8(inner.tree.root().encode()).unwrap();
        let root = store
            .put_snapshot(&tree(&[pair("a", &encoding), pair("b/deep.txt", "x")]))
            .unwrap();
        let mut needed = Needed::new();
        // The file is added before the directory with the same bytes.
        needed.add_blob(inner.tree.digest());
        needed.add_tree(&store, &root).unwrap();
        store.remove_unneeded(&needed, false, || true).unwrap();
        assert!(is_whole(&store, &root));
    }

    #[test]
    fn nothing_is_removed_while_others_use_the_store() {
        let dir = tempfile::tempdir().unwrap();
        let user = Store::open(dir.path()).unwrap();
        assert!(matches!(
            Store::open_exclusive(dir.path()),
            Err(StoreError::InUse { .. })
        ));
        let refused = user.remove_unneeded(&Needed::new(), false, || true);
        assert!(matches!(refused, Err(StoreError::InUse { .. })));
        let clone = user.clone();
        drop(user);
        assert!(Store::open_exclusive(dir.path()).is_err());
        drop(clone);
        let alone = Store::open_exclusive(dir.path()).unwrap();
        let digest = alone.put(b"unneeded").unwrap();
        let would = alone
            .remove_unneeded(&Needed::new(), true, || true)
            .unwrap();
        assert_eq!((would.blobs, would.bytes), (1, 8));
        assert!(alone.contains(&digest));
        let removed = alone
            .remove_unneeded(&Needed::new(), false, || true)
            .unwrap();
        assert_eq!(removed, would);
        assert!(!alone.contains(&digest));
    }

    #[test]
    fn a_tree_that_is_not_whole_is_told_each_time() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open_exclusive(dir.path()).unwrap();
        let root = store
            .put_snapshot(&tree(&[
                ("a/b".to_owned(), "unknown".to_owned()),
                ("c/d".to_owned(), "known".to_owned()),
            ]))
            .unwrap();
        let kept = Digest::of(b"known");
        let inner = store.load_tree(&root).unwrap();
        let inner = inner
            .root()
            .get("a")
            .unwrap()
            .as_directory()
            .unwrap()
            .digest();
        store.remove_blob(&inner).unwrap();
        let mut needed = Needed::new();
        for _ in 0..2 {
            let error = needed.add_tree(&store, &root).unwrap_err();
            assert_eq!(error.directory(), Some(inner));
        }
        // The rest of an incomplete state is kept, so that it can be repaired.
        store.remove_unneeded(&needed, false, || true).unwrap();
        assert!(store.contains(&root) && store.contains(&kept));
        assert!(!store.contains(&Digest::of(b"unknown")));
    }

    #[test]
    fn a_pipe_under_the_name_of_a_blob_holds_nobody_up() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path()).unwrap();
        let digest = store.put(b"x").unwrap();
        let path = store.blob_path(&digest);
        for make in ["pipe", "directory"] {
            store.remove_blob(&digest).unwrap();
            match make {
                "pipe" => {
                    let made = std::process::Command::new("mkfifo").arg(&path).status();
                    assert!(made.unwrap().success());
                }
                _ => fs::create_dir(&path).unwrap(),
            }
            assert!(!store.contains(&digest), "{make}");
            let told = store.read(&digest).unwrap_err().to_string();
            assert!(told.contains("is not a regular file"), "{make}: {told}");
            assert!(store.read_range(&digest, 0, 1).is_err(), "{make}");
            assert!(store.open(&digest).is_err(), "{make}");
        }
    }
}
