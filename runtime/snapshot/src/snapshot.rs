//! Tree with the bytes of its files.

use std::fmt;
use std::io;
use std::path::Path;
use std::sync::Arc;

use crate::{
    Blobs, CaptureError, CaptureOptions, Digest, File, Kind, Node, Scratch, Store, StoreError,
    Tree, TreePath, capture, scratch_parent,
};

/// Tree together with the source of its files' bytes, which is the input of grading.
#[derive(Clone)]
pub struct Snapshot {
    /// Tree.
    pub tree: Tree,
    /// Source of the bytes of its files.
    pub blobs: Arc<dyn Blobs>,
}

impl Snapshot {
    /// Creates a snapshot from its parts.
    #[must_use]
    pub fn new(tree: Tree, blobs: Arc<dyn Blobs>) -> Self {
        Self { tree, blobs }
    }

    /// Captures a directory as it is now, for a program without a store. The files are copied to a [`Scratch`]
    /// directory, which is removed with the last clone of this snapshot. For many snapshots, [`capture`] them into one
    /// [`Store`].
    pub fn of_directory(dir: impl AsRef<Path>) -> Result<Self, CaptureError> {
        let parent = scratch_parent(None);
        let scratch = Scratch::new(&parent).map_err(|source| StoreError::write(&parent, source))?;
        let store = Store::open(scratch.path())?;
        let tree = capture(dir.as_ref(), &store, &CaptureOptions::default())?;
        let blobs = Own {
            store,
            _scratch: scratch,
        };
        Ok(Self::new(tree, Arc::new(blobs)))
    }

    /// Returns the digest of the tree.
    #[must_use]
    pub fn digest(&self) -> Digest {
        self.tree.digest()
    }

    /// Reads the file at `path`.
    pub fn read(&self, path: &TreePath) -> Result<Vec<u8>, ReadError> {
        let file = self.file(path)?;
        let bytes = self.blobs.read(&file.content);
        let checked = bytes.and_then(|bytes| {
            if bytes.len() as u64 == file.size {
                Ok(bytes)
            } else {
                Err(crate::blobs::damaged(&file.content))
            }
        });
        checked.map_err(|source| unreadable(path, source))
    }

    /// Reads at most `length` bytes from `offset` on of the file at `path`, and fewer at its end.
    pub fn read_range(
        &self,
        path: &TreePath,
        offset: u64,
        length: u64,
    ) -> Result<Vec<u8>, ReadError> {
        let file = self.file(path)?;
        self.blobs
            .read_range(&file.content, offset, length)
            .map_err(|source| unreadable(path, source))
    }

    fn file(&self, path: &TreePath) -> Result<&File, ReadError> {
        match self.tree.get(path) {
            Some(Node::File(file)) => Ok(file),
            Some(node) => Err(ReadError::NotAFile {
                path: path.clone(),
                kind: node.kind(),
            }),
            None => Err(ReadError::NotFound { path: path.clone() }),
        }
    }
}

/// Store of one snapshot.
struct Own {
    store: Store,
    _scratch: Scratch,
}

impl Blobs for Own {
    fn read(&self, digest: &Digest) -> io::Result<Vec<u8>> {
        self.store.read(digest)
    }

    fn read_range(&self, digest: &Digest, offset: u64, length: u64) -> io::Result<Vec<u8>> {
        self.store.read_range(digest, offset, length)
    }

    fn contains(&self, digest: &Digest) -> bool {
        self.store.contains(digest)
    }

    fn open(&self, digest: &Digest) -> io::Result<Option<std::fs::File>> {
        Blobs::open(&self.store, digest)
    }
}

impl fmt::Debug for Snapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Snapshot")
            .field("tree", &self.tree)
            .finish_non_exhaustive()
    }
}

fn unreadable(path: &TreePath, source: io::Error) -> ReadError {
    ReadError::Blob {
        path: path.clone(),
        source,
    }
}

/// Error of reading a file of a snapshot.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// Missing entry.
    #[error("{path:?} does not exist")]
    NotFound {
        /// Path.
        path: TreePath,
    },
    /// Entry that is not a file.
    #[error("{path:?} is not a file but a {kind}")]
    NotAFile {
        /// Path.
        path: TreePath,
        /// Kind of the entry.
        kind: Kind,
    },
    /// Missing or damaged bytes of the file.
    #[error("cannot read {path:?}")]
    Blob {
        /// Path.
        path: TreePath,
        /// Cause.
        source: io::Error,
    },
}
