//! Results that the runs of one call share.

use std::collections::HashMap;
use std::sync::Arc;

use super::workflow::MOST_PATHS;
use super::{Cause, Workflow};
use crate::git::{Git, GitError, Merged, ObjectId};
use crate::view::Site;

/// The trees of a cause: what is tested, and what that is compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Trees {
    pub(super) before: Option<ObjectId>,
    pub(super) after: ObjectId,
}

/// Cache for the causes of one call: a push may be the head of many pull requests, of which each runs several workflows.
#[derive(Default)]
pub(super) struct Shared {
    workflows: HashMap<ObjectId, Arc<[Workflow]>>,
    /// The trees of merges by base and head; none where these do not merge.
    merges: HashMap<[ObjectId; 2], Option<ObjectId>>,
    paths: HashMap<Trees, Option<Arc<[String]>>>,
}

impl Shared {
    /// The workflows of a commit.
    pub(super) fn workflows(
        &mut self,
        site: &Site,
        commit: ObjectId,
    ) -> Result<Arc<[Workflow]>, GitError> {
        if let Some(known) = self.workflows.get(&commit) {
            return Ok(Arc::clone(known));
        }
        let workflows: Arc<[Workflow]> = site.workflows_at(commit)?.into();
        self.workflows.insert(commit, Arc::clone(&workflows));
        Ok(workflows)
    }

    /// The trees of a cause; none where the head of a pull request does not merge with its base, which runs nothing.
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

    /// The first paths that differ; none where so many differ that they are not compared.
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
                Some(paths.take(MOST_PATHS).collect())
            }
            Err(error) if error.is_refusal() => None,
            Err(error) => return Err(error),
        };
        self.paths.insert(trees, paths.clone());
        Ok(paths)
    }
}
