//! From a directory to a tree.

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

/// How to capture.
#[derive(Clone, Copy, Debug)]
pub struct CaptureOptions<'a> {
    /// The tree that the directory was made from and what
    /// [`materialise`](crate::materialise) told about it: files that nobody touched
    /// since are not read again.
    pub base: Option<(&'a Tree, &'a Materialised)>,
    /// The world's clock, where the modification times on disk were set by a service
    /// of ours: a file of that time gets no time of its own, any other keeps the time
    /// on disk. Without it times on disk are ignored. In both cases a file that
    /// equals the one in the base has the time it has there.
    pub clock: Option<i64>,
    /// Whether, of those times on disk, only whole seconds count. Unpacking an archive sets
    /// such; what this machine itself wrote a file at has a fraction, where the file system
    /// keeps one.
    pub whole_seconds: bool,
    /// The most entries: files, directories and symlinks; never more than
    /// [`MAX_ENTRIES`].
    pub max_files: u64,
    /// The most bytes in all files together.
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

/// What a capture found and did.
#[derive(Clone, Debug)]
pub struct Captured {
    /// The tree.
    pub tree: Tree,
    /// Number of files that were read and hashed; the others were known to be the
    /// same as in the base.
    pub hashed: usize,
}

/// Reads the directory `dir` into a tree and keeps its blobs and the tree itself in
/// `store`.
///
/// Symlinks are kept as text and never followed. What a tree cannot hold is an error
/// that names its path, and then nothing is stored. `dir` itself may be a symlink.
pub fn capture(
    dir: &Path,
    store: &Store,
    options: &CaptureOptions<'_>,
) -> Result<Tree, CaptureError> {
    capture_counted(dir, store, options).map(|captured| captured.tree)
}

/// Like [`capture`], and tells how much had to be read.
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

/// Reads entries of directories and keeps their blobs.
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

    /// Checks the tree that was read and keeps it; what it shares with `base` is not written
    /// again where the store has that.
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

    /// Sorted, so that of several things that are wrong always the same is told.
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

    /// The time on disk, where it counts.
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
        // Without NONBLOCK a pipe put in the file's place would hold us here.
        let file = open(dir, name, OFlags::NOFOLLOW | OFlags::NONBLOCK).map_err(failed)?;
        let metadata = file.metadata().map_err(failed)?;
        if !metadata.is_file() {
            return Err(failed(io::Error::other("it changed while it was read")));
        }
        self.check_bytes(metadata.len())?;
        // One byte more than is allowed, to see that there is more.
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

/// Opens a directory that must not be a symlink.
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

/// A name that is not UTF-8, with its odd bytes escaped.
fn bytes(name: &std::ffi::OsStr) -> String {
    std::os::unix::ffi::OsStrExt::as_bytes(name)
        .escape_ascii()
        .to_string()
}

/// Why a directory could not be captured. Paths are those inside of it.
#[derive(Debug, thiserror::Error)]
pub enum CaptureError {
    /// The directory cannot be opened.
    #[error("cannot open directory {dir}")]
    Open {
        /// The directory on the host, in quotes.
        dir: String,
        /// What went wrong.
        source: io::Error,
    },
    /// An entry cannot be read.
    #[error("cannot read {path:?}")]
    Io {
        /// The entry.
        path: TreePath,
        /// What went wrong.
        source: io::Error,
    },
    /// A socket, pipe or device.
    #[error("{path:?} is {kind}; a world holds files, directories and symlinks only")]
    Special {
        /// The entry.
        path: TreePath,
        /// What it is, with its article.
        kind: &'static str,
    },
    /// A name that is not UTF-8.
    #[error("the name of {path} is not UTF-8")]
    NotUtf8 {
        /// The entry, in quotes, odd bytes escaped.
        path: String,
    },
    /// A symlink whose target is not UTF-8.
    #[error("the target of symlink {path:?} is not UTF-8")]
    TargetNotUtf8 {
        /// The symlink.
        path: TreePath,
    },
    /// A path that is too long or too deep.
    #[error(transparent)]
    Path(#[from] InvalidPath),
    /// A symlink that leads outside.
    #[error(transparent)]
    Symlink(#[from] SymlinkError),
    /// More entries than allowed.
    #[error("more than {limit} files, directories and symlinks (limit max_files)")]
    TooManyFiles {
        /// The limit.
        limit: u64,
    },
    /// More bytes than allowed.
    #[error("more than {limit} bytes in files (limit max_bytes)")]
    TooManyBytes {
        /// The limit.
        limit: u64,
    },
    /// The blobs could not be kept.
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
