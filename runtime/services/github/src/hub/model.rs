//! What GitHub knows beside the repository itself. The serialised form of these types is that of
//! a world's documents: keys in the order of the fields, what is empty left out.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Time;

fn yes() -> bool {
    true
}

fn is_true(value: &bool) -> bool {
    *value
}

fn is_false(value: &bool) -> bool {
    !*value
}

/// `repository.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Repository {
    /// The login of the user or organisation that owns it.
    pub owner: String,
    /// Its name, without the owner.
    pub name: String,
    /// What it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The branch that is meant where none is named.
    pub default_branch: String,
    /// The login of whoever acts through the tools.
    pub viewer: String,
    /// Whether only its members see it.
    #[serde(default, skip_serializing_if = "is_false")]
    pub private: bool,
    /// Its topics.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub topics: Vec<String>,
    /// Whether pull requests may be merged by a merge commit.
    #[serde(default = "yes", skip_serializing_if = "is_true")]
    pub allow_merge_commit: bool,
    /// Whether pull requests may be squashed.
    #[serde(default = "yes", skip_serializing_if = "is_true")]
    pub allow_squash_merge: bool,
    /// Whether pull requests may be rebased.
    #[serde(default = "yes", skip_serializing_if = "is_true")]
    pub allow_rebase_merge: bool,
    /// Rules for single branches, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub protected_branches: BTreeMap<String, Protection>,
    /// The logins of those who may be assigned and asked for a review; empty: everybody.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub collaborators: Vec<String>,
    /// When it was made.
    #[serde(default)]
    pub created_at: Time,
}

/// What a protected branch asks for.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Protection {
    /// The approving reviews that a pull request needs before it is merged.
    pub required_approvals: u32,
    /// Whether changes must come by a pull request.
    pub pull_requests_only: bool,
    /// Whether a pull request must contain the tip of the branch.
    pub up_to_date: bool,
    /// The jobs that must have succeeded on the head of a pull request before it is merged, by their names.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub required_checks: Vec<String>,
}

/// One of `users.json`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct User {
    /// The account name.
    pub login: String,
    /// The full name, also that of commits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The public address, also that of commits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
    /// Further addresses whose commits are this user's.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub emails: Vec<String>,
    /// `User`, `Bot` or `Organization`; a user where it is absent.
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// The company.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub company: Option<String>,
    /// The web site.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blog: Option<String>,
    /// Where the user lives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub location: Option<String>,
    /// What the user says of himself or herself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bio: Option<String>,
}

/// One of `labels.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Label {
    /// Its name; names that differ in case alone are the same.
    pub name: String,
    /// Six hexadecimal digits.
    #[serde(default = "grey")]
    pub color: String,
    /// What it is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

/// The colour of a label that is made by being used.
pub(crate) fn grey() -> String {
    "ededed".to_owned()
}

/// One of `milestones.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Milestone {
    /// Its number, counted from 1, apart from issues.
    pub number: u64,
    /// Its title.
    pub title: String,
    /// What it is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Whether it is open.
    #[serde(default)]
    pub state: State,
    /// Who made it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub creator: Option<String>,
    /// When it is due.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub due_on: Option<Time>,
    /// When it was made.
    #[serde(default)]
    pub created_at: Time,
    /// When it was last changed.
    #[serde(default)]
    pub updated_at: Time,
    /// When it was closed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closed_at: Option<Time>,
}

/// Open or closed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// Still to be done.
    #[default]
    Open,
    /// Done, or given up.
    Closed,
}

impl State {
    /// `open` or `closed`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Closed => "closed",
        }
    }
}

/// One of `issues.json`, or what a pull request has in common with issues.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Issue {
    /// Its number; issues and pull requests are counted together.
    pub number: u64,
    /// Its title.
    pub title: String,
    /// Its text; absent where it was given none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// Who opened it.
    pub user: String,
    /// Whether it is open.
    #[serde(default)]
    pub state: State,
    /// Why it is in that state: `completed`, `not_planned`, `duplicate` or `reopened`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state_reason: Option<String>,
    /// The number of the issue that it repeats.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duplicate_of: Option<u64>,
    /// The names of its labels, in the order in which they were given.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
    /// The logins of the assignees.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub assignees: Vec<String>,
    /// The number of its milestone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub milestone: Option<u64>,
    /// The kind of issue, where the organisation has kinds.
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Whether comments are closed.
    #[serde(default, skip_serializing_if = "is_false")]
    pub locked: bool,
    /// When it was opened.
    #[serde(default)]
    pub created_at: Time,
    /// When it was last changed.
    #[serde(default)]
    pub updated_at: Time,
    /// When it was closed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closed_at: Option<Time>,
    /// Who closed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closed_by: Option<String>,
    /// The reactions to it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reactions: Vec<Reaction>,
    /// The numbers of its sub-issues, the most important first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sub_issues: Vec<u64>,
    /// Its comments, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub comments: Vec<Comment>,
    /// What makes it a pull request; in `pulls.json` these keys stand beside the others.
    #[serde(skip)]
    pub pull: Option<Box<Pull>>,
}

