//! Mergeability of pull requests: conflicts, and the rules of protected branches.

use std::collections::BTreeMap;

use super::RepositoryState;
use crate::git::{GitError, Merged, ObjectId};
use crate::hub::{Issue, Pull, ReviewState, State};

/// Mergeability of a pull request. Unknown if the pull request is closed, or if git refuses the merge.
pub(crate) struct Mergeable {
    pub(crate) mergeable: Option<bool>,
    /// State: `clean`, `dirty`, `behind`, `blocked`, `unstable`, `draft` or `unknown`.
    pub(crate) state: &'static str,
    pub(crate) rebaseable: Option<bool>,
}

const UNKNOWN: Mergeable = Mergeable {
    mergeable: None,
    state: "unknown",
    rebaseable: None,
};

impl RepositoryState {
    /// Computes the mergeability of a pull request.
    pub(crate) fn mergeable(&self, issue: &Issue, pull: &Pull) -> Result<Mergeable, GitError> {
        if issue.state == State::Closed {
            return Ok(UNKNOWN);
        }
        let (base, head) = self.ends(pull)?;
        match self.git.merge(base, head) {
            Ok(Merged::Clean(_)) => {}
            Ok(Merged::Conflicts(_)) => {
                return Ok(Mergeable {
                    mergeable: Some(false),
                    state: "dirty",
                    rebaseable: Some(false),
                });
            }
            Err(error) if error.is_refusal() => return Ok(UNKNOWN),
            Err(error) => return Err(error),
        }
        let rebaseable = match self.git.can_rebase(base, head) {
            Ok(can) => Some(can),
            Err(error) if error.is_refusal() => None,
            Err(error) => return Err(error),
        };
        let state = if pull.draft {
            "draft"
        } else if self.missing_approvals(issue, pull) > 0
            || self.unmet_checks(&pull.base, head) != (Vec::new(), Vec::new())
        {
            "blocked"
        } else if self.is_behind(pull, base, head)? {
            "behind"
        } else if self.is_red(head) {
            "unstable"
        } else {
            "clean"
        };
        Ok(Mergeable {
            mergeable: Some(true),
            state,
            rebaseable,
        })
    }

    /// Number of approving reviews that the base still requires. Only reviews by users with write access count.
    pub(crate) fn missing_approvals(&self, issue: &Issue, pull: &Pull) -> u32 {
        let rules = self.hub.repository.protected_branches.get(&pull.base);
        let wanted = rules.map_or(0, |rules| rules.required_approvals);
        let writes = |login: &str| {
            let user = self.hub.user(login);
            user.map_or(self.hub.repository.collaborators.is_empty(), |user| {
                self.is_member(user)
            })
        };
        let mut opinions = opinions(issue, pull);
        opinions.retain(|login, _| writes(login));
        let many = |state| opinions.values().filter(|it| **it == state).count() as u32;
        match many(ReviewState::ChangesRequested) {
            0 => wanted.saturating_sub(many(ReviewState::Approved)),
            _ => wanted,
        }
    }

    /// Combined state of the reviews of a pull request, with the names of searches.
    pub(crate) fn review_status(&self, issue: &Issue, pull: &Pull) -> &'static str {
        let opinions = opinions(issue, pull);
        let any = |state| opinions.values().any(|it| *it == state);
        if any(ReviewState::ChangesRequested) {
            "changes_requested"
        } else if self.missing_approvals(issue, pull) > 0 {
            "required"
        } else if any(ReviewState::Approved) {
            "approved"
        } else {
            ""
        }
    }

    /// Reports whether the base requires an up-to-date head, and the head does not contain the tip of the base.
    pub(crate) fn is_behind(
        &self,
        pull: &Pull,
        base: ObjectId,
        head: ObjectId,
    ) -> Result<bool, GitError> {
        let rules = self.hub.repository.protected_branches.get(&pull.base);
        Ok(rules.is_some_and(|rules| rules.up_to_date) && !self.git.is_ancestor(base, head)?)
    }
}

/// Last decision of each reviewer about a pull request.
fn opinions<'a>(issue: &Issue, pull: &'a Pull) -> BTreeMap<&'a str, ReviewState> {
    let counts = |state| {
        matches!(
            state,
            ReviewState::Approved | ReviewState::ChangesRequested | ReviewState::Dismissed
        )
    };
    let reviews = pull.reviews.iter();
    let counted = reviews.filter(|it| counts(it.state) && it.user != issue.user);
    counted.map(|it| (it.user.as_str(), it.state)).collect()
}
