//! Data of GitHub outside of the git repository.
//!
//! The serialised form of these types is the form of a world's documents: keys in the order of the fields, without
//! empty values.

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

/// Returns true if a text is a valid repository name: 1 to 100 letters, digits, hyphens, underscores and dots, but not
/// `.` or `..`.
pub(crate) fn is_repository_name(name: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let is_name = (1..=100).contains(&name.len()) && name.chars().all(is_part);
    is_name && !matches!(name, "." | "..")
}

/// Content of `repository.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Repository {
    /// Login of the user or organisation that owns the repository.
    pub owner: String,
    /// Name of the repository, without the owner.
    pub name: String,
    /// Short description.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Default branch.
    pub default_branch: String,
    /// Login of the account that acts through the tools.
    pub viewer: String,
    /// True if only members can see the repository.
    #[serde(default, skip_serializing_if = "is_false")]
    pub private: bool,
    /// Topics.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub topics: Vec<String>,
    /// True if pull requests may be merged with a merge commit.
    #[serde(default = "yes", skip_serializing_if = "is_true")]
    pub allow_merge_commit: bool,
    /// True if pull requests may be squashed.
    #[serde(default = "yes", skip_serializing_if = "is_true")]
    pub allow_squash_merge: bool,
    /// True if pull requests may be rebased.
    #[serde(default = "yes", skip_serializing_if = "is_true")]
    pub allow_rebase_merge: bool,
    /// Protection rules, by branch name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub protected_branches: BTreeMap<String, Protection>,
    /// Logins of the users who may be assigned and asked for a review. If empty, all users may.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub collaborators: Vec<String>,
    /// Time of creation.
    #[serde(default)]
    pub created_at: Time,
}

/// Rules for a protected branch.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Protection {
    /// Number of approving reviews that a pull request needs before it can be merged.
    pub required_approvals: u32,
    /// True if changes require a pull request.
    pub pull_requests_only: bool,
    /// True if a pull request must contain the tip of the branch.
    pub up_to_date: bool,
    /// Names of the jobs or contexts of the statuses that must succeed on the head of a pull request before it can be
    /// merged.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub required_checks: Vec<String>,
}

/// Entry of `users.json`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct User {
    /// Account name.
    pub login: String,
    /// Full name, also used in commits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Public email address, also used in commits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
    /// Further email addresses. Commits with one of them belong to this user.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub emails: Vec<String>,
    /// Type of account: `User`, `Bot` or `Organization`. `User` by default.
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Company.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub company: Option<String>,
    /// URL of a web site.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blog: Option<String>,
    /// Location of the user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub location: Option<String>,
    /// Short biography.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bio: Option<String>,
}

/// Entry of `labels.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Label {
    /// Name. Names that differ only in case are equal.
    pub name: String,
    /// Colour in six hexadecimal digits.
    #[serde(default = "grey")]
    pub color: String,
    /// Short description.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

/// Default colour, for labels that are created by their first use.
pub(crate) fn grey() -> String {
    "ededed".to_owned()
}

/// Entry of `milestones.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Milestone {
    /// Number, counted from 1 independently of issues.
    pub number: u64,
    /// Title.
    pub title: String,
    /// Description.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Open or closed.
    #[serde(default)]
    pub state: State,
    /// Login of the creator.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub creator: Option<String>,
    /// Due date.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub due_on: Option<Time>,
    /// Time of creation.
    #[serde(default)]
    pub created_at: Time,
    /// Time of the last change.
    #[serde(default)]
    pub updated_at: Time,
    /// Time of closing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closed_at: Option<Time>,
}

/// State of an issue, pull request or milestone.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// Open.
    #[default]
    Open,
    /// Closed.
    Closed,
}

impl State {
    /// Name in the API: `open` or `closed`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Closed => "closed",
        }
    }
}

/// Maximum number of characters of the title of an issue or a pull request.
pub(crate) const LONGEST_TITLE: usize = 256;

