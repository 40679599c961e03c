//! Events of issues and pull requests.

use serde_json::{Map, Value, json};

use super::Viewed;
use crate::hub::{Issue, Kind};
use crate::repository::{ClosedBy, Event, EventKind, RepositoryState};

impl RepositoryState {
    /// Event in the timeline of its issue.
    pub(crate) fn timeline_event(&self, event: &Event<'_>) -> Viewed {
        let actor = || -> Viewed { Ok(self.user(&self.actor(event)?)) };
        let (mut view, name) = match &event.what {
            EventKind::Committed(commit) => (self.git_commit(commit), "committed"),
            EventKind::Commented(comment) => (self.comment(event.issue, comment), "commented"),
            EventKind::Reviewed(review) => {
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
                // Unlike elsewhere, the state is in lower case here.
                view["state"] = review.state.as_str().to_lowercase().into();
                (view.into(), "reviewed")
            }
            EventKind::LineCommented(thread) => {
                let comments = thread.iter().map(|it| self.review_comment(event.issue, it));
                let comments: Value = comments.collect::<Result<Vec<_>, _>>()?.into();
                let id = Kind::ReviewThread.node_id(Kind::ReviewThread.id(thread[0].id));
                return Ok(json!({"event": "line-commented", "node_id": id, "comments": comments}));
            }
            EventKind::CrossReferenced { source, .. } => {
                let source = json!({"type": "issue", "issue": self.issue_elsewhere(source)});
                let view = json!({
                    "actor": actor()?,
                    "created_at": event.at,
                    "updated_at": event.at,
                    "source": source,
                });
                (view, "cross-referenced")
            }
            EventKind::Referenced(_) | EventKind::Merged(_) | EventKind::Closed(_) => {
                return self.issue_event(event, false);
            }
        };
        view["event"] = name.into();
        if matches!(event.what, EventKind::Commented(_)) {
            view["actor"] = actor()?;
        }
        Ok(view)
    }

    /// Event with an id. `with_issue` adds the issue. Null for an event of another kind.
    pub(crate) fn issue_event(&self, event: &Event<'_>, with_issue: bool) -> Viewed {
        let (name, commit) = match &event.what {
            EventKind::Closed(Some(ClosedBy::Commit(id))) => ("closed", Some(id.to_string())),
            EventKind::Closed(_) => ("closed", None),
            EventKind::Merged(pull) => ("merged", pull.merge_commit_sha.clone()),
            EventKind::Referenced(id) => ("referenced", Some(id.to_string())),
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

    /// Issue with its repository.
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
