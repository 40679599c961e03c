//! A whole tree in memory.

use std::fmt;

use crate::encoding::{self, EncodingError, Entry};
use crate::symlink::{self, SymlinkError};
use crate::{Blobs, Digest, Directory, File, InvalidPath, Node, TreePath};

/// The most entries that a stored tree may have.
pub const MAX_ENTRIES: u64 = 1_000_000;

/// An immutable tree of directories, files and symlinks, in memory without the
/// bytes of its files. Cloning is cheap.
#[derive(Clone)]
pub struct Tree {
    root: Node,
}

impl Tree {
    /// The tree with nothing in it.
    #[must_use]
    pub fn empty() -> Self {
        Self::from_root(Directory::default())
    }

    pub(crate) fn from_root(root: Directory) -> Self {
        Self {
            root: Node::Directory(root),
        }
    }

    /// The root directory.
    #[must_use]
    pub fn root(&self) -> &Directory {
        let Node::Directory(root) = &self.root else {
            unreachable!("the root is made of a directory")
        };
        root
    }

    /// What stands at `path`; symlinks are not followed.
    #[must_use]
    pub fn get(&self, path: &TreePath) -> Option<&Node> {
        path.segments()
            .try_fold(&self.root, |node, name| node.as_directory()?.get(name))
    }

    /// Every entry below `path`, itself not included, sorted by the bytes of the
    /// paths; nothing where `path` is no directory.
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

    /// Every file of the tree, sorted by the bytes of the paths.
    pub fn files(&self) -> impl Iterator<Item = (TreePath, &File)> + use<'_> {
        self.walk(&TreePath::root())
            .filter_map(|(path, node)| Some((path, node.as_file()?)))
    }

    /// Number of entries, the root not counted.
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

    /// Whether there is nothing in it.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.root().is_empty()
    }

    /// Bytes of all files together.
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

    /// The digest of the root directory, which names the whole tree.
    #[must_use]
    pub fn digest(&self) -> Digest {
        self.root().digest()
    }

    /// Resolves every symlink as the kernel would and refuses one that leads outside
    /// by way of another. [`capture`](crate::capture) and
    /// [`materialise`](crate::materialise) check this themselves.
    pub fn check_symlinks(&self) -> Result<(), SymlinkError> {
        let mut symlinks = Vec::new();
        collect_symlinks(self.root(), &TreePath::root(), &mut symlinks);
        // So that of several that are wrong always the same is told.
        symlinks.sort();
        let symlinks = symlinks.iter().map(|(path, target)| (path, *target));
        symlink::check_tree(self.root(), symlinks)
    }

    /// Reads a tree back by the digest of its root from the encodings of its
    /// directories. Every encoding is checked; of the files only the description is
    /// read.
    pub fn load(root: &Digest, blobs: &dyn Blobs) -> Result<Self, LoadError> {
        let mut entries = 0;
        let root = load(&TreePath::root(), root, blobs, &mut entries)?;
        Ok(Self::from_root(root))
    }
}

fn collect<'a>(directory: &'a Directory, path: &TreePath, found: &mut Vec<(TreePath, &'a Node)>) {
    // Below a directory `a` every path starts with `a/`, so its subtree comes after
    // the siblings whose names continue `a` with a byte smaller than `/`.
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
    // A few small encodings that name each other many times describe a tree that
    // fits into no memory.
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

/// Why a stored tree could not be read back.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The encoding of a directory is not there or cannot be read.
    #[error("cannot read directory {path:?} of the tree ({digest})")]
    Blob {
        /// The directory.
        path: TreePath,
        /// Its digest.
        digest: Digest,
        /// What went wrong.
        source: std::io::Error,
    },
    /// The bytes have another digest than the one they were asked by.
    #[error("the encoding of directory {path:?} is damaged ({digest})")]
    Damaged {
        /// The directory.
        path: TreePath,
        /// The digest that was asked for.
        digest: Digest,
    },
    /// The bytes are not the encoding of a directory.
    #[error("bad encoding of directory {path:?} ({digest})")]
    Encoding {
        /// The directory.
        path: TreePath,
        /// Its digest.
        digest: Digest,
        /// The problem.
        source: EncodingError,
    },
    /// A path that is too long or too deep.
    #[error(transparent)]
    Path(#[from] InvalidPath),
    /// A symlink that leads outside.
    #[error(transparent)]
    Symlink(#[from] SymlinkError),
    /// More entries than a tree may have.
    #[error("the tree has more than {limit} entries")]
    TooLarge {
        /// The limit, [`MAX_ENTRIES`].
        limit: u64,
    },
}

impl LoadError {
    /// The directory that cannot be read, where it is one.
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
