//! Comments on commits, and commit statuses.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Time;

/// States of a commit status.
pub(crate) const STATUS_STATES: [&str; 4] = ["error", "failure", "pending", "success"];

/// Entry of `commits.json`: comments and statuses of a commit.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CommitRemarks {
    /// Commit id.
    pub sha: String,
    /// Comments, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub comments: Vec<CommitComment>,
    /// Statuses, oldest first. Only the last one of each context is in effect.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub statuses: Vec<CommitStatus>,
}

/// Comment on a commit.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CommitComment {
    /// Ordinal, counted from 1 over the comments and statuses of all commits.
    #[serde(default)]
    pub id: u64,
    /// Login of the author.
    pub user: String,
    /// Text of the comment.
    pub body: String,
    /// Path of the commented file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Line of the diff, counted from its first hunk.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<u64>,
    /// Line of the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// Time of creation.
    #[serde(default)]
    pub created_at: Time,
    /// Time of the last change.
    #[serde(default)]
    pub updated_at: Time,
}

/// Commit status.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CommitStatus {
    /// Ordinal, counted together with comments.
    #[serde(default)]
    pub id: u64,
    /// Login of the creator.
    pub creator: String,
    /// State: `error`, `failure`, `pending` or `success`.
    pub state: String,
    /// Context: name of the check that the status reports.
    pub context: String,
    /// Short description of the result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// URL of a page with details.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target_url: Option<String>,
    /// Time of creation.
    #[serde(default)]
    pub created_at: Time,
}

impl CommitRemarks {
    /// Returns the statuses that are in effect, which are the last ones of each context, newest first.
    pub(crate) fn latest(&self) -> Vec<&CommitStatus> {
        let mut seen = std::collections::HashSet::new();
        let newest_first = self.statuses.iter().rev();
        newest_first
            .filter(|status| seen.insert(status.context.as_str()))
            .collect()
    }
}
