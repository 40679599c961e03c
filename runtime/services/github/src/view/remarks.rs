//! Comments on commits, and commit statuses set by programs.

use serde_json::{Value, json};

use super::{association, reactions};
use crate::git::ObjectId;
use crate::hub::{CommitComment, CommitStatus, Kind};
use crate::repository::RepositoryState;

impl RepositoryState {
    /// Comment on a commit.
    pub(crate) fn commit_comment(&self, sha: &str, comment: &CommitComment) -> Value {
        let id = Kind::CommitComment.id(comment.id);
        let url = self.api(&format!("/comments/{id}"));
        json!({
            "url": url,
            "html_url": self.html(&format!("/commit/{sha}#commitcomment-{id}")),
            "id": id,
            "node_id": Kind::CommitComment.node_id(id),
            "user": self.user(&comment.user),
            "position": comment.position,
            "line": comment.line,
            "path": comment.path,
            "commit_id": sha,
            "created_at": comment.created_at,
            "updated_at": comment.updated_at,
            "author_association": association(&self.hub, &comment.user),
            "body": comment.body,
            "reactions": reactions(&url, &[]),
        })
    }

    /// Number of comments on a commit.
    pub(super) fn comments_on(&self, commit: ObjectId) -> usize {
        // Avoids formatting the id for the many worlds without remarks.
        if self.hub.remarks.is_empty() {
            return 0;
        }
        let remarks = self.hub.remarks.get(&commit.to_string());
        remarks.map_or(0, |it| it.comments.len())
    }

    /// Commit status set by a program.
    pub(crate) fn set_status(&self, sha: &str, status: &CommitStatus) -> Value {
        let id = Kind::Status.id(status.id);
        let creator = self.user(&status.creator);
        json!({
            "url": self.api(&format!("/statuses/{sha}")),
            "avatar_url": creator["avatar_url"],
            "id": id,
            "node_id": Kind::Status.node_id(id),
            "state": status.state,
            "description": status.description,
            "target_url": status.target_url,
            "context": status.context,
            "created_at": status.created_at,
            "updated_at": status.created_at,
            "creator": creator,
        })
    }

    /// Commit statuses set by programs, newest first. `latest` selects the last one of each context.
    pub(super) fn set_statuses(&self, commit: ObjectId, latest: bool) -> Vec<Value> {
        let sha = commit.to_string();
        let Some(of) = self.hub.remarks.get(&sha) else {
            return Vec::new();
        };
        if latest {
            of.latest()
                .into_iter()
                .map(|it| self.set_status(&sha, it))
                .collect()
        } else {
            of.statuses
                .iter()
                .rev()
                .map(|it| self.set_status(&sha, it))
                .collect()
        }
    }
}