/// A reaction of one user.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Reaction {
    /// Who reacted.
    pub user: String,
    /// `+1`, `-1`, `laugh`, `confused`, `heart`, `hooray`, `rocket` or `eyes`.
    pub content: String,
}

/// A comment on an issue or a pull request.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Comment {
    /// Its id, counted from 1 over the whole repository.
    #[serde(default)]
    pub id: u64,
    /// Who wrote it.
    pub user: String,
    /// Its text.
    pub body: String,
    /// When it was written.
    #[serde(default)]
    pub created_at: Time,
    /// When it was last changed.
    #[serde(default)]
    pub updated_at: Time,
    /// The reactions to it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reactions: Vec<Reaction>,
}

/// What a pull request has beyond an issue.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Pull {
    /// The branch that is to be merged.
    pub head: String,
    /// The branch that it is to be merged into.
    pub base: String,
    /// The tip of the head: live while the pull request is open and the branch is there.
    #[serde(default)]
    pub head_sha: String,
    /// The tip of the base when the pull request was opened, or closed.
    #[serde(default)]
    pub base_sha: String,
    /// The owner of the fork that the head is in, where it is in one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fork_owner: Option<String>,
    /// The name of the fork.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fork_repo: Option<String>,
    /// The branch of this repository that holds the head of a fork.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub local_branch: Option<String>,
    /// Whether it is a draft.
    #[serde(default, skip_serializing_if = "is_false")]
    pub draft: bool,
    /// Whether maintainers may push to the head.
    #[serde(default, skip_serializing_if = "is_false")]
    pub maintainer_can_modify: bool,
    /// When it was merged; absent until then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub merged_at: Option<Time>,
    /// Who merged it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub merged_by: Option<String>,
    /// How it was merged: `merge`, `squash` or `rebase`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub merge_method: Option<String>,
    /// The commit on the base that merged it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub merge_commit_sha: Option<String>,
    /// Who has been asked for a review and has not given one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub requested_reviewers: Vec<String>,
    /// Its reviews, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reviews: Vec<Review>,
    /// The comments on its lines, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub review_comments: Vec<ReviewComment>,
}

impl Pull {
    /// The comments on lines that are not part of a review that is still pending.
    pub(crate) fn seen_comments(&self) -> impl Iterator<Item = &ReviewComment> {
        let pending = self.reviews.iter().filter(|it| it.submitted_at.is_none());
        let pending: BTreeSet<u64> = pending.map(|review| review.id).collect();
        let is_seen = move |it: &&ReviewComment| it.review.is_none_or(|id| !pending.contains(&id));
        self.review_comments.iter().filter(is_seen)
    }
}

/// A review of a pull request.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Review {
    /// Its id, counted from 1 over the whole repository.
    #[serde(default)]
    pub id: u64,
    /// Who reviews.
    pub user: String,
    /// What is said of the whole.
    #[serde(default)]
    pub body: String,
    /// What it comes to.
    pub state: ReviewState,
    /// The commit that was reviewed.
    #[serde(default)]
    pub commit_id: String,
    /// When it was submitted; absent while it is pending.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub submitted_at: Option<Time>,
}

/// What a review comes to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ReviewState {
    /// Seen by its author alone.
    #[default]
    Pending,
    /// Neither for nor against.
    Commented,
    /// For merging.
    Approved,
    /// Against merging.
    ChangesRequested,
    /// Once submitted, now without weight.
    Dismissed,
}

impl ReviewState {
    /// As GitHub writes it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "PENDING",
            Self::Commented => "COMMENTED",
            Self::Approved => "APPROVED",
            Self::ChangesRequested => "CHANGES_REQUESTED",
            Self::Dismissed => "DISMISSED",
        }
    }
}

