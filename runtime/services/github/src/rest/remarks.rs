//! Comments on commits, and statuses. Check runs are made by apps alone.

use serde_json::Value;

use super::asked::Asked;
use super::reply::{Outcome, Reply};
use super::{created, nothing, number, ok};
use crate::api::Call;
use crate::git::ObjectId;
use crate::hub::{CommitComment, CommitStatus};
use crate::view::Site;

/// Whether a request is one of these.
pub(super) fn is_one(method: &str, below: &[&str]) -> bool {
    matches!(
        (method, below),
        (_, ["comments", ..])
            | ("POST", ["statuses", _] | ["commits", _, .., "comments"])
            | ("POST" | "PATCH", ["check-runs" | "check-suites", ..])
    )
}

pub(super) fn route(site: &mut Site, asked: &Asked<'_>, call: &Call, below: &[&str]) -> Outcome {
    match (asked.method, below) {
        ("GET", ["comments"]) => {
            let all = site.hub.remarks.values();
            let all = all.flat_map(|of| of.comments.iter().map(move |it| (&of.sha, it)));
            let mut all: Vec<_> = all.collect();
            all.sort_by_key(|(_, comment)| comment.id);
            let views = all
                .into_iter()
                .map(|(sha, it)| site.commit_comment(sha, it));
            Ok(Reply::list(asked, views.collect()))
        }
        (method, ["comments", id]) => {
            let id = number(call, id)?;
            match method {
                "PATCH" => {
                    let body = asked.fields(call)?.needed("body")?;
                    site.change_commit_comment(call, id, Some(body))?;
                }
                "DELETE" => {
                    site.change_commit_comment(call, id, None)?;
                    return Ok(Reply::empty());
                }
                "GET" => {}
                _ => return nothing(call),
            }
            let (sha, place) = site.find_commit_comment(call, id)?;
            ok(site.commit_comment(&sha, &site.hub.remarks[&sha].comments[place]))
        }
        ("POST", ["commits", name @ .., "comments"]) => {
            let commit = site.find_commit(call, &name.join("/"))?;
            let fields = asked.fields(call)?;
            let comment = CommitComment {
                user: site.viewer(),
                body: fields.needed("body")?,
                path: fields.text("path")?,
                position: fields.number("position")?,
                line: fields.number("line")?,
                ..CommitComment::default()
            };
            let comment = site.create_commit_comment(call, commit, comment)?;
            created(site.commit_comment(&commit.to_string(), &comment))
        }
        ("POST", ["statuses", sha]) => {
            let commit = site.find_commit(call, sha)?;
            let fields = asked.fields(call)?;
            let status = CommitStatus {
                creator: site.viewer(),
                state: fields.needed("state")?,
                context: fields
                    .text("context")?
                    .unwrap_or_else(|| "default".to_owned()),
                description: fields.text("description")?,
                target_url: fields.text("target_url")?,
                ..CommitStatus::default()
            };
            let status = site.create_status(call, commit, status)?;
            created(site.set_status(&commit.to_string(), &status))
        }
        ("POST" | "PATCH", ["check-runs" | "check-suites", ..]) => {
            Err(call.refuse(403, "You must authenticate via a GitHub App."))
        }
        _ => nothing(call),
    }
}

/// The comments on a commit.
pub(super) fn on_commit(site: &Site, asked: &Asked<'_>, commit: ObjectId) -> Outcome {
    let sha = commit.to_string();
    let of = site.hub.remarks.get(&sha);
    let comments = of.into_iter().flat_map(|of| &of.comments);
    let views: Value = comments.map(|it| site.commit_comment(&sha, it)).collect();
    Ok(Reply::list(asked, views))
}
