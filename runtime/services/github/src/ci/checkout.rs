//! Checkouts: trees of commits with the bytes of their files, as input of the CI guest.

use std::collections::HashMap;
use std::sync::Arc;

use mcpmark_snapshot::{File, MemoryBlobs, Snapshot, Tree, TreeBuilder, TreePath};

use crate::git::{EntryKind, Git, GitError, ObjectId};

/// Maximum size of the cached files that are kept from one call to the next, in bytes.
const MAX_CACHED_BYTES: u64 = 64 * 1024 * 1024;

/// Cache of trees and files. Most files of a commit are the same as in its parent.
#[derive(Default)]
pub(super) struct Checkouts {
    blobs: Arc<MemoryBlobs>,
    bytes: u64,
    files: HashMap<ObjectId, File>,
    trees: HashMap<ObjectId, Tree>,
}

impl Checkouts {
    /// Returns a snapshot of the git tree, or an empty one for `None`. Submodules, and paths and links that a snapshot
    /// cannot hold, are left out.
    pub(super) fn of(&mut self, git: &Git, tree: Option<ObjectId>) -> Result<Snapshot, GitError> {
        let made = match tree {
            None => Tree::empty(),
            Some(id) => match self.trees.get(&id) {
                Some(known) => known.clone(),
                None => {
                    let made = self.make(git, id)?;
                    self.trees.insert(id, made.clone());
                    made
                }
            },
        };
        Ok(Snapshot::new(made, self.blobs.clone()))
    }

    /// Empties the cache if it exceeds its limit. Existing snapshots remain valid.
    pub(super) fn trim(&mut self) {
        if self.bytes > MAX_CACHED_BYTES {
            *self = Self::default();
        }
    }

    fn make(&mut self, git: &Git, tree: ObjectId) -> Result<Tree, GitError> {
        let mut builder = TreeBuilder::new();
        for entry in git.walk(tree)? {
            let Ok(path) = TreePath::parse(&entry.path) else {
                continue;
            };
            match entry.kind {
                EntryKind::File | EntryKind::Executable => {
                    let mut file = self.file(git, entry.id)?;
                    file.executable = entry.kind == EntryKind::Executable;
                    let _ = builder.insert_file(&path, file);
                }
                EntryKind::Symlink => {
                    if let Ok(target) = String::from_utf8(git.blob(entry.id)?) {
                        let _ = builder.insert_symlink(&path, &target);
                    }
                }
                EntryKind::Directory | EntryKind::Submodule => {}
            }
        }
        Ok(builder.finish())
    }

    fn file(&mut self, git: &Git, id: ObjectId) -> Result<File, GitError> {
        if let Some(known) = self.files.get(&id) {
            return Ok(known.clone());
        }
        let bytes = git.blob(id)?;
        self.bytes = self.bytes.saturating_add(bytes.len() as u64);
        let file = File {
            size: bytes.len() as u64,
            executable: false,
            modified: None,
            content: self.blobs.put(bytes),
        };
        self.files.insert(id, file.clone());
        Ok(file)
    }
}
