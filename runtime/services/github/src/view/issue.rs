//! Issues and their comments.

use serde_json::{Value, json};

use super::{association, reactions, time};
use crate::hub::{Comment, Issue, Kind, State};
use crate::repository::RepositoryState;

impl RepositoryState {
    /// Issue, or pull request in the form of an issue.
    pub(crate) fn issue(&self, issue: &Issue) -> Value {
        let number = issue.number;
        let is_pull = issue.pull.is_some();
        let kind = if is_pull { Kind::Pull } else { Kind::Issue };
        // A pull request has two ids, one of them as an issue.
        let id = Kind::Issue.id(number);
        let url = self.api(&format!("/issues/{number}"));
        let page = if is_pull { "pull" } else { "issues" };
        let labels: Value = issue.labels.iter().map(|name| self.label(name)).collect();
        let milestone = issue
            .milestone
            .and_then(|number| self.hub.milestones.get(&number))
            .map_or(Value::Null, |milestone| self.milestone(milestone));
        let closer = match issue.state {
            State::Closed => issue
                .closed_by
                .as_deref()
                .map_or(Value::Null, |it| self.user(it)),
            State::Open => Value::Null,
        };
        let mut view = json!({
            "url": url,
            "repository_url": self.api(""),
            "labels_url": format!("{url}/labels{{/name}}"),
            "comments_url": format!("{url}/comments"),
            "events_url": format!("{url}/events"),
            "html_url": self.html(&format!("/{page}/{number}")),
            "id": id,
            "node_id": kind.node_id(kind.id(number)),
            "number": number,
            "title": issue.title,
            "user": self.user(&issue.user),
            "labels": labels,
            "state": issue.state.as_str(),
            "locked": issue.locked,
            "assignee": issue.assignees.first().map_or(Value::Null, |it| self.user(it)),
            "assignees": self.users(&issue.assignees),
            "milestone": milestone,
            "comments": issue.comments.len(),
            "created_at": issue.created_at,
            "updated_at": issue.updated_at,
            "closed_at": time(issue.closed_at),
            "author_association": association(&self.hub, &issue.user),
            "type": issue.kind.as_deref().map(|name| json!({"name": name})),
            "active_lock_reason": null,
        });
        if let Some(pull) = &issue.pull {
            let page = self.html(&format!("/pull/{number}"));
            view["draft"] = pull.draft.into();
            view["pull_request"] = json!({
                "url": self.api(&format!("/pulls/{number}")),
                "html_url": page,
                "diff_url": format!("{page}.diff"),
                "patch_url": format!("{page}.patch"),
                "merged_at": time(pull.merged_at),
            });
        } else {
            let done = |number: &&u64| {
                let issue = self.hub.issues.get(number);
                issue.is_some_and(|it| it.state == State::Closed)
            };
            let total = issue.sub_issues.len();
            let completed = issue.sub_issues.iter().filter(done).count();
            view["sub_issues_summary"] = json!({
                "total": total,
                "completed": completed,
                "percent_completed": (100 * completed).checked_div(total).unwrap_or(0),
            });
        }
        view["body"] = issue.body.clone().into();
        view["closed_by"] = closer;
        view["reactions"] = reactions(&url, &issue.reactions);
        view["timeline_url"] = format!("{url}/timeline").into();
        view["performed_via_github_app"] = Value::Null;
        view["state_reason"] = issue.state_reason.clone().into();
        view
    }

    /// Comment on an issue or a pull request.
    pub(crate) fn comment(&self, issue: &Issue, comment: &Comment) -> Value {
        let id = Kind::Comment.id(comment.id);
        let url = self.api(&format!("/issues/comments/{id}"));
        let page = if issue.pull.is_some() {
            "pull"
        } else {
            "issues"
        };
        json!({
            "url": url,
            "html_url": self.html(&format!("/{page}/{}#issuecomment-{id}", issue.number)),
            "issue_url": self.api(&format!("/issues/{}", issue.number)),
            "id": id,
            "node_id": Kind::Comment.node_id(id),
            "user": self.user(&comment.user),
            "created_at": comment.created_at,
            "updated_at": comment.updated_at,
            "body": comment.body,
            "author_association": association(&self.hub, &comment.user),
            "reactions": reactions(&url, &comment.reactions),
            "performed_via_github_app": null,
        })
    }
}
