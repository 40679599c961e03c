//! Store of blobs on disk, by digest.
//!
//! ```text
//! <store>/format          version of this layout
//! <store>/blobs/ab/cdef…  one read-only file per blob, named by its digest
//! <store>/bases/          materialised starting states, for overlay mounts
//! <store>/tmp/            files that are being written
//! <store>/lock            lock of the processes that use the store
//! ```
//!
//! A blob is written to `tmp`, synced, and renamed into place, so that no reader sees a partial blob. Several processes
//! may use one store.

use std::fs::{self, File, TryLockError};
use std::io::{self, Read};
use std::os::unix::fs::{FileExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use rustix::fs::OFlags;

use crate::base::Bases;
use crate::batch::Batch;
use crate::blobs::{damaged, foreign, missing};
use crate::{Blobs, Digest, Directory, LoadError, Node, Snapshot, Tree};

/// Version of the layout that this crate reads and writes.
pub const STORE_FORMAT: u32 = 1;

/// Age from which on an entry of `tmp` is assumed to be left by a process that died.
const ABANDONED: Duration = Duration::from_secs(24 * 60 * 60);

/// Store of blobs in a directory. Cloning is cheap.
#[derive(Clone, Debug)]
pub struct Store {
    root: Arc<Path>,
    bases: Arc<Bases>,
    lock: Arc<Lock>,
}

/// Lock that shows other processes that this one uses the store. Held until it is dropped.
#[derive(Debug)]
struct Lock {
    /// `None` if the store is not writable and has no lock file.
    _file: Option<File>,
    alone: bool,
    read_only: bool,
}

impl Store {
    /// Opens or creates the store in `dir`. A store that is not writable is opened for reading. Removes temporary files
    /// that processes left more than a day ago. Waits for a process that has opened the store
    /// [exclusively](Self::open_exclusive).
    pub fn open(dir: impl AsRef<Path>) -> Result<Self, StoreError> {
        Self::open_as(dir.as_ref(), false)
    }

    /// Opens the store in `dir` exclusively, as garbage collection requires.
    ///
    /// # Errors
    ///
    /// Returns [`StoreError::InUse`] if the store is already open.
    pub fn open_exclusive(dir: impl AsRef<Path>) -> Result<Self, StoreError> {
        Self::open_as(dir.as_ref(), true)
    }

    fn open_as(dir: &Path, alone: bool) -> Result<Self, StoreError> {
        fs::create_dir_all(dir).map_err(|source| StoreError::write(dir, source))?;
        let store = Self {
            root: dir.into(),
            bases: Arc::default(),
            lock: Arc::new(Lock::take(dir, alone)?),
        };
        if store.lock.read_only {
            store.check_format()?;
            return Ok(store);
        }
        let bases = store.bases_dir();
        for path in [store.blobs_dir(), store.temporary_dir(), bases] {
            fs::create_dir_all(&path).map_err(|source| StoreError::write(&path, source))?;
        }
        store.check_format()?;
        store.sweep();
        Ok(store)
    }

    /// Returns the directory of the store.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.root
    }

    /// Starts a batch of blobs that are synced together and appear on commit.
    #[must_use]
    pub fn batch(&self) -> Batch {
        Batch::new(self.clone())
    }

    /// Stores `bytes` and returns their digest.
    pub fn put(&self, bytes: &[u8]) -> Result<Digest, StoreError> {
        let mut batch = self.batch();
        let digest = batch.put_bytes(bytes)?;
        batch.commit()?;
        Ok(digest)
    }

    /// Stores the encodings of all directories of a tree, so that [`load_tree`](Self::load_tree) can read it. The bytes
    /// of its files must already be in the store; see [`put_snapshot`](Self::put_snapshot).
    pub fn put_tree(&self, tree: &Tree) -> Result<Digest, StoreError> {
        let mut batch = self.batch();
        let digest = batch.put_tree(tree)?;
        batch.commit()?;
        Ok(digest)
    }

    /// Stores a tree and the bytes of its files, unless they are already in the store.
    pub fn put_snapshot(&self, snapshot: &Snapshot) -> Result<Digest, StoreError> {
        let mut batch = self.batch();
        for (path, file) in snapshot.tree.files() {
            if !self.contains(&file.content) {
                let bytes = snapshot
                    .read(&path)
                    .map_err(|source| StoreError::Source { source })?;
                batch.put_bytes(&bytes)?;
            }
        }
        let digest = batch.put_tree(&snapshot.tree)?;
        batch.commit()?;
        Ok(digest)
    }

    /// Loads a tree by the digest of its root.
    pub fn load_tree(&self, root: &Digest) -> Result<Tree, LoadError> {
        Tree::load(root, self)
    }

    /// Loads a tree, with this store as the source of its files' bytes.
    pub fn snapshot(&self, root: &Digest) -> Result<Snapshot, LoadError> {
        Ok(Snapshot::new(self.load_tree(root)?, Arc::new(self.clone())))
    }

    /// Returns the path of a blob, whether or not it exists.
    #[must_use]
    pub fn blob_path(&self, digest: &Digest) -> PathBuf {
        let hex = digest.hex();
        let mut path = self.blobs_dir();
        path.push(&hex[..2]);
        path.push(&hex[2..]);
        path
    }

    pub(crate) fn bases(&self) -> &Bases {
        &self.bases
    }

    pub(crate) fn bases_dir(&self) -> PathBuf {
        self.root.join("bases")
    }

    pub(crate) fn is_alone(&self) -> bool {
        self.lock.alone
    }

    pub(crate) fn blobs_dir(&self) -> PathBuf {
        self.root.join("blobs")
    }

    pub(crate) fn temporary_dir(&self) -> PathBuf {
        self.root.join("tmp")
    }

    fn check_format(&self) -> Result<(), StoreError> {
        let path = self.root.join("format");
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return self.write_format(&path);
            }
            Err(source) => return Err(StoreError::read(&path, source)),
        };
        match text.trim_end().parse::<u32>() {
            Ok(STORE_FORMAT) => Ok(()),
            Ok(found) if found > STORE_FORMAT => Err(StoreError::NewerFormat {
                path: self.root.to_path_buf(),
                found,
            }),
            _ => Err(StoreError::BadFormat {
                path,
                text: crate::path::shorten(&text),
            }),
        }
    }

    fn write_format(&self, path: &Path) -> Result<(), StoreError> {
        let write = || {
            let mut file = tempfile::NamedTempFile::new_in(self.temporary_dir())?;
            io::Write::write_all(&mut file, format!("{STORE_FORMAT}\n").as_bytes())?;
            let mode = fs::Permissions::from_mode(0o644);
            file.as_file().set_permissions(mode)?;
            file.as_file().sync_all()?;
            file.persist(path)?;
            Ok(())
        };
        write().map_err(|source| StoreError::write(path, source))
    }

    /// Best effort. Entries that cannot be removed are tried again when the store is opened the next time.
    fn sweep(&self) {
        let Some(limit) = SystemTime::now().checked_sub(ABANDONED) else {
            return;
        };
        for entry in fs::read_dir(self.temporary_dir())
            .into_iter()
            .flatten()
            .flatten()
        {
            let Ok(metadata) = entry.metadata() else {
                continue;
            };
            if metadata.modified().is_ok_and(|time| time < limit) {
                let _ = if metadata.is_dir() {
                    fs::remove_dir_all(entry.path())
                } else {
                    fs::remove_file(entry.path())
                };
            }
        }
    }

    /// Returns the length of a blob, or `None` if it is missing.
    pub(crate) fn length(&self, digest: &Digest) -> Option<u64> {
        let metadata = fs::metadata(self.blob_path(digest)).ok()?;
        metadata.is_file().then_some(metadata.len())
    }

    fn open_blob(&self, digest: &Digest) -> io::Result<File> {
        // Without `NONBLOCK`, opening a pipe would wait for a writer.
        let mut options = File::options();
        options.custom_flags(OFlags::NONBLOCK.bits().cast_signed());
        let opened = options.read(true).open(self.blob_path(digest));
        let file = opened.map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => missing(digest),
            _ => error,
        })?;
        if file.metadata()?.is_file() {
            Ok(file)
        } else {
            Err(foreign(digest))
        }
    }
}

