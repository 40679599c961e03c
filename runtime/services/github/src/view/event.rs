//! What happened to issues and pull requests.

use serde_json::{Map, Value, json};

use super::{Site, Viewed};
use crate::api::{Closer, Event, What};
use crate::hub::{Issue, Kind};

impl Site {
    /// An event as the timeline of its issue shows it.
    pub(crate) fn timeline_event(&self, event: &Event<'_>) -> Viewed {
        let actor = || -> Viewed { Ok(self.user(&self.actor(event)?)) };
        let (mut view, name) = match &event.what {
            What::Committed(commit) => (self.git_commit(commit), "committed"),
            What::Commented(comment) => (self.comment(event.issue, comment), "commented"),
            What::Reviewed(review) => {
                let all = self.review(event.issue, review);
                let mut view = Map::new();
                for key in [
                    "id",
                    "node_id",
                    "user",
                    "body",
                    "commit_id",
                    "submitted_at",
                    "state",
                    "html_url",
                    "pull_request_url",
                    "author_association",
                    "_links",
                ] {
                    view.insert(key.to_owned(), all[key].clone());
                }
                // Here alone it is written small.
                view["state"] = review.state.as_str().to_lowercase().into();
                (view.into(), "reviewed")
            }
            What::LineCommented(thread) => {
                let comments = thread.iter().map(|it| self.review_comment(event.issue, it));
                let comments: Value = comments.collect::<Result<Vec<_>, _>>()?.into();
                let id = Kind::ReviewThread.node_id(Kind::ReviewComment.id(thread[0].id));
                return Ok(json!({"event": "line-commented", "node_id": id, "comments": comments}));
            }
            What::CrossReferenced { source, .. } => {
                let source = json!({"type": "issue", "issue": self.issue_elsewhere(source)});
                let view = json!({
                    "actor": actor()?,
                    "created_at": event.at,
                    "updated_at": event.at,
                    "source": source,
                });
                (view, "cross-referenced")
            }
            What::Referenced(_) | What::Merged(_) | What::Closed(_) => {
                return self.issue_event(event, false);
            }
        };
        view["event"] = name.into();
        if matches!(event.what, What::Commented(_)) {
            view["actor"] = actor()?;
        }
        Ok(view)
    }

    /// An event that has an id of its own, with the issue where that is not named already.
    pub(crate) fn issue_event(&self, event: &Event<'_>, with_issue: bool) -> Viewed {
        let (name, commit) = match &event.what {
            What::Closed(Some(Closer::Commit(id))) => ("closed", Some(id.to_string())),
            What::Closed(_) => ("closed", None),
            What::Merged(pull) => ("merged", pull.merge_commit_sha.clone()),
            What::Referenced(id) => ("referenced", Some(id.to_string())),
            _ => return Ok(Value::Null),
        };
        let commits = |sha: &String| self.api(&format!("/commits/{sha}"));
        let (id, node) = match event.id() {
            Some((kind, id)) => (Some(id), Some(kind.node_id(id))),
            None => (None, None),
        };
        let mut view = json!({
            "id": id,
            "node_id": node,
            "url": id.map(|id| self.api(&format!("/issues/events/{id}"))),
            "actor": self.user(&self.actor(event)?),
            "event": name,
            "commit_id": commit,
            "commit_url": commit.as_ref().map(commits),
            "created_at": event.at,
        });
        if name == "closed" {
            view["state_reason"] = event.issue.state_reason.clone().into();
        }
        if with_issue {
            view["issue"] = self.issue(event.issue);
        }
        view["performed_via_github_app"] = Value::Null;
        Ok(view)
    }

    /// An issue with the repository that it is of.
    fn issue_elsewhere(&self, issue: &Issue) -> Value {
        let Value::Object(plain) = self.issue(issue) else {
            return Value::Null;
        };
        let mut view = Map::new();
        for (key, value) in plain {
            if key == "pull_request" || key == "sub_issues_summary" {
                view.insert("repository".to_owned(), self.repository());
            }
            view.insert(key, value);
        }
        view.into()
    }
}
