//! The domain: what GitHub keeps beside the repository, and the rules that need nothing else.
//!
//! Pure data: no input or output, and no git. A [`Hub`] is equal to another where the same things
//! were done to it.

mod closing;
mod ids;
mod mentions;
mod model;
mod references;
mod remarks;
mod runs;
mod time;

use std::collections::BTreeMap;

pub use closing::closes;
pub(crate) use ids::{Kind, gist_id};
pub(crate) use mentions::mentioned;
pub(crate) use model::grey;
pub use model::{
    Comment, Gist, Issue, Label, Milestone, Protection, Pull, Reaction, Release, Repository,
    Review, ReviewComment, ReviewState, State, User,
};
pub use remarks::{CommitComment, CommitRemarks, CommitStatus};
pub use runs::{Job, Run, Runs, Step};
pub use time::Time;

use crate::call;

/// A repository's metadata, people, issues, pull requests and releases.
#[derive(Debug, Clone, PartialEq)]
pub struct Hub {
    /// The repository.
    pub repository: Repository,
    /// The users, by login in lower case.
    pub users: BTreeMap<String, User>,
    /// The labels, by name in lower case.
    pub labels: BTreeMap<String, Label>,
    /// The milestones, by number.
    pub milestones: BTreeMap<u64, Milestone>,
    /// Issues and pull requests, by number.
    pub issues: BTreeMap<u64, Issue>,
    /// The releases, by id.
    pub releases: BTreeMap<u64, Release>,
    /// The gists, by id.
    pub gists: BTreeMap<String, Gist>,
    /// What continuous integration has run.
    pub runs: Runs,
    /// What is said of commits, by their ids.
    pub remarks: BTreeMap<String, CommitRemarks>,
    /// The time that the next change happens at.
    pub now: Time,
    /// The default branch as the world had it, whose files its work tree has.
    pub(crate) first_default_branch: String,
    /// The last number of a comment, a review and a release.
    pub(crate) last: Ordinals,
}

/// The last number that was given away, by kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Ordinals {
    pub(crate) issue: u64,
    pub(crate) comment: u64,
    pub(crate) review: u64,
    pub(crate) release: u64,
    /// The last comment or status of a commit.
    pub(crate) remark: u64,
}

impl Hub {
    /// An empty hub of a repository.
    pub fn new(repository: Repository, now: Time) -> Self {
        Self {
            first_default_branch: repository.default_branch.clone(),
            repository,
            users: BTreeMap::new(),
            labels: BTreeMap::new(),
            milestones: BTreeMap::new(),
            issues: BTreeMap::new(),
            releases: BTreeMap::new(),
            gists: BTreeMap::new(),
            runs: Runs::default(),
            remarks: BTreeMap::new(),
            now,
            last: Ordinals::default(),
        }
    }

    /// Notes that a call has changed something: the clock goes on by a second.
    pub(crate) fn tick(&mut self) {
        call::changed();
        self.now.0 += 1;
    }

    /// Whether this is how the repository is called.
    pub(crate) fn is(&self, owner: &str, name: &str) -> bool {
        self.repository.owner.eq_ignore_ascii_case(owner)
            && self.repository.name.eq_ignore_ascii_case(name)
    }

    /// The user of a login.
    pub(crate) fn user(&self, login: &str) -> Option<&User> {
        self.users.get(&login.to_lowercase())
    }

    /// The user whose commits bear an address.
    pub(crate) fn user_of_email(&self, email: &str) -> Option<&User> {
        let theirs = |user: &&User| {
            let own = user.email.iter().chain(&user.emails);
            own.clone().any(|known| known.eq_ignore_ascii_case(email))
        };
        // `12345+login@users.noreply.github.com` and `login@users.noreply.github.com`.
        self.users.values().find(theirs).or_else(|| {
            let local = email.strip_suffix("@users.noreply.github.com")?;
            self.user(local.rsplit('+').next()?)
        })
    }

    /// Whether an address is that of a user, and of nobody who comes before.
    pub(crate) fn is_email_of(&self, email: &str, user: &User) -> bool {
        let own = user.email.iter().chain(&user.emails);
        let local = email.strip_suffix("@users.noreply.github.com");
        let named = local.and_then(|local| local.rsplit('+').next());
        let may_be = own.into_iter().any(|it| it.eq_ignore_ascii_case(email))
            || named.is_some_and(|name| name.eq_ignore_ascii_case(&user.login));
        // Two users may claim one address.
        may_be
            && self
                .user_of_email(email)
                .is_some_and(|it| it.login == user.login)
    }

    /// The number of the next issue or pull request.
    pub(crate) fn next_number(&mut self) -> u64 {
        call::changed();
        self.last.issue += 1;
        self.last.issue
    }

    /// The number of the next comment.
    pub(crate) fn next_comment(&mut self) -> u64 {
        call::changed();
        self.last.comment += 1;
        self.last.comment
    }

    /// The number of the next review.
    pub(crate) fn next_review(&mut self) -> u64 {
        call::changed();
        self.last.review += 1;
        self.last.review
    }

    /// Makes sure that a label is there, and returns its name as it is written.
    pub(crate) fn label(&mut self, name: &str) -> String {
        call::changed();
        let label = self
            .labels
            .entry(name.to_lowercase())
            .or_insert_with(|| Label {
                name: name.to_owned(),
                color: grey(),
                description: None,
            });
        label.name.clone()
    }

    /// What is said of a commit, to be added to.
    pub(crate) fn remarks_mut(&mut self, sha: &str) -> &mut CommitRemarks {
        self.remarks
            .entry(sha.to_owned())
            .or_insert_with(|| CommitRemarks {
                sha: sha.to_owned(),
                ..CommitRemarks::default()
            })
    }

    /// The pull requests, by number.
    pub(crate) fn pulls(&self) -> impl DoubleEndedIterator<Item = (&Issue, &Pull)> {
        self.issues
            .values()
            .filter_map(|issue| Some((issue, issue.pull.as_deref()?)))
    }

    /// The issues that are no pull requests, by number.
    pub(crate) fn plain_issues(&self) -> impl Iterator<Item = &Issue> {
        self.issues.values().filter(|issue| issue.pull.is_none())
    }

    /// The pull request of a number.
    pub(crate) fn pull(&self, number: u64) -> Option<(&Issue, &Pull)> {
        let issue = self.issues.get(&number)?;
        Some((issue, issue.pull.as_deref()?))
    }

    /// The issue that has this one among its sub-issues.
    pub(crate) fn parent_of(&self, number: u64) -> Option<&Issue> {
        self.issues
            .values()
            .find(|issue| issue.sub_issues.contains(&number))
    }

    /// Closes an issue or a pull request that is open.
    pub(crate) fn close(&mut self, number: u64, by: &str, reason: Option<&str>) {
        call::changed();
        let now = self.now;
        if let Some(issue) = self.issues.get_mut(&number)
            && issue.state == State::Open
        {
            issue.state = State::Closed;
            issue.state_reason = reason.map(str::to_owned);
            issue.closed_at = Some(now);
            issue.closed_by = Some(by.to_owned());
            issue.updated_at = now;
        }
    }
}
