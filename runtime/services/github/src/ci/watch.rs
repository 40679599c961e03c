//! Detection of changed branches and pull requests by comparison with an earlier state.
//!
//! Calls change refs and pull requests in many ways. Only the difference between the states before and after a call
//! counts.

use std::collections::BTreeMap;

use crate::git::ObjectId;
use crate::hub::State;
use crate::repository::RepositoryState;

/// State of branches and pull requests.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Watch {
    branches: BTreeMap<String, ObjectId>,
    /// State of each pull request by number: true if it is open, and its head commit.
    pulls: BTreeMap<u64, (bool, String)>,
}

/// Change of a branch or a pull request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum RefChange {
    /// A branch was created or moved.
    Pushed {
        branch: String,
        before: Option<ObjectId>,
        after: ObjectId,
    },
    /// A pull request was opened, reopened, or got a new head.
    Proposed { number: u64, action: &'static str },
}

impl Watch {
    pub(super) fn of(repo: &RepositoryState) -> Self {
        let branches = repo.git.refs_below("refs/heads/");
        let pulls = repo.hub.pulls().map(|(issue, pull)| {
            let open = issue.state == State::Open;
            (issue.number, (open, pull.head_sha.clone()))
        });
        Self {
            branches: branches.map(|(name, id)| (name.to_owned(), id)).collect(),
            pulls: pulls.collect(),
        }
    }

    /// Renames a branch in the recorded state.
    pub(super) fn renamed(&mut self, old: &str, new: &str) {
        if let Some(tip) = self.branches.remove(old) {
            self.branches.insert(new.to_owned(), tip);
        }
    }

    /// Records the current state, and returns the changes since the last one: pushes by branch, then pull requests by
    /// number.
    pub(super) fn look(&mut self, repo: &RepositoryState) -> Vec<RefChange> {
        let now = Self::of(repo);
        let mut changes = Vec::new();
        for (branch, after) in &now.branches {
            let before = self.branches.get(branch).copied();
            if before != Some(*after) {
                changes.push(RefChange::Pushed {
                    branch: branch.clone(),
                    before,
                    after: *after,
                });
            }
        }
        for (number, (open, head)) in &now.pulls {
            let action = match self.pulls.get(number) {
                _ if !open => continue,
                None => "opened",
                Some((false, _)) => "reopened",
                Some((true, before)) if before != head => "synchronize",
                Some(_) => continue,
            };
            changes.push(RefChange::Proposed {
                number: *number,
                action,
            });
        }
        *self = now;
        changes
    }
}
