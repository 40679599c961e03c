//! What a store holds, what of it is needed, and the removal of the rest.
//!
//! Nothing is removed while anybody has the store open: [`Store::open_alone`] waits for nobody and says so.
//! A directory that is in the store has all that it names there, and writers rely on that; so what is
//! removed goes from the top down, and a removal that is cut off at any moment leaves that true.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::io;
use std::path::Path;

use crate::encoding::{self, Entry};
use crate::{Blobs, Digest, LoadError, Store, StoreError, TreePath};

/// Begins every encoding of a directory.
const DIRECTORY: &[u8] = b"{\"directory\":[";

/// What is needed of a store: blobs, and of them those that are directories.
///
/// The two are kept apart, for a file may have the very bytes of a directory.
#[derive(Debug, Clone, Default)]
pub struct Needed {
    blobs: HashSet<Digest>,
    directories: HashSet<Digest>,
}

/// What a removal did, or would do.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Removed {
    /// Blobs that nothing needs.
    pub blobs: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Worlds that were laid out for attempts and that nothing needs.
    pub bases: u64,
}

impl Needed {
    /// Nothing.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds one blob, which need not be there.
    pub fn add_blob(&mut self, digest: Digest) {
        self.blobs.insert(digest);
    }

    /// Adds a tree: the encodings of its directories and the bytes of its files, which need not be there.
    ///
    /// # Errors
    ///
    /// The first directory that is missing, damaged or none: what it names cannot be known. It is added all
    /// the same, as is all of the tree that other directories name.
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
                // Its directories are not taken as known, so that the next tree with the same is looked at too.
                self.blobs.extend(&tree.blobs);
                Err(error)
            }
        }
    }

    /// Adds all that somebody else needs.
    pub fn add(&mut self, other: &Self) {
        self.blobs.extend(&other.blobs);
        self.directories.extend(&other.directories);
    }

    /// Whether a blob is needed.
    #[must_use]
    pub fn contains(&self, digest: &Digest) -> bool {
        self.blobs.contains(digest)
    }

    /// All blobs, in no order.
    pub fn blobs(&self) -> impl Iterator<Item = &Digest> {
        self.blobs.iter()
    }
}

/// What a directory of a tree names.
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

/// Bytes of all files below a directory. What somebody else removes meanwhile is not counted.
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
    /// The blobs with their lengths, by name. What is not named by a digest is none.
    ///
    /// # Errors
    ///
    /// When a directory of the store cannot be read.
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

    /// Bytes of the worlds that are laid out for attempts; they are made anew where they are gone.
    #[must_use]
    pub fn bases_bytes(&self) -> u64 {
        bytes_below(&self.bases_dir())
    }

    /// Removes a blob, so that it can be written again: one that is damaged.
    ///
    /// # Errors
    ///
    /// When it cannot be removed; that it is not there is no error.
    pub fn remove_blob(&self, digest: &Digest) -> Result<(), StoreError> {
        let path = self.blob_path(digest);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(StoreError::write(&path, error))
            }
            _ => Ok(()),
        }
    }

    /// Removes what is not needed, or only says what that is. `go_on` is asked before each blob.
    ///
    /// # Errors
    ///
    /// When the store is not open [alone](Self::open_alone), or something cannot be read or removed.
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

    /// Blobs in an order in which no directory comes after what it names.
    fn parents_first(&self, blobs: Vec<(Digest, u64)>) -> Vec<(Digest, u64)> {
        let mut below: HashMap<Digest, Vec<Digest>> = HashMap::new();
        for (digest, length) in &blobs {
            // A damaged one names nothing that anybody could rely on.
            if let Some(named) = self.named_by(digest, *length) {
                below.insert(*digest, named);
            }
        }
        let mut order = Vec::new();
        let mut seen = HashSet::new();
        for (digest, _) in &blobs {
            // Deepest first, on a stack of our own: trees of strangers are as deep as they like.
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

    /// What a blob names, where it is the encoding of a directory.
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

    /// A tree with these files; the text of each is its own.
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
            // A name that is a file and a directory at once goes to whoever came first.
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

        /// Any trees, some of them needed, and a removal that dies after any number of blobs: what is needed
        /// stays whole, no directory names what is gone, and every tree can be put again.
        #[test]
        fn nothing_that_is_needed_is_lost(
            trees in prop::collection::vec((files(), any::<bool>()), 1..6),
            dies_after in 0_u32..40,
        ) {
            let dir = tempfile::tempdir().unwrap();
            let store = Store::open_alone(dir.path()).unwrap();
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
                // What is there is whole, however far the removal came.
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
        let store = Store::open_alone(dir.path()).unwrap();
        let pair = |path: &str, text: &str| (path.to_owned(), text.to_owned());
        let inner = tree(&[pair("deep.txt", "x")]);
        let encoding = String::from_utf8(inner.tree.root().encode()).unwrap();
        let root = store
            .put_snapshot(&tree(&[pair("a", &encoding), pair("b/deep.txt", "x")]))
            .unwrap();
        let mut needed = Needed::new();
        // The file is seen before the directory of the same bytes.
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
            Store::open_alone(dir.path()),
            Err(StoreError::InUse { .. })
        ));
        let refused = user.remove_unneeded(&Needed::new(), false, || true);
        assert!(matches!(refused, Err(StoreError::InUse { .. })));
        let clone = user.clone();
        drop(user);
        assert!(Store::open_alone(dir.path()).is_err());
        drop(clone);
        let alone = Store::open_alone(dir.path()).unwrap();
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
        let store = Store::open_alone(dir.path()).unwrap();
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
        // A state can be mended as long as what is left of it stays.
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
            assert!(told.contains("is no regular file"), "{make}: {told}");
            assert!(store.read_range(&digest, 0, 1).is_err(), "{make}");
            assert!(store.open(&digest).is_err(), "{make}");
        }
    }
}
