//! Changes and commits of pull requests.

use std::sync::Arc;

use super::RepositoryState;
use super::hunks::Hunks;
use super::recent::Recent;
use crate::call;
use crate::git::{Change, Commit, GitError, LineMap, ObjectId};
use crate::hub::Pull;

/// Caches of comparisons, by commit and blob. Their entries stay valid because git objects never change.
#[derive(Default)]
pub(crate) struct Compared {
    /// Changes since the merge base, by base and head.
    known: Recent<[ObjectId; 2], Vec<Change>>,
    /// Mapping of lines between two blobs.
    pub(super) lines: Recent<[ObjectId; 2], LineMap>,
    /// Index of the lines in the diff of a file between two commits.
    pub(super) hunks: Recent<([ObjectId; 2], String), Hunks>,
}

/// Parses an object id in a document.
fn id(text: &str) -> Result<ObjectId, GitError> {
    ObjectId::from_hex(text.as_bytes())
        .map_err(|_| GitError::objects(format!("expected an object id, found {text:?}")))
}

impl RepositoryState {
    /// Tips of the base and the head of a pull request.
    pub(crate) fn ends(&self, pull: &Pull) -> Result<(ObjectId, ObjectId), GitError> {
        Ok((id(&pull.base_sha)?, id(&pull.head_sha)?))
    }

    /// Changes of a pull request: from the merge base to its head.
    pub(crate) fn pull_changes(&self, pull: &Pull) -> Result<Arc<Vec<Change>>, GitError> {
        let (base, head) = self.ends(pull)?;
        self.changes_from(base, head)
    }

    /// Changes from the merge base of two commits to the second one. They are cached because every review comment needs
    /// them.
    pub(super) fn changes_from(
        &self,
        base: ObjectId,
        head: ObjectId,
    ) -> Result<Arc<Vec<Change>>, GitError> {
        call::checkpoint()?;
        if let Some(changes) = self.compared.borrow().known.get(&[base, head]) {
            return Ok(changes);
        }
        let before = match self.git.merge_base(base, head)? {
            Some(id) => Some(self.git.tree_of(id)?),
            None => None,
        };
        let changes = self.git.changes(before, self.git.tree_of(head)?)?;
        let bytes = changes.iter().map(Change::size).sum();
        let known = &mut self.compared.borrow_mut().known;
        Ok(known.put([base, head], changes, bytes))
    }

    /// Commits of a pull request, oldest first.
    pub(crate) fn pull_commits(&self, pull: &Pull) -> Result<Vec<Commit>, GitError> {
        let ids = self.pull_commit_ids(pull)?.into_iter();
        ids.map(|id| self.git.commit(id)).collect()
    }

    /// Ids of the commits of a pull request, oldest first.
    pub(crate) fn pull_commit_ids(&self, pull: &Pull) -> Result<Vec<ObjectId>, GitError> {
        let (base, head) = self.ends(pull)?;
        self.git.ahead(base, head)
    }
}
