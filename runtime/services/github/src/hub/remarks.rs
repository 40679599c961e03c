//! What is said of commits: comments, and statuses that programs set.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Time;

/// One of `commits.json`: all that is said of a commit.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CommitRemarks {
    /// The id of the commit.
    pub sha: String,
    /// The comments, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub comments: Vec<CommitComment>,
    /// The statuses, the oldest first. Of each context the last one counts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub statuses: Vec<CommitStatus>,
}

/// A comment on a commit.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CommitComment {
    /// Its id, counted from 1 with the statuses over the whole repository.
    #[serde(default)]
    pub id: u64,
    /// Who wrote it.
    pub user: String,
    /// Its text.
    pub body: String,
    /// The file that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The line of the difference that it is about, counted from its first hunk.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<u64>,
    /// The line of the file that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// When it was written.
    #[serde(default)]
    pub created_at: Time,
    /// When it was last changed.
    #[serde(default)]
    pub updated_at: Time,
}

/// A status of a commit.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CommitStatus {
    /// Its id, counted as that of a comment.
    #[serde(default)]
    pub id: u64,
    /// Who set it.
    pub creator: String,
    /// `error`, `failure`, `pending` or `success`.
    pub state: String,
    /// What it is about.
    pub context: String,
    /// What it says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Where more is told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target_url: Option<String>,
    /// When it was set.
    #[serde(default)]
    pub created_at: Time,
}

impl CommitRemarks {
    /// The statuses that count: of each context the last, the newest first.
    pub(crate) fn latest(&self) -> Vec<&CommitStatus> {
        let mut seen = std::collections::HashSet::new();
        let newest_first = self.statuses.iter().rev();
        newest_first
            .filter(|status| seen.insert(status.context.as_str()))
            .collect()
    }
}
