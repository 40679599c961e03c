//! Nodes of a tree.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, OnceLock};

use crate::{Digest, encoding};

/// Entry of a tree. Cloning is cheap, because clones share the content of directories.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Node {
    /// Directory with everything below it.
    Directory(Directory),
    /// File.
    File(File),
    /// Symbolic link.
    Symlink(Symlink),
}

impl Node {
    /// Returns the digest of a file's content, of a symlink's target, or of a directory's canonical encoding (see
    /// [`Directory::encode`]).
    #[must_use]
    pub fn digest(&self) -> Digest {
        match self {
            Self::Directory(directory) => directory.digest(),
            Self::File(file) => file.content,
            Self::Symlink(symlink) => Digest::of(symlink.target.as_bytes()),
        }
    }

    /// Returns the kind of the node.
    #[must_use]
    pub fn kind(&self) -> Kind {
        match self {
            Self::Directory(_) => Kind::Directory,
            Self::File(_) => Kind::File,
            Self::Symlink(_) => Kind::Symlink,
        }
    }

    /// Returns the directory, if the node is one.
    #[must_use]
    pub fn as_directory(&self) -> Option<&Directory> {
        match self {
            Self::Directory(directory) => Some(directory),
            _ => None,
        }
    }

    /// Returns the file, if the node is one.
    #[must_use]
    pub fn as_file(&self) -> Option<&File> {
        match self {
            Self::File(file) => Some(file),
            _ => None,
        }
    }

    /// Returns the symlink, if the node is one.
    #[must_use]
    pub fn as_symlink(&self) -> Option<&Symlink> {
        match self {
            Self::Symlink(symlink) => Some(symlink),
            _ => None,
        }
    }
}

/// Kind of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// Directory.
    Directory,
    /// File.
    File,
    /// Symbolic link.
    Symlink,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Directory => "directory",
            Self::File => "file",
            Self::Symlink => "symlink",
        })
    }
}

/// File, without its bytes, which are in [`Blobs`](crate::Blobs).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// Length of the content in bytes.
    pub size: u64,
    /// Executable bit of the owner.
    pub executable: bool,
    /// Modification time in seconds since 1970-01-01T00:00:00Z. `None` means the world's clock.
    pub modified: Option<i64>,
    /// Digest of the content.
    pub content: Digest,
}

/// Symbolic link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symlink {
    /// Target, as written.
    pub target: String,
}

/// Directory with everything below it. Entries are sorted by the bytes of their names.
#[derive(Clone, Default)]
pub struct Directory(Arc<Content>);

#[derive(Clone, Default)]
struct Content {
    entries: BTreeMap<String, Node>,
    digest: OnceLock<Digest>,
}

impl Directory {
    pub(crate) fn from_entries(entries: BTreeMap<String, Node>) -> Self {
        Self(Arc::new(Content {
            entries,
            digest: OnceLock::new(),
        }))
    }

    /// Returns the entries for modification. Shared content is copied first.
    pub(crate) fn entries_mut(&mut self) -> &mut BTreeMap<String, Node> {
        let content = Arc::make_mut(&mut self.0);
        content.digest = OnceLock::new();
        &mut content.entries
    }

    /// Returns the entries, sorted by the bytes of their names.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &Node)> {
        self.0
            .entries
            .iter()
            .map(|(name, node)| (name.as_str(), node))
    }

    /// Returns the entry with the given name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Node> {
        self.0.entries.get(name)
    }

    /// Returns the number of entries, without those of subdirectories.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.entries.len()
    }

    /// Reports whether the directory has no entries.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.entries.is_empty()
    }

    /// Returns the digest of the canonical encoding. It is computed once and cached.
    #[must_use]
    pub fn digest(&self) -> Digest {
        *self.0.digest.get_or_init(|| Digest::of(&self.encode()))
    }

    /// Returns the canonical encoding: compact JSON with a fixed order of keys, entries sorted by the bytes of their
    /// names, and one shape for each kind of entry:
    ///
    /// ```json
    /// {"directory":[
    ///   {"type":"directory","name":"d","digest":"sha256:…"},
    ///   {"type":"file","name":"f","size":3,"executable":false,"modified":0,"digest":"sha256:…"},
    ///   {"type":"symlink","name":"s","target":"f"}]}
    /// ```
    ///
    /// without white space. `modified` is omitted if it is absent. Strings escape only `"`, `\` and the control
    /// characters below U+0020 (as `\b \t \n \f \r`, otherwise as `\u00xx` in lower case).
    ///
    /// Test vector: the empty directory is the 16 bytes `{"directory":[]}`, digest
    /// `sha256:0a46677c30ae496fe43f21512d8fb27ef272f61212e16b79f8515a72e100b9a1`.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        encoding::encode(self)
    }

    pub(crate) fn same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl PartialEq for Directory {
    fn eq(&self, other: &Self) -> bool {
        self.same(other) || self.0.entries == other.0.entries
    }
}

impl Eq for Directory {}

impl fmt::Debug for Directory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}
