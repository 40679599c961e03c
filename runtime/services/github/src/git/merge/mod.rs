//! Merges: of two commits, by squashing, and commit by commit. They are those of git's `ort`.

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

/// What came of a merge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Merged {
    /// The tree, or for a rebase the tip, that it gives.
    Clean(ObjectId),
    /// The paths that cannot be merged, sorted.
    Conflicts(Vec<String>),
}

impl Git {
    /// Merges two commits into a tree; more than one best common ancestor is merged first, as git does it.
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

    /// Applies what one tree has over another to a third.
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

    /// Applies what a commit changes to a tree, as `git cherry-pick` does it; the tree that this gives.
    pub(crate) fn pick(&self, commit: &Commit, onto: ObjectId) -> Result<Merged, GitError> {
        let base = match commit.parents.first() {
            Some(parent) => self.tree_of(*parent)?,
            None => ObjectId::empty_tree(gix::hash::Kind::Sha1),
        };
        self.apply(base, onto, commit.tree)
    }

    /// The commits of a head that a rebase onto a base applies, line by line of the history as `git rebase` takes
    /// them, the oldest first: merges are left out.
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

    /// Whether all commits of a head can be applied to a base, one after the other.
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

    /// Applies the commits of a head, one after the other, to a base, and gives the new tip. Those that change
    /// nothing any more are left out; authors keep their names and times.
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
    /// Merges a base and two trees, without writing what comes of it.
    fn merge_trees(&self, trees: [ObjectId; 3]) -> Result<(Outcome<'_>, Trees), GitError> {
        let mut read = Trees::read(self.git, trees)?;
        let undecided = moves::follow(self.git, &mut read, self)?;
        let mut outcome = Outcome::new(self);
        outcome.merge(std::mem::take(&mut read.places))?;
        outcome.conflicts.extend(undecided);
        Ok((outcome, read))
    }
}
