//! Merges of commits, squash merges, cherry-picks and rebases, with the results of git's `ort` strategy.
//!
//! The merges of `gix` (crate `gix-merge`) are not used. They rest on its detection of renames, which differs from that
//! of git (see `similar`), while the trees here are equal to those of git, also for random trees and histories
//! (`tests/services/github/merges.rs`, `against_git.rs`). Its recursion over several best common ancestors has no limit
//! on depth or size, which a hostile repository can exhaust; here, `Ancestors` limits both. `gix-merge` also depends on
//! crates that start merge drivers and write temporary files.

mod ancestors;
mod content;
mod moves;
mod outcome;
mod text;
mod trees;

use gix::ObjectId;
use gix::bstr::ByteSlice;

use self::ancestors::Ancestors;
use self::content::Contents;
use self::outcome::Outcome;
use self::trees::Trees;
use super::graph::Order;
use super::{Commit, Draft, Git, GitError, Identity};

/// Result of a merge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Merged {
    /// Resulting tree; for a rebase the new tip.
    Clean(ObjectId),
    /// Paths with conflicts, sorted.
    Conflicts(Vec<String>),
}

impl Git {
    /// Merges two commits into a tree. Several best common ancestors are merged first, as in git.
    pub fn merge(&self, ours: ObjectId, theirs: ObjectId) -> Result<Merged, GitError> {
        let bases = self.merge_bases(ours, theirs)?;
        if bases.is_empty() {
            return Err(GitError::Refused(format!(
                "{ours} and {theirs} have no common ancestor, so that they cannot be merged"
            )));
        }
        let base = Ancestors::new(self).tree(bases, 0)?;
        self.apply(base, self.tree_of(ours)?, self.tree_of(theirs)?)
    }

    /// Merges the changes from `base` to `theirs` into `ours`.
    fn apply(&self, base: ObjectId, ours: ObjectId, theirs: ObjectId) -> Result<Merged, GitError> {
        let contents = Contents::new(self, 0, u64::MAX);
        let (outcome, read) = contents.merge_trees([base, ours, theirs])?;
        if outcome.conflicts.is_empty() {
            return Ok(Merged::Clean(outcome.write(&read, ours)?));
        }
        let paths = outcome.conflicts.iter();
        let paths = paths.map(|path| path.to_str_lossy().into_owned());
        Ok(Merged::Conflicts(paths.collect()))
    }

    /// Applies the changes of a commit to a tree, as `git cherry-pick` does, and returns the new tree.
    pub(crate) fn pick(&self, commit: &Commit, onto: ObjectId) -> Result<Merged, GitError> {
        let base = match commit.parents.first() {
            Some(parent) => self.tree_of(*parent)?,
            None => ObjectId::empty_tree(gix::hash::Kind::Sha1),
        };
        self.apply(base, onto, commit.tree)
    }

    /// Returns the commits that a rebase of `head` onto `base` applies, oldest first and without merges, in the
    /// topological order of `git rebase`.
    fn to_rebase(&self, base: ObjectId, head: ObjectId) -> Result<Vec<Commit>, GitError> {
        let mut commits = Vec::new();
        for id in self.ahead_in(Order::Lines, base, head)? {
            let commit = self.commit(id)?;
            if commit.parents.len() < 2 {
                commits.push(commit);
            }
        }
        Ok(commits)
    }

    /// Returns true if all commits of `head` can be rebased onto `base` without conflicts.
    pub fn can_rebase(&self, base: ObjectId, head: ObjectId) -> Result<bool, GitError> {
        let mut tree = self.tree_of(base)?;
        for commit in self.to_rebase(base, head)? {
            match self.pick(&commit, tree)? {
                Merged::Clean(next) => tree = next,
                Merged::Conflicts(_) => return Ok(false),
            }
        }
        Ok(true)
    }

    /// Rebases the commits of `head` onto `base` and returns the new tip. Commits that become empty are skipped.
    /// Authors keep their names and times.
    pub(crate) fn rebase(
        &mut self,
        base: ObjectId,
        head: ObjectId,
        committer: &Identity,
    ) -> Result<Merged, GitError> {
        let (mut tip, mut onto) = (base, self.tree_of(base)?);
        for commit in self.to_rebase(base, head)? {
            let tree = match self.pick(&commit, onto)? {
                Merged::Clean(tree) => tree,
                conflicts => return Ok(conflicts),
            };
            if tree == onto {
                continue;
            }
            onto = tree;
            tip = self.write_commit(Draft {
                tree,
                parents: vec![tip],
                author: commit.author,
                committer: committer.clone(),
                message: commit.message,
            })?;
        }
        Ok(Merged::Clean(tip))
    }
}

impl Contents<'_> {
    /// Merges two trees with a base, without writing the result.
    fn merge_trees(&self, trees: [ObjectId; 3]) -> Result<(Outcome<'_>, Trees), GitError> {
        let mut read = Trees::read(self.git, trees)?;
        let undecided = moves::follow(self.git, &mut read, self)?;
        let mut outcome = Outcome::new(self);
        outcome.merge(std::mem::take(&mut read.places))?;
        outcome.conflicts.extend(undecided);
        Ok((outcome, read))
    }
}
