//! Workflows at a commit, and requests to run them.

use std::sync::Arc;

use super::RepositoryState;
use crate::git::{EntryKind, GitError, ObjectId};
use crate::hub::Run;
use crate::workflow::{FOLDER, Workflow, is_workflow};

/// Cache of the workflow file that was read last: commit, path and parsed workflow.
#[derive(Default)]
pub(crate) struct LastWorkflow(Option<(String, String, Option<Arc<Workflow>>)>);

/// Requests to the workflows that have been made since they ran last.
#[derive(Debug, Default)]
pub(crate) struct RunRequests {
    /// Old and new names of renamed branches, in order. Renaming a branch is not a push.
    pub(crate) renamed_branches: Vec<[String; 2]>,
    /// Runs that were requested, in order.
    pub(crate) runs: Vec<RunRequest>,
}

/// Request for a run of a workflow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RunRequest {
    /// Another attempt of an existing run.
    Again {
        /// Id of the run.
        id: u64,
        /// Names of the jobs to run again; the other jobs keep their results. `None` for all jobs.
        jobs: Option<Vec<String>>,
    },
    /// Run on the tip of a branch.
    Dispatch {
        /// Path of the workflow file.
        path: String,
        /// Name of the branch.
        branch: String,
    },
}

impl RepositoryState {
    /// Reports whether workflows run in this world, or have run in it.
    pub(crate) fn has_actions(&self) -> bool {
        self.run_requests.is_some() || !self.hub.runs.is_empty()
    }

    /// Returns the workflows of a commit, by path.
    pub(crate) fn workflows_at(&self, commit: ObjectId) -> Result<Vec<Workflow>, GitError> {
        let tree = self.git.tree_of(commit)?;
        let mut found = Vec::new();
        let folder = self.git.entry(tree, FOLDER)?;
        let Some(folder) = folder.filter(|it| it.kind == EntryKind::Directory) else {
            return Ok(found);
        };
        for entry in self.git.entries(folder.id, FOLDER)? {
            if is_workflow(&entry.path) && entry.kind.object() == "blob" {
                found.push(Workflow::read(&entry.path, &self.git.blob(entry.id)?));
            }
        }
        Ok(found)
    }

    /// Workflow of a run at its commit. `None` if commit or file do not exist or cannot be read. Operations that return
    /// them report the error.
    pub(crate) fn workflow_of(&self, run: &Run) -> Option<Arc<Workflow>> {
        let mut last = self.last_workflow.borrow_mut();
        if let Some((sha, path, workflow)) = &last.0
            && (sha, path) == (&run.head_sha, &run.path)
        {
            return workflow.clone();
        }
        // A call that is interrupted must not decide what later calls are told.
        let workflow = self.read_workflow(run).ok()?;
        last.0 = Some((run.head_sha.clone(), run.path.clone(), workflow.clone()));
        workflow
    }

    fn read_workflow(&self, run: &Run) -> Result<Option<Arc<Workflow>>, GitError> {
        let Ok(id) = ObjectId::from_hex(run.head_sha.as_bytes()) else {
            return Ok(None);
        };
        let Some(commit) = self.git.peel(id)? else {
            return Ok(None);
        };
        let entry = self.git.entry(self.git.tree_of(commit)?, &run.path)?;
        let Some(file) = entry.filter(|entry| entry.kind.object() == "blob") else {
            return Ok(None);
        };
        let bytes = self.git.blob(file.id)?;
        Ok(Some(Arc::new(Workflow::read(&run.path, &bytes))))
    }
}
