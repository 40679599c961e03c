//! Pull requests, reviews and review comments.

use serde_json::{Value, json};

use super::{Viewed, association, reactions, time};
use crate::call;
use crate::hub::{Issue, Kind, Pull, Review, ReviewComment};
use crate::repository::{Mergeable, RepositoryState};

impl RepositoryState {
    fn side(&self, owner: &str, branch: &str, sha: &str) -> Value {
        json!({
            "label": format!("{owner}:{branch}"),
            "ref": branch,
            "sha": sha,
            "user": self.user(owner),
            "repo": self.repository(),
        })
    }

    /// Pull request in a list.
    pub(crate) fn pull(&self, issue: &Issue, pull: &Pull) -> Value {
        let number = issue.number;
        let own = Kind::Pull.id(number);
        let url = self.api(&format!("/pulls/{number}"));
        let page = self.html(&format!("/pull/{number}"));
        let as_issue = self.issue(issue);
        let owner = self.hub.repository.owner.as_str();
        let link = |href: String| json!({"href": href});
        let statuses = self.api(&format!("/statuses/{}", pull.head_sha));
        let comments = self.api(&format!("/issues/{number}/comments"));
        let mut view = json!({
            "url": url,
            "id": own,
            "node_id": Kind::Pull.node_id(own),
            "html_url": page,
            "diff_url": format!("{page}.diff"),
            "patch_url": format!("{page}.patch"),
            "issue_url": self.api(&format!("/issues/{number}")),
            "number": number,
        });
        for key in [
            "state",
            "locked",
            "title",
            "user",
            "body",
            "created_at",
            "updated_at",
            "closed_at",
        ] {
            view[key] = as_issue[key].clone();
        }
        view["merged_at"] = time(pull.merged_at);
        view["merge_commit_sha"] = pull.merge_commit_sha.clone().into();
        for key in ["assignee", "assignees"] {
            view[key] = as_issue[key].clone();
        }
        view["requested_reviewers"] = self.users(&pull.requested_reviewers);
        view["requested_teams"] = json!([]);
        for key in ["labels", "milestone"] {
            view[key] = as_issue[key].clone();
        }
        view["draft"] = pull.draft.into();
        view["commits_url"] = format!("{url}/commits").into();
        view["review_comments_url"] = format!("{url}/comments").into();
        view["review_comment_url"] = self.api("/pulls/comments{/number}").into();
        view["comments_url"] = comments.clone().into();
        view["statuses_url"] = statuses.clone().into();
        view["head"] = self.side(
            pull.fork_owner.as_deref().unwrap_or(owner),
            &pull.head,
            &pull.head_sha,
        );
        view["base"] = self.side(owner, &pull.base, &pull.base_sha);
        view["_links"] = json!({
            "self": link(url.clone()),
            "html": link(page),
            "issue": link(self.api(&format!("/issues/{number}"))),
            "comments": link(comments),
            "review_comments": link(format!("{url}/comments")),
            "review_comment": link(self.api("/pulls/comments{/number}")),
            "commits": link(format!("{url}/commits")),
            "statuses": link(statuses),
        });
        view["author_association"] = as_issue["author_association"].clone();
        view["auto_merge"] = Value::Null;
        view["active_lock_reason"] = Value::Null;
        view
    }

    /// Pull request with all fields, including those that have to be computed.
    pub(crate) fn pull_in_full(&self, issue: &Issue, pull: &Pull) -> Viewed {
        let mut view = self.pull(issue, pull);
        let Mergeable {
            mergeable,
            state,
            rebaseable,
        } = self.mergeable(issue, pull)?;
        let changes = self.pull_changes(pull)?;
        let sum = |of: fn(&crate::git::Change) -> usize| changes.iter().map(of).sum::<usize>();
        view["merged"] = pull.merged_at.is_some().into();
        view["mergeable"] = mergeable.into();
        view["rebaseable"] = rebaseable.into();
        view["mergeable_state"] = state.into();
        view["merged_by"] = pull
            .merged_by
            .as_deref()
            .map_or(Value::Null, |it| self.user(it));
        view["comments"] = issue.comments.len().into();
        view["review_comments"] = pull.seen_comments().count().into();
        view["maintainer_can_modify"] = pull.maintainer_can_modify.into();
        view["commits"] = self.pull_commit_ids(pull)?.len().into();
        view["additions"] = sum(|change| change.additions).into();
        view["deletions"] = sum(|change| change.deletions).into();
        view["changed_files"] = changes.len().into();
        Ok(view)
    }

    /// Review of a pull request.
    pub(crate) fn review(&self, issue: &Issue, review: &Review) -> Value {
        let id = Kind::Review.id(review.id);
        let page = self.html(&format!("/pull/{}#pullrequestreview-{id}", issue.number));
        let pull = self.api(&format!("/pulls/{}", issue.number));
        let mut view = json!({
            "id": id,
            "node_id": Kind::Review.node_id(id),
            "user": self.user(&review.user),
            "body": review.body,
            "state": review.state.as_str(),
            "html_url": page,
            "pull_request_url": pull,
            "author_association": association(&self.hub, &review.user),
            "_links": {"html": {"href": page}, "pull_request": {"href": pull}},
        });
        if let Some(submitted) = review.submitted_at {
            view["submitted_at"] = submitted.to_string().into();
        }
        view["commit_id"] = review.commit_id.as_str().into();
        view
    }

    /// URL of the web page of a review comment.
    pub(crate) fn review_comment_page(&self, issue: &Issue, comment: &ReviewComment) -> String {
        let id = Kind::ReviewComment.id(comment.id);
        self.html(&format!("/pull/{}#discussion_r{id}", issue.number))
    }

    /// Review comment.
    pub(crate) fn review_comment(&self, issue: &Issue, comment: &ReviewComment) -> Viewed {
        let id = Kind::ReviewComment.id(comment.id);
        let url = self.api(&format!("/pulls/comments/{id}"));
        let page = self.review_comment_page(issue, comment);
        let pull = self.api(&format!("/pulls/{}", issue.number));
        let Some(own) = &issue.pull else {
            return Ok(Value::Null);
        };
        let (comment_position, hunk) = (
            self.comment_position(own, comment)?,
            self.hunk(own, comment)?,
        );
        // A timeline contains all comments of a thread at the same time.
        call::hold((hunk.len() + comment.body.len()) as u64)?;
        let mut view = json!({
            "url": url,
            "pull_request_review_id": comment.review.map(|id| Kind::Review.id(id)),
            "id": id,
            "node_id": Kind::ReviewComment.node_id(id),
            "diff_hunk": hunk,
            "path": comment.path,
            "commit_id": comment_position.commit,
            "original_commit_id": comment.written_on(),
            "user": self.user(&comment.user),
            "body": comment.body,
            "created_at": comment.created_at,
            "updated_at": comment.updated_at,
            "html_url": page,
            "pull_request_url": pull,
            "author_association": association(&self.hub, &comment.user),
            "_links": {"self": {"href": url}, "html": {"href": page}, "pull_request": {"href": pull}},
            "reactions": reactions(&url, &comment.reactions),
            "start_line": comment_position.start_line,
            "original_start_line": comment.first_start(),
            "start_side": comment.start_side,
            "line": comment_position.line,
            "original_line": comment.first_line(),
            "side": comment.side.as_deref().unwrap_or("RIGHT"),
        });
        if let Some(answered) = comment.in_reply_to {
            view["in_reply_to_id"] = Kind::ReviewComment.id(answered).into();
        }
        view["subject_type"] = if comment.first_line().is_some() {
            "line"
        } else {
            "file"
        }
        .into();
        Ok(view)
    }
}
