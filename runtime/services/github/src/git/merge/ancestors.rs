//! Base tree of a merge with several best common ancestors: these are merged first, recursively.

use std::collections::HashMap;

use gix::ObjectId;

use super::content::Contents;
use crate::git::{Git, GitError};

/// Maximum number of merges of common ancestors in one merge. The recursion depth cannot exceed it, so it also bounds
/// the stack.
const MAX_MERGES: usize = 256;
/// Maximum size in bytes of the files and directories that these merges write. A conflict grows with each further
/// ancestor.
pub(super) const MAX_BYTES: u64 = 100 << 20;

/// Recursive merge of common ancestors, with its cache and its budgets.
pub(super) struct Ancestors<'a> {
    git: &'a Git,
    /// Cache of virtual commits, by depth and the two merged commits. Conflict markers differ at each depth, and so do
    /// the virtual commits. Without the cache, every level of a history with repeated criss-cross merges would double
    /// the work.
    joined: HashMap<(usize, ObjectId, ObjectId), ObjectId>,
    merges: usize,
    bytes: u64,
}

impl<'a> Ancestors<'a> {
    pub(super) fn new(git: &'a Git) -> Self {
        Self {
            git,
            joined: HashMap::new(),
            merges: MAX_MERGES,
            bytes: MAX_BYTES,
        }
    }

    /// Returns the base tree for two commits with these best common ancestors. Several are merged, oldest first, into a
    /// virtual commit, with markers at conflicts. Without any, the base is the empty tree.
    pub(super) fn tree(
        &mut self,
        bases: Vec<ObjectId>,
        depth: usize,
    ) -> Result<ObjectId, GitError> {
        let mut bases = bases.into_iter().rev();
        let Some(mut base) = bases.next() else {
            return Ok(ObjectId::empty_tree(gix::hash::Kind::Sha1));
        };
        for next in bases {
            let pair = (depth, base, next);
            base = match self.joined.get(&pair) {
                Some(known) => *known,
                None => {
                    let joined = self.join(base, next, depth + 1)?;
                    self.joined.insert(pair, joined);
                    joined
                }
            };
        }
        self.git.tree_of(base)
    }

    /// Merges two commits into a virtual commit.
    fn join(&mut self, one: ObjectId, other: ObjectId, depth: usize) -> Result<ObjectId, GitError> {
        self.merges = self
            .merges
            .checked_sub(1)
            .ok_or_else(|| GitError::Crossed(format!("{MAX_MERGES} merges")))?;
        let bases = self.git.merge_bases(one, other)?;
        let below = self.tree(bases, depth)?;
        self.write(below, [one, other], depth)
    }

    fn write(
        &mut self,
        below: ObjectId,
        parents: [ObjectId; 2],
        depth: usize,
    ) -> Result<ObjectId, GitError> {
        let [one, other] = parents;
        let trees = [below, self.git.tree_of(one)?, self.git.tree_of(other)?];
        let contents = Contents::new(self.git, depth, self.bytes);
        let (outcome, read) = contents.merge_trees(trees)?;
        let tree = outcome.write(&read, trees[1])?;
        self.bytes = contents.left();
        let nobody = gix::actor::Signature::default();
        let commit = gix::objs::Commit {
            tree,
            parents: parents.into_iter().collect(),
            author: nobody.clone(),
            committer: nobody,
            encoding: None,
            message: "merged common ancestors".into(),
            extra_headers: Vec::new(),
        };
        self.git.put(&commit)
    }
}
