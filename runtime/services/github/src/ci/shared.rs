//! Cache of intermediate results that the runs of one call share.

use std::collections::HashMap;
use std::sync::Arc;

use super::Cause;
use crate::git::{Git, GitError, Merged, ObjectId};
use crate::repository::RepositoryState;
use crate::workflow::{MAX_PATHS, Workflow};

/// Trees of a cause: the tested tree and the one to compare it with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Trees {
    pub(super) before: Option<ObjectId>,
    pub(super) after: ObjectId,
}

/// Cache for the causes of one call. A pushed commit can be the head of many pull requests, each of which runs several
/// workflows.
#[derive(Default)]
pub(super) struct Shared {
    workflows: HashMap<ObjectId, Arc<[Workflow]>>,
    /// Trees of merges by base and head. `None` if they conflict or the merge is refused.
    merges: HashMap<[ObjectId; 2], Option<ObjectId>>,
    paths: HashMap<Trees, Option<Arc<[String]>>>,
}

impl Shared {
    /// Returns the workflows of a commit.
    pub(super) fn workflows(
        &mut self,
        repo: &RepositoryState,
        commit: ObjectId,
    ) -> Result<Arc<[Workflow]>, GitError> {
        if let Some(known) = self.workflows.get(&commit) {
            return Ok(Arc::clone(known));
        }
        let workflows: Arc<[Workflow]> = repo.workflows_at(commit)?.into();
        self.workflows.insert(commit, Arc::clone(&workflows));
        Ok(workflows)
    }

    /// Returns the trees of a cause. `None` if the head of a pull request does not merge with its base, so that nothing
    /// runs.
    pub(super) fn trees(&mut self, git: &Git, cause: &Cause) -> Result<Option<Trees>, GitError> {
        let after = match (cause.pull, cause.base) {
            (Some(_), Some(base)) => self.merged(git, base, cause.head)?,
            _ => Some(git.tree_of(cause.head)?),
        };
        let Some(after) = after else {
            return Ok(None);
        };
        let before = cause.base.map(|base| git.tree_of(base)).transpose()?;
        Ok(Some(Trees { before, after }))
    }

    fn merged(
        &mut self,
        git: &Git,
        base: ObjectId,
        head: ObjectId,
    ) -> Result<Option<ObjectId>, GitError> {
        if let Some(known) = self.merges.get(&[base, head]) {
            return Ok(*known);
        }
        let tree = match git.merge(base, head) {
            Ok(Merged::Clean(tree)) => Some(tree),
            Ok(Merged::Conflicts(_)) => None,
            Err(error) if error.is_refusal() => None,
            Err(error) => return Err(error),
        };
        self.merges.insert([base, head], tree);
        Ok(tree)
    }

    /// Returns the first paths that differ. `None` if so many files differ that they cannot be compared.
    pub(super) fn paths(
        &mut self,
        git: &Git,
        trees: Trees,
    ) -> Result<Option<Arc<[String]>>, GitError> {
        if let Some(known) = self.paths.get(&trees) {
            return Ok(known.clone());
        }
        let paths = match git.changed(trees.before, trees.after) {
            Ok(changes) => {
                let of =
                    |change: crate::git::Change| change.previous.into_iter().chain([change.path]);
                let paths = changes.into_iter().flat_map(of);
                Some(paths.take(MAX_PATHS).collect())
            }
            Err(error) if error.is_refusal() => None,
            Err(error) => return Err(error),
        };
        self.paths.insert(trees, paths.clone());
        Ok(paths)
    }
}