/// A comment on a line, a range of lines or a file of a pull request.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReviewComment {
    /// Its id, counted with the comments of issues.
    #[serde(default)]
    pub id: u64,
    /// The review that it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub review: Option<u64>,
    /// The comment that it answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_reply_to: Option<u64>,
    /// Who wrote it.
    pub user: String,
    /// Its text.
    pub body: String,
    /// The file.
    #[serde(default)]
    pub path: String,
    /// The last line that it is about, in the file of `side` at `commit_id`; absent: the whole file, or a line that
    /// is no longer there, of which `original_line` tells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// `LEFT` for the base, `RIGHT` for the head.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub side: Option<String>,
    /// The first line of a range.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_line: Option<u64>,
    /// The side of the first line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_side: Option<String>,
    /// The commit that the lines are of: the one that it was written on, or a later one.
    #[serde(default)]
    pub commit_id: String,
    /// The commit that it was written on, where that is another.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub original_commit_id: Option<String>,
    /// What `line` was when it was written, where that is another.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub original_line: Option<u64>,
    /// What `start_line` was when it was written, where that is another.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub original_start_line: Option<u64>,
    /// The lines that it was written under, where the commits do not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diff_hunk: Option<String>,
    /// When it was written.
    #[serde(default)]
    pub created_at: Time,
    /// When it was last changed.
    #[serde(default)]
    pub updated_at: Time,
    /// The reactions to it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reactions: Vec<Reaction>,
    /// Whether the thread that it begins is settled.
    #[serde(default, skip_serializing_if = "is_false")]
    pub resolved: bool,
}

impl ReviewComment {
    /// The commit that it was written on.
    pub(crate) fn written_on(&self) -> &str {
        self.original_commit_id
            .as_deref()
            .unwrap_or(&self.commit_id)
    }

    /// The last line that it was written on; none for a whole file.
    pub(crate) fn first_line(&self) -> Option<u64> {
        self.original_line.or(self.line)
    }

    /// The first line of the range that it was written on.
    pub(crate) fn first_start(&self) -> Option<u64> {
        self.original_start_line.or(self.start_line)
    }

    /// Says where its lines are in another commit, and keeps where they were; none where they are gone.
    pub(crate) fn moved(&mut self, commit: String, line: Option<u64>, start_line: Option<u64>) {
        self.original_commit_id = Some(self.written_on().to_owned());
        self.original_line = self.first_line();
        self.original_start_line = self.first_start();
        (self.commit_id, self.line, self.start_line) = (commit, line, start_line);
        self.shorten();
    }

    /// Leaves out of its beginnings what is so still.
    pub(crate) fn shorten(&mut self) {
        self.original_commit_id.take_if(|it| *it == self.commit_id);
        self.original_line.take_if(|it| self.line == Some(*it));
        self.original_start_line
            .take_if(|it| self.start_line == Some(*it));
    }
}

/// One of `releases.json`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Release {
    /// Its id, counted from 1.
    #[serde(default)]
    pub id: u64,
    /// The tag that it publishes.
    pub tag_name: String,
    /// The branch or commit that the tag is made from where it is not there.
    #[serde(default)]
    pub target_commitish: String,
    /// Its title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Its notes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// Whether it is not yet published.
    #[serde(default, skip_serializing_if = "is_false")]
    pub draft: bool,
    /// Whether it is not meant for everybody.
    #[serde(default, skip_serializing_if = "is_false")]
    pub prerelease: bool,
    /// Who made it.
    pub author: String,
    /// When it was made.
    #[serde(default)]
    pub created_at: Time,
    /// When it was published.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published_at: Option<Time>,
}

/// One of `gists.json`: files that somebody keeps beside repositories. They are read, and never changed.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Gist {
    /// Its id, 20 to 32 hexadecimal digits; derived where it is left out.
    #[serde(default)]
    pub id: String,
    /// Whose it is.
    pub owner: String,
    /// What it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Whether others are shown it in lists.
    #[serde(default)]
    pub public: bool,
    /// The files, by name.
    pub files: BTreeMap<String, String>,
    /// When it was made.
    #[serde(default)]
    pub created_at: Time,
    /// When it was last changed.
    #[serde(default)]
    pub updated_at: Time,
}