/// Entry of `issues.json`, or the part of a pull request that is common to issues.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Issue {
    /// Number. Issues and pull requests share one sequence.
    pub number: u64,
    /// Title.
    pub title: String,
    /// Text. Absent if none was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// Login of the author.
    pub user: String,
    /// Open or closed.
    #[serde(default)]
    pub state: State,
    /// Reason for the state: `completed`, `not_planned`, `duplicate` or `reopened`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state_reason: Option<String>,
    /// Number of the issue of which this one is a duplicate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duplicate_of: Option<u64>,
    /// Names of the labels, in the order in which they were added.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
    /// Logins of the assignees.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub assignees: Vec<String>,
    /// Number of the milestone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub milestone: Option<u64>,
    /// Issue type, if the organisation defines types.
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// True if the conversation is locked.
    #[serde(default, skip_serializing_if = "is_false")]
    pub locked: bool,
    /// Time of creation.
    #[serde(default)]
    pub created_at: Time,
    /// Time of the last change.
    #[serde(default)]
    pub updated_at: Time,
    /// Time of closing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closed_at: Option<Time>,
    /// Login of the user who closed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closed_by: Option<String>,
    /// Reactions to the text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reactions: Vec<Reaction>,
    /// Numbers of the sub-issues, by descending priority.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sub_issues: Vec<u64>,
    /// Comments, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub comments: Vec<Comment>,
    /// Data of a pull request. In `pulls.json` its keys are in the same object as those of the issue.
    #[serde(skip)]
    pub pull: Option<Box<Pull>>,
}

/// Valid contents of a reaction.
pub(crate) const REACTIONS: [&str; 8] = [
    "+1", "-1", "laugh", "confused", "heart", "hooray", "rocket", "eyes",
];

/// Reaction of one user.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Reaction {
    /// Login of the user.
    pub user: String,
    /// Content: `+1`, `-1`, `laugh`, `confused`, `heart`, `hooray`, `rocket` or `eyes`.
    pub content: String,
}

/// Comment on an issue or a pull request.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Comment {
    /// Ordinal, counted from 1 over the whole repository.
    #[serde(default)]
    pub id: u64,
    /// Login of the author.
    pub user: String,
    /// Text.
    pub body: String,
    /// Time of creation.
    #[serde(default)]
    pub created_at: Time,
    /// Time of the last change.
    #[serde(default)]
    pub updated_at: Time,
    /// Reactions to the comment.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reactions: Vec<Reaction>,
}

/// Part of a pull request that issues do not have.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Pull {
    /// Head: the branch to be merged.
    pub head: String,
    /// Base: the branch to merge into.
    pub base: String,
    /// Tip of the head. It follows the branch while the pull request is open and the branch exists in this repository.
    #[serde(default)]
    pub head_sha: String,
    /// Tip of the base. It follows the branch while the pull request is open.
    #[serde(default)]
    pub base_sha: String,
    /// Owner of the fork that contains the head. Absent if the head is in this repository.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fork_owner: Option<String>,
    /// Name of the fork.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fork_repo: Option<String>,
    /// Branch of this repository that contains the head of a fork.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub local_branch: Option<String>,
    /// True if it is a draft.
    #[serde(default, skip_serializing_if = "is_false")]
    pub draft: bool,
    /// True if maintainers may push to the head.
    #[serde(default, skip_serializing_if = "is_false")]
    pub maintainer_can_modify: bool,
    /// Time of merging. Absent if it is not merged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub merged_at: Option<Time>,
    /// Login of the user who merged it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub merged_by: Option<String>,
    /// Merge method: `merge`, `squash` or `rebase`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub merge_method: Option<String>,
    /// Commit on the base that merged it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub merge_commit_sha: Option<String>,
    /// Logins of the requested reviewers who have not submitted a review yet.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub requested_reviewers: Vec<String>,
    /// Reviews, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reviews: Vec<Review>,
    /// Review comments on lines and files, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub review_comments: Vec<ReviewComment>,
}

impl Pull {
    /// Branch of this repository that contains the head. `None` if the head is in a fork and has no branch here.
    pub(crate) fn head_branch(&self) -> Option<&str> {
        match (&self.local_branch, &self.fork_owner) {
            (Some(branch), _) => Some(branch),
            (None, Some(_)) => None,
            (None, None) => Some(&self.head),
        }
    }

    /// Review comments that other users can see, which are all except those of pending reviews.
    pub(crate) fn seen_comments(&self) -> impl Iterator<Item = &ReviewComment> {
        let pending = self.reviews.iter().filter(|it| it.submitted_at.is_none());
        let pending: BTreeSet<u64> = pending.map(|review| review.id).collect();
        let is_seen = move |it: &&ReviewComment| it.review.is_none_or(|id| !pending.contains(&id));
        self.review_comments.iter().filter(is_seen)
    }
}

/// Review of a pull request.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Review {
    /// Ordinal, counted from 1 over the whole repository.
    #[serde(default)]
    pub id: u64,
    /// Login of the reviewer.
    pub user: String,
    /// Text of the review.
    #[serde(default)]
    pub body: String,
    /// State of the review.
    pub state: ReviewState,
    /// Reviewed commit.
    #[serde(default)]
    pub commit_id: String,
    /// Time of submission. Absent while the review is pending.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub submitted_at: Option<Time>,
}

