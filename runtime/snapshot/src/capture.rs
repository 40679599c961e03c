//! Capture of a directory as a tree.

use std::collections::BTreeMap;
use std::io;
use std::io::Read;
use std::path::Path;

use cap_std::ambient_authority;
use cap_std::fs::{
    Dir, FileTypeExt, Metadata, MetadataExt, OpenOptions, OpenOptionsExt, PermissionsExt,
};
use rustix::fs::OFlags;

use crate::batch::Batch;
use crate::materialise::{Fingerprint, Materialised};
use crate::symlink::{self, SymlinkError};
use crate::{
    Directory, File, InvalidPath, MAX_ENTRIES, Node, Store, StoreError, Symlink, Tree, TreePath,
};

/// Options of a capture.
#[derive(Clone, Copy, Debug)]
pub struct CaptureOptions<'a> {
    /// Tree from which the directory was created, and the result of [`materialise`](crate::materialise) for it. Files
    /// that have not changed since are not read again.
    pub base: Option<(&'a Tree, &'a Materialised)>,
    /// Clock of the world, if the modification times on disk were set by a service. A file with this time gets no
    /// modification time, and any other file keeps its time on disk. Without a clock, times on disk are ignored. In
    /// both cases, a file that equals the one in the base keeps the time from the base.
    pub clock: Option<i64>,
    /// Ignores times on disk with a fraction of a second. Unpacking an archive sets times in whole seconds, while files
    /// written by this machine have a fraction, if the file system stores one.
    pub whole_seconds: bool,
    /// Maximum number of files, directories and symlinks. The limit is never higher than [`MAX_ENTRIES`].
    pub max_files: u64,
    /// Maximum total size of the files, in bytes.
    pub max_bytes: u64,
}

impl Default for CaptureOptions<'_> {
    fn default() -> Self {
        Self {
            base: None,
            clock: None,
            whole_seconds: false,
            max_files: MAX_ENTRIES,
            max_bytes: u64::MAX,
        }
    }
}

/// Result of a capture.
#[derive(Clone, Debug)]
pub struct Captured {
    /// Tree.
    pub tree: Tree,
    /// Number of files that were read and hashed. The others are known to equal those of the base.
    pub hashed: usize,
}

/// Captures the directory `dir` as a tree. Stores the tree and the blobs of its files in `store`.
///
/// Symlinks are stored as text and never followed. An entry that a tree cannot contain is an error that names its path,
/// and then nothing is stored. `dir` itself may be a symlink.
pub fn capture(
    dir: &Path,
    store: &Store,
    options: &CaptureOptions<'_>,
) -> Result<Tree, CaptureError> {
    capture_counted(dir, store, options).map(|captured| captured.tree)
}

/// Captures a directory like [`capture`], and also counts the files that were read.
pub fn capture_counted(
    dir: &Path,
    store: &Store,
    options: &CaptureOptions<'_>,
) -> Result<Captured, CaptureError> {
    let root =
        Dir::open_ambient_dir(dir, ambient_authority()).map_err(|source| CaptureError::Open {
            dir: format!("{dir:?}"),
            source,
        })?;
    let mut walker = Walker::new(store, options);
    let base = options.base.map(|(tree, _)| tree.root());
    let root = walker.directory(&root, &TreePath::root(), base)?;
    walker.finish(Tree::from_root(root), None)
}

/// Reader of directory entries that stores their blobs.
pub(crate) struct Walker<'a> {
    batch: Batch,
    options: &'a CaptureOptions<'a>,
    entries: u64,
    bytes: u64,
    hashed: usize,
}

impl<'a> Walker<'a> {
    pub(crate) fn new(store: &Store, options: &'a CaptureOptions<'a>) -> Self {
        Self {
            batch: store.batch(),
            options,
            entries: 0,
            bytes: 0,
            hashed: 0,
        }
    }

    /// Checks the tree and stores it. Directories that it shares with `base` are not written again if the store
    /// contains `base`.
    pub(crate) fn finish(
        mut self,
        tree: Tree,
        base: Option<&Tree>,
    ) -> Result<Captured, CaptureError> {
        tree.check_symlinks()?;
        self.batch.put_tree_onto(&tree, base)?;
        self.batch.commit()?;
        Ok(Captured {
            tree,
            hashed: self.hashed,
        })
    }

