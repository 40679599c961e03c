//! Domain model: the data of GitHub outside of git, and rules that need no other data.
//!
//! This module does no I/O and does not access git. Equal operations on equal [`Hub`]s have equal results.

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
pub use model::{
    Comment, Gist, Issue, Label, Milestone, Protection, Pull, Reaction, Release, Repository,
    Review, ReviewComment, ReviewState, State, User,
};
pub(crate) use model::{LONGEST_TITLE, REACTIONS, grey, is_repository_name};
pub(crate) use remarks::STATUS_STATES;
pub use remarks::{CommitComment, CommitRemarks, CommitStatus};
pub use runs::{Job, Run, Runs, Step};
pub use time::Time;

use crate::call;

/// Metadata, users, issues, pull requests and releases of a repository.
#[derive(Debug, Clone, PartialEq)]
pub struct Hub {
    /// Repository settings.
    pub repository: Repository,
    /// Users, by login in lower case.
    pub users: BTreeMap<String, User>,
    /// Labels, by name in lower case.
    pub labels: BTreeMap<String, Label>,
    /// Milestones, by number.
    pub milestones: BTreeMap<u64, Milestone>,
    /// Issues and pull requests, by number.
    pub issues: BTreeMap<u64, Issue>,
    /// Releases, by id.
    pub releases: BTreeMap<u64, Release>,
    /// Gists, by id.
    pub gists: BTreeMap<String, Gist>,
    /// Workflow runs and their jobs.
    pub runs: Runs,
    /// Comments and statuses of commits, by commit id.
    pub remarks: BTreeMap<String, CommitRemarks>,
    /// Time of the next change.
    pub now: Time,
    /// Default branch of the original world, whose files are in its work tree.
    pub(crate) first_default_branch: String,
    /// Last assigned ordinals.
    pub(crate) last: Ordinals,
}

/// Last assigned ordinal of each kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Ordinals {
    pub(crate) issue: u64,
    pub(crate) comment: u64,
    pub(crate) review: u64,
    pub(crate) release: u64,
    /// Last ordinal of comments and statuses of commits, which are numbered together.
    pub(crate) remark: u64,
}

impl Hub {
    /// Empty hub of a repository.
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

    /// Records a change by the current call, and advances the clock by one second.
    pub(crate) fn tick(&mut self) {
        call::changed();
        self.now.0 += 1;
    }

    /// Reports whether the repository has this owner and name, ignoring case.
    pub(crate) fn is_repository(&self, owner: &str, name: &str) -> bool {
        self.repository.owner.eq_ignore_ascii_case(owner)
            && self.repository.name.eq_ignore_ascii_case(name)
    }

    /// User with a login.
    pub(crate) fn user(&self, login: &str) -> Option<&User> {
        self.users.get(&login.to_lowercase())
    }

    /// User to whom an email address in a commit belongs.
    pub(crate) fn user_of_email(&self, email: &str) -> Option<&User> {
        let theirs = |user: &&User| {
            let own = user.email.iter().chain(&user.emails);
            own.clone().any(|known| known.eq_ignore_ascii_case(email))
        };
        // Noreply addresses: `12345+login@users.noreply.github.com` and `login@users.noreply.github.com`.
        self.users.values().find(theirs).or_else(|| {
            let local = email.strip_suffix("@users.noreply.github.com")?;
            self.user(local.rsplit('+').next()?)
        })
    }

    /// Reports whether [`user_of_email`](Self::user_of_email) finds this user for an address.
    pub(crate) fn is_email_of(&self, email: &str, user: &User) -> bool {
        let own = user.email.iter().chain(&user.emails);
        let local = email.strip_suffix("@users.noreply.github.com");
        let named = local.and_then(|local| local.rsplit('+').next());
        let may_be = own.into_iter().any(|it| it.eq_ignore_ascii_case(email))
            || named.is_some_and(|name| name.eq_ignore_ascii_case(&user.login));
        // Several users may claim the same address.
        may_be
            && self
                .user_of_email(email)
                .is_some_and(|it| it.login == user.login)
    }

    /// Assigns the number of the next issue or pull request.
    pub(crate) fn next_number(&mut self) -> u64 {
        call::changed();
        self.last.issue += 1;
        self.last.issue
    }

    /// Assigns the ordinal of the next comment.
    pub(crate) fn next_comment(&mut self) -> u64 {
        call::changed();
        self.last.comment += 1;
        self.last.comment
    }

    /// Assigns the ordinal of the next review.
    pub(crate) fn next_review(&mut self) -> u64 {
        call::changed();
        self.last.review += 1;
        self.last.review
    }

    /// Creates a label if it does not exist, and returns its name in the spelling of the label.
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

    /// Comments and statuses of a commit, for modification. Creates the entry if it does not exist.
    pub(crate) fn remarks_mut(&mut self, sha: &str) -> &mut CommitRemarks {
        self.remarks
            .entry(sha.to_owned())
            .or_insert_with(|| CommitRemarks {
                sha: sha.to_owned(),
                ..CommitRemarks::default()
            })
    }

    /// Pull requests, by number.
    pub(crate) fn pulls(&self) -> impl DoubleEndedIterator<Item = (&Issue, &Pull)> {
        self.issues
            .values()
            .filter_map(|issue| Some((issue, issue.pull.as_deref()?)))
    }

    /// Issues without pull requests, by number.
    pub(crate) fn plain_issues(&self) -> impl Iterator<Item = &Issue> {
        self.issues.values().filter(|issue| issue.pull.is_none())
    }

    /// Pull request with a number.
    pub(crate) fn pull(&self, number: u64) -> Option<(&Issue, &Pull)> {
        let issue = self.issues.get(&number)?;
        Some((issue, issue.pull.as_deref()?))
    }

    /// Parent of a sub-issue.
    pub(crate) fn parent_of(&self, number: u64) -> Option<&Issue> {
        self.issues
            .values()
            .find(|issue| issue.sub_issues.contains(&number))
    }

    /// Closes an issue or a pull request if it is open.
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
