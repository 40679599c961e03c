//! What has happened to branches and pull requests since somebody looked.
//!
//! Calls change refs and pull requests in many ways. What counts is where they stand when the call is over.

use std::collections::BTreeMap;

use crate::git::ObjectId;
use crate::hub::State;
use crate::view::Site;

/// Where branches and pull requests stand.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Watch {
    branches: BTreeMap<String, ObjectId>,
    /// Whether it is open, and its head.
    pulls: BTreeMap<u64, (bool, String)>,
}

/// What has happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Happened {
    /// A branch was made, or moved.
    Pushed {
        branch: String,
        before: Option<ObjectId>,
        after: ObjectId,
    },
    /// A pull request was opened, reopened, or has another head.
    Proposed { number: u64, action: &'static str },
}

impl Watch {
    pub(super) fn of(site: &Site) -> Self {
        let branches = site.git.refs_below("refs/heads/");
        let pulls = site.hub.pulls().map(|(issue, pull)| {
            let open = issue.state == State::Open;
            (issue.number, (open, pull.head_sha.clone()))
        });
        Self {
            branches: branches.map(|(name, id)| (name.to_owned(), id)).collect(),
            pulls: pulls.collect(),
        }
    }

    /// Takes a branch for the one that had another name before.
    pub(super) fn renamed(&mut self, old: &str, new: &str) {
        if let Some(tip) = self.branches.remove(old) {
            self.branches.insert(new.to_owned(), tip);
        }
    }

    /// Looks again, and tells what is new: pushes by branch, then pull requests by number.
    pub(super) fn look(&mut self, site: &Site) -> Vec<Happened> {
        let now = Self::of(site);
        let mut happened = Vec::new();
        for (branch, after) in &now.branches {
            let before = self.branches.get(branch).copied();
            if before != Some(*after) {
                happened.push(Happened::Pushed {
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
            happened.push(Happened::Proposed {
                number: *number,
                action,
            });
        }
        *self = now;
        happened
    }
}