    fn directory(
        &mut self,
        dir: &Dir,
        path: &TreePath,
        base: Option<&Directory>,
    ) -> Result<Directory, CaptureError> {
        let mut nodes = BTreeMap::new();
        for name in self.names(dir, path)? {
            let at = path.join(&name)?;
            let base = base.and_then(|directory| directory.get(&name));
            let node = self.node(dir, &name, &at, base)?;
            nodes.insert(name, node);
        }
        Ok(Directory::from_entries(nodes))
    }

    /// Returns the names in a directory. They are sorted, so that the same one of several errors is reported each time.
    pub(crate) fn names(
        &mut self,
        dir: &Dir,
        path: &TreePath,
    ) -> Result<Vec<String>, CaptureError> {
        let failed = |source| CaptureError::io(path, source);
        let mut names = Vec::new();
        for entry in dir.entries().map_err(failed)? {
            let name = entry.map_err(failed)?.file_name();
            self.entries += 1;
            let limit = self.options.max_files.min(MAX_ENTRIES);
            if self.entries > limit {
                return Err(CaptureError::TooManyFiles { limit });
            }
            names.push(name.into_string().map_err(|name| {
                let within = if path.is_root() { "" } else { "/" };
                CaptureError::NotUtf8 {
                    path: format!(
                        "\"{}{within}{}\"",
                        path.as_str().escape_debug(),
                        bytes(&name)
                    ),
                }
            })?);
        }
        names.sort();
        Ok(names)
    }

    pub(crate) fn node(
        &mut self,
        dir: &Dir,
        name: &str,
        path: &TreePath,
        base: Option<&Node>,
    ) -> Result<Node, CaptureError> {
        let failed = |source| CaptureError::io(path, source);
        let metadata = dir.symlink_metadata(name).map_err(failed)?;
        let kind = metadata.file_type();
        if kind.is_dir() {
            let below = open_directory(dir, name).map_err(failed)?;
            let base = base.and_then(Node::as_directory);
            return self.directory(&below, path, base).map(Node::Directory);
        }
        if kind.is_file() {
            let base = base.and_then(Node::as_file);
            return self.file(dir, name, path, &metadata, base).map(Node::File);
        }
        if kind.is_symlink() {
            let target = dir.read_link_contents(name).map_err(failed)?;
            let target = target.into_os_string().into_string();
            let target = target.map_err(|_| CaptureError::TargetNotUtf8 { path: path.clone() })?;
            symlink::check_text(path, &target)?;
            return Ok(Node::Symlink(Symlink { target }));
        }
        Err(CaptureError::Special {
            path: path.clone(),
            kind: if kind.is_socket() {
                "a socket"
            } else if kind.is_fifo() {
                "a pipe"
            } else {
                "a device"
            },
        })
    }

    fn file(
        &mut self,
        dir: &Dir,
        name: &str,
        path: &TreePath,
        metadata: &Metadata,
        base: Option<&File>,
    ) -> Result<File, CaptureError> {
        let known = self.unchanged(path, metadata);
        let (content, size) = match known {
            Some(fingerprint) => (fingerprint.digest, fingerprint.size),
            None => self.read(dir, name, path)?,
        };
        self.bytes = self.bytes.saturating_add(size);
        self.check_bytes(0)?;
        let mut file = File {
            size,
            executable: metadata.permissions().mode() & 0o100 != 0,
            modified: None,
            content,
        };
        file.modified = match base {
            Some(base) if base.content == content && base.executable == file.executable => {
                base.modified
            }
            _ => self.time(metadata),
        };
        Ok(file)
    }

    /// Returns the time on disk if the options use it.
    fn time(&self, metadata: &Metadata) -> Option<i64> {
        let clock = self.options.clock?;
        let counts = !self.options.whole_seconds || metadata.mtime_nsec() == 0;
        (counts && metadata.mtime() != clock).then(|| metadata.mtime())
    }

