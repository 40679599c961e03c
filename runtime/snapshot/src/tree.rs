//! Tree of directories, files and symlinks in memory.

use std::fmt;

use crate::encoding::{self, EncodingError, Entry};
use crate::symlink::{self, SymlinkError};
use crate::{Blobs, Digest, Directory, File, InvalidPath, Node, TreePath};

/// Maximum number of entries of a stored tree.
pub const MAX_ENTRIES: u64 = 1_000_000;

/// Immutable tree of directories, files and symlinks in memory, without the bytes of its files. Cloning is cheap.
#[derive(Clone)]
pub struct Tree {
    root: Node,
}

impl Tree {
    /// Returns the empty tree.
    #[must_use]
    pub fn empty() -> Self {
        Self::from_root(Directory::default())
    }

    pub(crate) fn from_root(root: Directory) -> Self {
        Self {
            root: Node::Directory(root),
        }
    }

    /// Returns the root directory.
    #[must_use]
    pub fn root(&self) -> &Directory {
        let Node::Directory(root) = &self.root else {
            unreachable!("the root is always a directory")
        };
        root
    }

    /// Returns the entry at `path`. Symlinks are not followed.
    #[must_use]
    pub fn get(&self, path: &TreePath) -> Option<&Node> {
        path.segments()
            .try_fold(&self.root, |node, name| node.as_directory()?.get(name))
    }

    /// Returns all entries below `path`, without `path` itself, sorted by the bytes of their paths. Returns none if
    /// `path` is not a directory.
    pub fn walk(
        &self,
        path: &TreePath,
    ) -> impl ExactSizeIterator<Item = (TreePath, &Node)> + use<'_> {
        let mut found = Vec::new();
        if let Some(Node::Directory(directory)) = self.get(path) {
            collect(directory, path, &mut found);
        }
        found.into_iter()
    }

    /// Returns all files of the tree, sorted by the bytes of their paths.
    pub fn files(&self) -> impl Iterator<Item = (TreePath, &File)> + use<'_> {
        self.walk(&TreePath::root())
            .filter_map(|(path, node)| Some((path, node.as_file()?)))
    }

    /// Returns the number of entries, without the root.
    #[must_use]
    pub fn len(&self) -> u64 {
        fn count(directory: &Directory) -> u64 {
            directory
                .iter()
                .map(|(_, node)| 1 + node.as_directory().map_or(0, count))
                .sum()
        }
        count(self.root())
    }

    /// Reports whether the tree has no entries.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.root().is_empty()
    }

    /// Returns the total size of all files, in bytes.
    #[must_use]
    pub fn total_size(&self) -> u64 {
        fn size(directory: &Directory) -> u64 {
            directory.iter().fold(0, |sum: u64, (_, node)| {
                sum.saturating_add(match node {
                    Node::Directory(directory) => size(directory),
                    Node::File(file) => file.size,
                    Node::Symlink(_) => 0,
                })
            })
        }
        size(self.root())
    }

    /// Returns the digest of the root directory, which identifies the whole tree.
    #[must_use]
    pub fn digest(&self) -> Digest {
        self.root().digest()
    }

    /// Resolves every symlink like the kernel, and refuses one that leads outside through another.
    /// [`capture`](crate::capture) and [`materialise`](crate::materialise) perform this check themselves.
    pub fn check_symlinks(&self) -> Result<(), SymlinkError> {
        let mut symlinks = Vec::new();
        collect_symlinks(self.root(), &TreePath::root(), &mut symlinks);
        // Sorted, so that the same one of several errors is reported each time.
        symlinks.sort();
        let symlinks = symlinks.iter().map(|(path, target)| (path, *target));
        symlink::check_tree(self.root(), symlinks)
    }

    /// Loads a tree by the digest of its root from the encodings of its directories, which are validated. The bytes of
    /// files are not read.
    pub fn load(root: &Digest, blobs: &dyn Blobs) -> Result<Self, LoadError> {
        let mut entries = 0;
        let root = load(&TreePath::root(), root, blobs, &mut entries)?;
        Ok(Self::from_root(root))
    }
}

