//! Pull requests, apart from their reviews.

use super::asked::Asked;
use super::reply::{Outcome, Reply};
use super::repository::{diff, patch};
use super::{created, nothing, number, ok, reviews};
use crate::api::{Answer, Call, MergeRequest, Method, Named, NewPull, PullChange, PullList};
use crate::view::Site;

pub(super) fn route(
    site: &mut Site,
    asked: &Asked<'_>,
    at: &Named,
    call: &Call,
    below: &[&str],
) -> Outcome {
    match (asked.method, below) {
        ("GET", []) => {
            let list = PullList {
                state: asked.parameter("state").to_owned(),
                head: asked.parameter("head").to_owned(),
                base: asked.parameter("base").to_owned(),
                sort: asked.parameter("sort").to_owned(),
                direction: asked.parameter("direction").to_owned(),
            };
            Reply::page(asked, site.find_pulls(&list), |(issue, pull)| {
                Ok(site.pull(issue, pull))
            })
        }
        ("POST", []) => create(site, asked, at, call),
        (_, ["comments", rest @ ..]) => reviews::comments(site, asked, call, rest),
        (method, [text, rest @ ..]) => {
            let number = number(call, text)?;
            site.find_pull(call, number)?;
            match (method, rest) {
                ("GET", []) if asked.wants("patch") => Ok(patch(site.pull_mails(at, number)?)),
                ("GET", []) if asked.wants("diff") => Ok(diff(site.pull_diff(at, number)?)),
                ("GET", []) => ok(site.get_pull(at, number)?),
                ("PATCH", []) => edit(site, asked, at, call, number),
                ("GET", ["commits"]) => {
                    let (_, pull) = site.find_pull(call, number)?;
                    let commits = site.pull_commit_ids(pull)?;
                    Reply::page(asked, commits, |id| Ok(site.commit(&site.git.commit(id)?)))
                }
                ("GET", ["files"]) => {
                    let (_, pull) = site.find_pull(call, number)?;
                    let ((_, head), changes) = (site.ends(pull)?, site.pull_changes(pull)?);
                    let changes = changes.iter().collect();
                    Reply::page(asked, changes, |change| Ok(site.file(change, head)))
                }
                ("GET", ["merge"]) => {
                    let (_, pull) = site.find_pull(call, number)?;
                    match pull.merged_at {
                        Some(_) => Ok(Reply::empty()),
                        None => nothing(call),
                    }
                }
                ("PUT", ["merge"]) => merge(site, asked, at, call, number),
                ("PUT", ["update-branch"]) => {
                    let expected = asked.fields(call)?.text("expected_head_sha")?;
                    site.update_branch(at, number, &expected.unwrap_or_default())?;
                    let page = site.html(&format!("/pull/{number}"));
                    Ok(Reply::json(
                        202,
                        serde_json::json!({"message": "Updating pull request branch.", "url": page}),
                    ))
                }
                (_, ["requested_reviewers"]) => reviews::requested(site, asked, at, call, number),
                (_, ["reviews", rest @ ..]) => reviews::route(site, asked, at, call, number, rest),
                (_, ["comments", rest @ ..]) => reviews::on_lines(site, asked, call, number, rest),
                _ => nothing(call),
            }
        }
        _ => nothing(call),
    }
}

fn create(site: &mut Site, asked: &Asked<'_>, at: &Named, call: &Call) -> Outcome {
    let fields = asked.fields(call)?;
    let (head, base) = (fields.needed("head")?, fields.needed("base")?);
    let issue = fields.number("issue")?;
    let new = NewPull {
        title: match issue {
            Some(_) => String::new(),
            None => fields.needed("title")?,
        },
        body: fields.text("body")?,
        head,
        base,
        issue,
        draft: fields.truth("draft")?.unwrap_or(false),
        maintainer_can_modify: fields.truth("maintainer_can_modify")?.unwrap_or(false),
    };
    let number = site.create_pull(at, new)?;
    created(site.get_pull(at, number)?)
}

fn edit(site: &mut Site, asked: &Asked<'_>, at: &Named, call: &Call, number: u64) -> Outcome {
    let fields = asked.fields(call)?;
    let change = PullChange {
        title: fields.text("title")?,
        body: fields.text("body")?,
        state: fields.text("state")?,
        base: fields.text("base")?,
        maintainer_can_modify: fields.truth("maintainer_can_modify")?,
    };
    if !change.is_empty() {
        site.edit_pull(at, number, change)?;
    }
    ok(site.get_pull(at, number)?)
}

fn merge(site: &mut Site, asked: &Asked<'_>, at: &Named, call: &Call, number: u64) -> Outcome {
    let fields = asked.fields(call)?;
    let expected = fields.text("sha")?;
    let request = MergeRequest {
        method: method(call, &fields.text("merge_method")?.unwrap_or_default())?,
        title: fields.text("commit_title")?.unwrap_or_default(),
        message: fields.text("commit_message")?.unwrap_or_default(),
    };
    let (_, pull) = site.find_pull(call, number)?;
    if expected.is_some_and(|expected| expected != pull.head_sha) {
        let problem = "Head branch was modified. Review and try the merge again.";
        return Err(call.refuse(409, problem));
    }
    ok(site.merge_pull(at, number, &request)?)
}

fn method(call: &Call, text: &str) -> Answer<Method> {
    Method::parse(text).ok_or_else(|| {
        let problem = format!(
            "Invalid request.\n\n\"{text}\" is not a member of [\"merge\", \"squash\", \"rebase\"]."
        );
        call.refuse(422, problem)
    })
}
