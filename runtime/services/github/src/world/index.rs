//! Export of a state as a clone for git programs, with a work tree and an index.

use std::io;
use std::path::Path;
use std::sync::Arc;

use mcpmark_snapshot::{
    Blobs, Digest, File, MemoryBlobs, Node, Snapshot, Tree, TreeBuilder, TreePath,
};

use super::WorldError;
use crate::git::{Base, Entry, EntryKind, Git, GitError};

/// Path of the index in an exported state. A captured state has none.
const INDEX: &str = "repo/.git/index";

/// Adds the index of the default branch to a state, and the files of that branch if the work tree is empty.
pub(crate) fn with_index(state: &Snapshot, scratch: &Path) -> Result<Snapshot, WorldError> {
    let Some(Node::Directory(repo)) = state.tree.root().get("repo") else {
        return Ok(state.clone());
    };
    let Some(Node::Directory(git_dir)) = repo.get(".git") else {
        return Ok(state.clone());
    };
    let base = Base::open(git_dir, &*state.blobs, scratch)?;
    let head = base.head().map(str::to_owned).unwrap_or_default();
    let git = Git::new(base);
    let Some(tip) = git.branch(&head) else {
        return Ok(state.clone());
    };
    let entries = git.walk(git.tree_of(tip)?)?;
    let is_bare = repo.iter().all(|(name, _)| name == ".git");
    let write = |with_links: bool| -> Result<(Tree, MemoryBlobs), GitError> {
        let mut written = Written {
            builder: TreeBuilder::from(state.tree.clone()),
            added: MemoryBlobs::new(),
            with_links,
        };
        for entry in &entries {
            if is_bare || entry.kind == EntryKind::Submodule {
                written.put_entry(&git, entry)?;
            }
        }
        written.put(INDEX, index(&entries)?, false);
        Ok((written.builder.finish(), written.added))
    };
    let (mut tree, mut added) = write(true)?;
    if is_bare && tree.check_symlinks().is_err() {
        // A link that leaves the state by way of other links cannot be identified, so no links are written.
        (tree, added) = write(false)?;
    }
    let below = Arc::clone(&state.blobs);
    Ok(Snapshot::new(tree, Arc::new(Layered { added, below })))
}

/// Removes the index from a state, which restores the state as it was captured.
pub(crate) fn without_index(tree: Tree) -> Tree {
    match TreePath::parse(INDEX) {
        Ok(path) if tree.get(&path).is_some() => {
            let mut builder = TreeBuilder::from(tree);
            builder.remove(&path);
            builder.finish()
        }
        _ => tree,
    }
}

/// Tree of an export and the blobs that are added to those of the state.
struct Written {
    builder: TreeBuilder,
    added: MemoryBlobs,
    with_links: bool,
}

impl Written {
    /// Inserts a file if its path is free. Skips files that a state cannot hold.
    fn put(&mut self, path: &str, bytes: Vec<u8>, executable: bool) {
        if let Ok(path) = TreePath::parse(path) {
            let file = File {
                size: bytes.len() as u64,
                executable,
                modified: None,
                content: self.added.put(bytes),
            };
            let _ = self.builder.insert_file(&path, file);
        }
    }

    fn put_entry(&mut self, git: &Git, entry: &Entry) -> Result<(), GitError> {
        let path = format!("repo/{}", entry.path);
        match entry.kind {
            EntryKind::File | EntryKind::Executable => {
                let is_executable = entry.kind == EntryKind::Executable;
                self.put(&path, git.blob(entry.id)?, is_executable);
            }
            EntryKind::Symlink if self.with_links => {
                if let (Ok(path), Ok(target)) = (
                    TreePath::parse(&path),
                    String::from_utf8(git.blob(entry.id)?),
                ) {
                    let _ = self.builder.insert_symlink(&path, &target);
                }
            }
            // A submodule that is not cloned is an empty directory.
            EntryKind::Submodule => {
                if let Ok(path) = TreePath::parse(&path)
                    && self.builder.get(&path).is_none()
                {
                    let _ = self.builder.create_directory(&path);
                }
            }
            EntryKind::Directory | EntryKind::Symlink => {}
        }
        Ok(())
    }
}

/// Builds an index of version 2 (`gitformat-index`). It contains no file metadata, so git compares each file on first
/// use, as after `git read-tree`.
fn index(entries: &[Entry]) -> Result<Vec<u8>, GitError> {
    /// Maximum length of a path that the flags of an entry can express, in bytes.
    const LONGEST: usize = 0xfff;
    let mut files: Vec<&Entry> = entries.iter().collect();
    files.retain(|entry| entry.kind != EntryKind::Directory);
    files.sort_by(|one, two| one.path.as_bytes().cmp(two.path.as_bytes()));
    let count = u32::try_from(files.len()).map_err(GitError::objects)?;
    let mut index = b"DIRC".to_vec();
    index.extend_from_slice(&2_u32.to_be_bytes());
    index.extend_from_slice(&count.to_be_bytes());
    for entry in files {
        let start = index.len();
        let mode = u32::from_str_radix(entry.kind.mode(), 8).map_err(GitError::objects)?;
        // ctime and mtime with two numbers each, device and inode; after the mode follow owner, group and size.
        index.extend_from_slice(&[0; 24]);
        index.extend_from_slice(&mode.to_be_bytes());
        index.extend_from_slice(&[0; 12]);
        index.extend_from_slice(entry.id.as_slice());
        let length = entry.path.len().min(LONGEST) as u16;
        index.extend_from_slice(&length.to_be_bytes());
        index.extend_from_slice(entry.path.as_bytes());
        // Padding of one to eight zero bytes, up to a multiple of eight.
        let length = (index.len() - start + 1).next_multiple_of(8);
        index.resize(start + length, 0);
    }
    let sum = crate::git::checksum(&index)?;
    index.extend_from_slice(sum.as_slice());
    Ok(index)
}

/// Blob source that looks in the added blobs first, then in those of the state.
struct Layered {
    added: MemoryBlobs,
    below: Arc<dyn Blobs>,
}

impl Layered {
    fn of(&self, digest: &Digest) -> &dyn Blobs {
        if self.added.contains(digest) {
            &self.added
        } else {
            &*self.below
        }
    }
}

impl Blobs for Layered {
    fn read(&self, digest: &Digest) -> io::Result<Vec<u8>> {
        self.of(digest).read(digest)
    }

    fn read_range(&self, digest: &Digest, offset: u64, length: u64) -> io::Result<Vec<u8>> {
        self.of(digest).read_range(digest, offset, length)
    }

    fn contains(&self, digest: &Digest) -> bool {
        self.of(digest).contains(digest)
    }

    fn open(&self, digest: &Digest) -> io::Result<Option<std::fs::File>> {
        self.of(digest).open(digest)
    }
}