impl Lock {
    fn take(dir: &Path, alone: bool) -> Result<Self, StoreError> {
        let path = dir.join("lock");
        let failed = |source| StoreError::write(&path, source);
        let opened = File::options()
            .create(true)
            .truncate(false)
            .write(true)
            .open(&path);
        let file = match opened {
            Ok(file) => file,
            Err(error) if !alone && is_unwritable(&error) && dir.join("format").is_file() => {
                // A process that can write to the store must still wait for readers.
                let file = File::open(&path).ok();
                if let Some(file) = &file {
                    file.lock_shared().map_err(failed)?;
                }
                return Ok(Self {
                    _file: file,
                    alone,
                    read_only: true,
                });
            }
            Err(source) => return Err(failed(source)),
        };
        if alone {
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => {
                    let path = dir.to_owned();
                    return Err(StoreError::InUse { path });
                }
                Err(TryLockError::Error(source)) => return Err(failed(source)),
            }
        } else {
            file.lock_shared().map_err(failed)?;
        }
        Ok(Self {
            _file: Some(file),
            alone,
            read_only: false,
        })
    }
}

/// Reports whether the error means that the file system or the permissions forbid writing.
fn is_unwritable(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ReadOnlyFilesystem | io::ErrorKind::PermissionDenied
    )
}

