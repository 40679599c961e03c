//! What two commits have in common where they have several best common ancestors: these are merged first, and so
//! are theirs, down to where the histories crossed first.

use std::collections::HashMap;

use gix::ObjectId;

use super::content::Contents;
use crate::git::{Git, GitError};

/// The most merges of common ancestors that one merge makes. None lies deeper than there are merges, so that this
/// bounds the stack as well.
const MAX_MERGES: usize = 256;
/// The most bytes of files and directories that these write: with each further ancestor a conflict grows.
pub(super) const MAX_BYTES: u64 = 100 << 20;

/// The merges of common ancestors that one merge asks for.
pub(super) struct Ancestors<'a> {
    git: &'a Git,
    /// The commits that stand for two others. Their markers are the longer the deeper they lie, which makes them
    /// others at each depth; without these, every level of a history that crossed often would double the work.
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

    /// The tree that two commits come from, by their best common ancestors. Where there are several these are
    /// merged, the oldest first, into a commit that stands for all of them, with markers where they conflict.
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

    /// A commit that stands for two.
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