fn collect<'a>(directory: &'a Directory, path: &TreePath, found: &mut Vec<(TreePath, &'a Node)>) {
    // Below a directory `a` every path starts with `a/`, so its subtree comes after siblings whose names continue `a`
    // with a byte smaller than `/`.
    let mut steps: Vec<(String, &Node, bool)> = Vec::with_capacity(directory.len());
    for (name, node) in directory.iter() {
        steps.push((name.to_owned(), node, false));
        if node.as_directory().is_some_and(|below| !below.is_empty()) {
            steps.push((format!("{name}/"), node, true));
        }
    }
    steps.sort_by(|a, b| a.0.cmp(&b.0));
    for (name, node, below) in steps {
        match node {
            Node::Directory(directory) if below => {
                collect(directory, &path.child(name.trim_end_matches('/')), found);
            }
            _ => found.push((path.child(&name), node)),
        }
    }
}

fn collect_symlinks<'a>(
    directory: &'a Directory,
    path: &TreePath,
    found: &mut Vec<(TreePath, &'a str)>,
) {
    for (name, node) in directory.iter() {
        match node {
            Node::Directory(below) => collect_symlinks(below, &path.child(name), found),
            Node::Symlink(symlink) => found.push((path.child(name), &symlink.target)),
            Node::File(_) => {}
        }
    }
}

fn load(
    path: &TreePath,
    digest: &Digest,
    blobs: &dyn Blobs,
    entries: &mut u64,
) -> Result<Directory, LoadError> {
    let bytes = blobs.read(digest).map_err(|source| LoadError::Blob {
        path: path.clone(),
        digest: *digest,
        source,
    })?;
    if Digest::of(&bytes) != *digest {
        return Err(LoadError::Damaged {
            path: path.clone(),
            digest: *digest,
        });
    }
    let decoded = encoding::decode(&bytes).map_err(|source| LoadError::Encoding {
        path: path.clone(),
        digest: *digest,
        source,
    })?;
    // A few small encodings that name each other many times can describe a tree that does not fit into memory.
    *entries += decoded.len() as u64;
    if *entries > MAX_ENTRIES {
        return Err(LoadError::TooLarge { limit: MAX_ENTRIES });
    }
    let mut nodes = std::collections::BTreeMap::new();
    for (name, entry) in decoded {
        let below = path.join(&name)?;
        let node = match entry {
            Entry::Directory(digest) => Node::Directory(load(&below, &digest, blobs, entries)?),
            Entry::File(file) => Node::File(file),
            Entry::Symlink(symlink) => {
                symlink::check_text(&below, &symlink.target)?;
                Node::Symlink(symlink)
            }
        };
        nodes.insert(name, node);
    }
    Ok(Directory::from_entries(nodes))
}

impl Default for Tree {
    fn default() -> Self {
        Self::empty()
    }
}

impl PartialEq for Tree {
    fn eq(&self, other: &Self) -> bool {
        self.root == other.root
    }
}

impl Eq for Tree {}

impl fmt::Debug for Tree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Tree").field(self.root()).finish()
    }
}

/// Error of loading a stored tree.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// Missing or unreadable encoding of a directory.
    #[error("cannot read directory {path:?} of the tree ({digest})")]
    Blob {
        /// Path of the directory.
        path: TreePath,
        /// Digest of the directory.
        digest: Digest,
        /// Cause.
        source: std::io::Error,
    },
    /// Encoding with another digest than the requested one.
    #[error("the encoding of directory {path:?} is damaged ({digest})")]
    Damaged {
        /// Path of the directory.
        path: TreePath,
        /// Requested digest.
        digest: Digest,
    },
    /// Bytes that are not the encoding of a directory.
    #[error("bad encoding of directory {path:?} ({digest})")]
    Encoding {
        /// Path of the directory.
        path: TreePath,
        /// Digest of the directory.
        digest: Digest,
        /// Problem.
        source: EncodingError,
    },
    /// Path that is too long or too deep.
    #[error(transparent)]
    Path(#[from] InvalidPath),
    /// Symlink that leads outside.
    #[error(transparent)]
    Symlink(#[from] SymlinkError),
    /// Tree with too many entries.
    #[error("the tree has more than {limit} entries")]
    TooLarge {
        /// Limit, [`MAX_ENTRIES`].
        limit: u64,
    },
}

impl LoadError {
    /// Returns the digest of the directory that cannot be read, if the error concerns one.
    #[must_use]
    pub fn directory(&self) -> Option<Digest> {
        match self {
            Self::Blob { digest, .. }
            | Self::Damaged { digest, .. }
            | Self::Encoding { digest, .. } => Some(*digest),
            Self::Path(_) | Self::Symlink(_) | Self::TooLarge { .. } => None,
        }
    }
}
