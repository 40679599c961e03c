//! Endpoints for comments on commits and for commit statuses. Creating check runs is refused, because only apps can do
//! that.

use serde_json::Value;

use super::parsed_request::Request;
use super::reply::{Outcome, Reply};
use super::{created, nothing, number, ok};
use crate::api::Call;
use crate::git::ObjectId;
use crate::hub::{CommitComment, CommitStatus};
use crate::repository::RepositoryState;

/// Returns true if a request belongs to these endpoints.
pub(super) fn is_one(method: &str, below: &[&str]) -> bool {
    matches!(
        (method, below),
        (_, ["comments", ..])
            | ("POST", ["statuses", _] | ["commits", _, .., "comments"])
            | ("POST" | "PATCH", ["check-runs" | "check-suites", ..])
    )
}

pub(super) fn route(
    repo: &mut RepositoryState,
    request: &Request<'_>,
    call: &Call,
    below: &[&str],
) -> Outcome {
    match (request.method, below) {
        ("GET", ["comments"]) => {
            let all = repo.hub.remarks.values();
            let all = all.flat_map(|of| of.comments.iter().map(move |it| (&of.sha, it)));
            let mut all: Vec<_> = all.collect();
            all.sort_by_key(|(_, comment)| comment.id);
            let views = all
                .into_iter()
                .map(|(sha, it)| repo.commit_comment(sha, it));
            Ok(Reply::list(request, views.collect()))
        }
        (method, ["comments", id]) => {
            let id = number(call, id)?;
            match method {
                "PATCH" => {
                    let body = request.fields(call)?.needed("body")?;
                    repo.change_commit_comment(call, id, Some(body))?;
                }
                "DELETE" => {
                    repo.change_commit_comment(call, id, None)?;
                    return Ok(Reply::empty());
                }
                "GET" => {}
                _ => return nothing(call),
            }
            let (sha, place) = repo.find_commit_comment(call, id)?;
            ok(repo.commit_comment(&sha, &repo.hub.remarks[&sha].comments[place]))
        }
        ("POST", ["commits", name @ .., "comments"]) => {
            let commit = repo.find_commit(call, &name.join("/"))?;
            let fields = request.fields(call)?;
            let comment = CommitComment {
                user: repo.viewer(),
                body: fields.needed("body")?,
                path: fields.text("path")?,
                position: fields.number("position")?,
                line: fields.number("line")?,
                ..CommitComment::default()
            };
            let comment = repo.create_commit_comment(call, commit, comment)?;
            created(repo.commit_comment(&commit.to_string(), &comment))
        }
        ("POST", ["statuses", sha]) => {
            let commit = repo.find_commit(call, sha)?;
            let fields = request.fields(call)?;
            let status = CommitStatus {
                creator: repo.viewer(),
                state: fields.needed("state")?,
                context: fields
                    .text("context")?
                    .unwrap_or_else(|| "default".to_owned()),
                description: fields.text("description")?,
                target_url: fields.text("target_url")?,
                ..CommitStatus::default()
            };
            let status = repo.create_status(call, commit, status)?;
            created(repo.set_status(&commit.to_string(), &status))
        }
        ("POST" | "PATCH", ["check-runs" | "check-suites", ..]) => {
            Err(call.refuse(403, "You must authenticate via a GitHub App."))
        }
        _ => nothing(call),
    }
}

/// Lists the comments on a commit.
pub(super) fn on_commit(
    repo: &RepositoryState,
    request: &Request<'_>,
    commit: ObjectId,
) -> Outcome {
    let sha = commit.to_string();
    let of = repo.hub.remarks.get(&sha);
    let comments = of.into_iter().flat_map(|of| &of.comments);
    let views: Value = comments.map(|it| repo.commit_comment(&sha, it)).collect();
    Ok(Reply::list(request, views))
}