/// State of a review.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ReviewState {
    /// Not submitted. Only its author can see it.
    #[default]
    Pending,
    /// Submitted without a decision.
    Commented,
    /// Approval.
    Approved,
    /// Request for changes, which blocks merging.
    ChangesRequested,
    /// Dismissed after its submission, and without effect on merging.
    Dismissed,
}

impl ReviewState {
    /// Name in GitHub's API.
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

/// Review comment on a line, a range of lines or a file of a pull request.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReviewComment {
    /// Ordinal, counted together with comments on issues.
    #[serde(default)]
    pub id: u64,
    /// Ordinal of the review to which it belongs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub review: Option<u64>,
    /// Ordinal of the comment that it answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_reply_to: Option<u64>,
    /// Login of the author.
    pub user: String,
    /// Text.
    pub body: String,
    /// Path of the file.
    #[serde(default)]
    pub path: String,
    /// Last line, in the version of the file on `side` at `commit_id`. Absent if the comment is on the whole file, or
    /// if the line no longer exists and only `original_line` is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// Side of the diff: `LEFT` for the base, `RIGHT` for the head.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub side: Option<String>,
    /// First line of a range.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_line: Option<u64>,
    /// Side of the first line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_side: Option<String>,
    /// Commit to which the lines refer: the original commit or a later one.
    #[serde(default)]
    pub commit_id: String,
    /// Commit on which the comment was written, if it differs from `commit_id`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub original_commit_id: Option<String>,
    /// Value of `line` when the comment was written, if it differs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub original_line: Option<u64>,
    /// Value of `start_line` when the comment was written, if it differs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub original_start_line: Option<u64>,
    /// Diff hunk that ends with the commented line, if it cannot be derived from the commits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diff_hunk: Option<String>,
    /// Time of creation.
    #[serde(default)]
    pub created_at: Time,
    /// Time of the last change.
    #[serde(default)]
    pub updated_at: Time,
    /// Reactions to the comment.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reactions: Vec<Reaction>,
    /// True if the thread that begins with this comment is resolved.
    #[serde(default, skip_serializing_if = "is_false")]
    pub resolved: bool,
}

impl ReviewComment {
    /// Commit on which the comment was written.
    pub(crate) fn written_on(&self) -> &str {
        self.original_commit_id
            .as_deref()
            .unwrap_or(&self.commit_id)
    }

    /// Last line when the comment was written. `None` for a comment on a file.
    pub(crate) fn first_line(&self) -> Option<u64> {
        self.original_line.or(self.line)
    }

    /// First line of the range when the comment was written.
    pub(crate) fn first_start(&self) -> Option<u64> {
        self.original_start_line.or(self.start_line)
    }

    /// Moves the comment to lines of another commit and keeps its original position. `line` is `None` if the line no
    /// longer exists.
    pub(crate) fn moved(&mut self, commit: String, line: Option<u64>, start_line: Option<u64>) {
        self.original_commit_id = Some(self.written_on().to_owned());
        self.original_line = self.first_line();
        self.original_start_line = self.first_start();
        (self.commit_id, self.line, self.start_line) = (commit, line, start_line);
        self.drop_redundant_originals();
    }

    /// Removes original values that are equal to the current ones.
    pub(crate) fn drop_redundant_originals(&mut self) {
        self.original_commit_id.take_if(|it| *it == self.commit_id);
        self.original_line.take_if(|it| self.line == Some(*it));
        self.original_start_line
            .take_if(|it| self.start_line == Some(*it));
    }
}

/// Entry of `releases.json`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Release {
    /// Ordinal, counted from 1.
    #[serde(default)]
    pub id: u64,
    /// Tag that it publishes.
    pub tag_name: String,
    /// Branch or commit from which the tag is created if it does not exist.
    #[serde(default)]
    pub target_commitish: String,
    /// Title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Release notes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// True if it is not published yet.
    #[serde(default, skip_serializing_if = "is_false")]
    pub draft: bool,
    /// True if it is a prerelease.
    #[serde(default, skip_serializing_if = "is_false")]
    pub prerelease: bool,
    /// Login of the author.
    pub author: String,
    /// Time of creation.
    #[serde(default)]
    pub created_at: Time,
    /// Time of publication.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published_at: Option<Time>,
}

/// Entry of `gists.json`. Gists are read-only.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Gist {
    /// Id of 20 to 32 hexadecimal digits. Derived if absent.
    #[serde(default)]
    pub id: String,
    /// Login of the owner.
    pub owner: String,
    /// Short description.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// True if other users see it in lists.
    #[serde(default)]
    pub public: bool,
    /// Contents of the files, by name.
    pub files: BTreeMap<String, String>,
    /// Time of creation.
    #[serde(default)]
    pub created_at: Time,
    /// Time of the last change.
    #[serde(default)]
    pub updated_at: Time,
}