    fn unchanged(&self, path: &TreePath, metadata: &Metadata) -> Option<Fingerprint> {
        let (_, materialised) = self.options.base?;
        let fingerprint = materialised.get(path)?;
        let now = Fingerprint {
            device: metadata.dev(),
            inode: metadata.ino(),
            size: metadata.len(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
            digest: fingerprint.digest,
        };
        let same = now == *fingerprint && materialised.is_settled(fingerprint);
        (same && self.batch.has(&now.digest, now.size)).then_some(now)
    }

    fn read(
        &mut self,
        dir: &Dir,
        name: &str,
        path: &TreePath,
    ) -> Result<(crate::Digest, u64), CaptureError> {
        let failed = |source| CaptureError::io(path, source);
        // Without `NONBLOCK`, opening a pipe that replaced the file would block.
        let file = open(dir, name, OFlags::NOFOLLOW | OFlags::NONBLOCK).map_err(failed)?;
        let metadata = file.metadata().map_err(failed)?;
        if !metadata.is_file() {
            return Err(failed(io::Error::other("it changed while it was read")));
        }
        self.check_bytes(metadata.len())?;
        // One byte more than allowed, to detect files that are too large.
        let rest = self.options.max_bytes.saturating_sub(self.bytes);
        let reader = file.into_std().take(rest.saturating_add(1));
        self.hashed += 1;
        self.batch.put_reader(reader).map_err(|error| match error {
            StoreError::Input(source) => failed(source),
            other => other.into(),
        })
    }

    fn check_bytes(&self, more: u64) -> Result<(), CaptureError> {
        let limit = self.options.max_bytes;
        if self.bytes.saturating_add(more) > limit {
            return Err(CaptureError::TooManyBytes { limit });
        }
        Ok(())
    }
}

/// Opens a directory, which must not be a symlink.
pub(crate) fn open_directory(dir: &Dir, name: &str) -> io::Result<Dir> {
    let file = open(dir, name, OFlags::NOFOLLOW | OFlags::DIRECTORY)?;
    Ok(Dir::from_std_file(file.into_std()))
}

fn open(dir: &Dir, name: &str, flags: OFlags) -> io::Result<cap_std::fs::File> {
    let mut options = OpenOptions::new();
    options.read(true);
    options.custom_flags(flags.bits().cast_signed());
    dir.open_with(name, &options)
}

/// Escapes the invalid bytes of a name that is not UTF-8.
fn bytes(name: &std::ffi::OsStr) -> String {
    std::os::unix::ffi::OsStrExt::as_bytes(name)
        .escape_ascii()
        .to_string()
}

/// Error of capturing a directory. Paths are relative to the directory.
#[derive(Debug, thiserror::Error)]
pub enum CaptureError {
    /// Error of opening the directory.
    #[error("cannot open directory {dir}")]
    Open {
        /// Directory on the host, in quotes.
        dir: String,
        /// Cause.
        source: io::Error,
    },
    /// Error of reading an entry.
    #[error("cannot read {path:?}")]
    Io {
        /// Path of the entry.
        path: TreePath,
        /// Cause.
        source: io::Error,
    },
    /// Socket, pipe or device.
    #[error("{path:?} is {kind}; a world can contain only files, directories and symlinks")]
    Special {
        /// Path of the entry.
        path: TreePath,
        /// Kind of the entry, with its article.
        kind: &'static str,
    },
    /// Name that is not UTF-8.
    #[error("the name of {path} is not UTF-8")]
    NotUtf8 {
        /// Path of the entry in quotes, with invalid bytes escaped.
        path: String,
    },
    /// Symlink whose target is not UTF-8.
    #[error("the target of symlink {path:?} is not UTF-8")]
    TargetNotUtf8 {
        /// Path of the symlink.
        path: TreePath,
    },
    /// Path that is too long or too deep.
    #[error(transparent)]
    Path(#[from] InvalidPath),
    /// Symlink that leads outside.
    #[error(transparent)]
    Symlink(#[from] SymlinkError),
    /// Too many entries.
    #[error("more than {limit} files, directories and symlinks (limit max_files)")]
    TooManyFiles {
        /// Limit.
        limit: u64,
    },
    /// Too many bytes.
    #[error("more than {limit} bytes in files (limit max_bytes)")]
    TooManyBytes {
        /// Limit.
        limit: u64,
    },
    /// Error of storing the blobs.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl CaptureError {
    pub(crate) fn io(path: &TreePath, source: io::Error) -> Self {
        Self::Io {
            path: path.clone(),
            source,
        }
    }
}