impl Blobs for Store {
    fn read(&self, digest: &Digest) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.open_blob(digest)?.read_to_end(&mut bytes)?;
        if Digest::of(&bytes) == *digest {
            Ok(bytes)
        } else {
            Err(damaged(digest))
        }
    }

    fn read_range(&self, digest: &Digest, offset: u64, length: u64) -> io::Result<Vec<u8>> {
        let file = self.open_blob(digest)?;
        let rest = file.metadata()?.len().saturating_sub(offset);
        let length = usize::try_from(rest.min(length)).map_err(io::Error::other)?;
        let mut bytes = vec![0; length];
        file.read_exact_at(&mut bytes, offset)?;
        Ok(bytes)
    }

    fn contains(&self, digest: &Digest) -> bool {
        self.length(digest).is_some()
    }

    fn open(&self, digest: &Digest) -> io::Result<Option<File>> {
        self.open_blob(digest).map(Some)
    }
}

impl Batch {
    /// Adds the encodings of all directories of a tree.
    pub fn put_tree(&mut self, tree: &Tree) -> Result<Digest, StoreError> {
        self.put_tree_onto(tree, None)
    }

    /// Adds a tree like [`put_tree`](Self::put_tree), but skips directories that it shares with `base` if the store
    /// contains `base`.
    pub(crate) fn put_tree_onto(
        &mut self,
        tree: &Tree,
        base: Option<&Tree>,
    ) -> Result<Digest, StoreError> {
        let count = tree.len();
        if count > crate::MAX_ENTRIES {
            return Err(StoreError::TooLarge {
                limit: crate::MAX_ENTRIES,
            });
        }
        let base = base
            .map(Tree::root)
            .filter(|root| self.has(&root.digest(), root.encode().len() as u64));
        self.put_directory(tree.root(), base)
    }

    /// Children first, so that everything a stored directory names is stored as well.
    fn put_directory(
        &mut self,
        directory: &Directory,
        base: Option<&Directory>,
    ) -> Result<Digest, StoreError> {
        if base.is_some_and(|base| base.same(directory)) {
            return Ok(directory.digest());
        }
        for (name, node) in directory.iter() {
            if let Node::Directory(below) = node {
                let base = base.and_then(|base| base.get(name)?.as_directory());
                self.put_directory(below, base)?;
            }
        }
        self.put_bytes(&directory.encode())
    }
}

/// Error of a store.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Error of writing a file of the store.
    #[error("cannot write {path:?} in the blob store")]
    Write {
        /// Path of the file or directory.
        path: PathBuf,
        /// Cause.
        source: io::Error,
    },
    /// Error of reading a file of the store.
    #[error("cannot read {path:?} in the blob store")]
    Read {
        /// Path of the file or directory.
        path: PathBuf,
        /// Cause.
        source: io::Error,
    },
    /// Error of reading the input.
    #[error("cannot read the data to store")]
    Input(#[source] io::Error),
    /// Error of reading a file of the snapshot to store.
    #[error("the snapshot to store is incomplete")]
    Source {
        /// Cause.
        source: crate::ReadError,
    },
    /// Another process has opened the store, or this process has not opened it exclusively.
    #[error("the blob store {path:?} is in use")]
    InUse {
        /// Path of the store.
        path: PathBuf,
    },
    /// Store that was written by a newer version of this program.
    #[error(
        "the blob store {path:?} has format {found}, but this version reads formats up to {STORE_FORMAT}"
    )]
    NewerFormat {
        /// Path of the store.
        path: PathBuf,
        /// Format of the store.
        found: u32,
    },
    /// Format file with invalid content.
    #[error("{path:?} is not valid: expected the format of a blob store, found {text:?}")]
    BadFormat {
        /// Path of the file.
        path: PathBuf,
        /// Content, truncated if it is long.
        text: String,
    },
    /// Tree with too many entries.
    #[error("the tree has more than {limit} entries")]
    TooLarge {
        /// Limit, [`MAX_ENTRIES`](crate::MAX_ENTRIES).
        limit: u64,
    },
}

impl StoreError {
    pub(crate) fn write(path: &Path, source: io::Error) -> Self {
        Self::Write {
            path: path.to_owned(),
            source,
        }
    }

    pub(crate) fn read(path: &Path, source: io::Error) -> Self {
        Self::Read {
            path: path.to_owned(),
            source,
        }
    }
}
