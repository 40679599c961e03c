//! Endpoints for pull requests, except for reviews.

use super::parsed_request::{Request, not_a_member};
use super::reply::{Outcome, Reply};
use super::repository::{diff, patch};
use super::{created, nothing, number, ok, reviews};
use crate::api::{
    Answer, Call, MergeRequest, Method, NewPull, PullChange, PullList, RepositoryName,
};
use crate::repository::RepositoryState;

pub(super) fn route(
    repo: &mut RepositoryState,
    request: &Request<'_>,
    at: &RepositoryName,
    call: &Call,
    below: &[&str],
) -> Outcome {
    match (request.method, below) {
        ("GET", []) => {
            let list = PullList {
                state: request.parameter("state").to_owned(),
                head: request.parameter("head").to_owned(),
                base: request.parameter("base").to_owned(),
                sort: request.parameter("sort").to_owned(),
                direction: request.parameter("direction").to_owned(),
            };
            Reply::page(request, repo.find_pulls(&list), |(issue, pull)| {
                Ok(repo.pull(issue, pull))
            })
        }
        ("POST", []) => create(repo, request, at, call),
        (_, ["comments", rest @ ..]) => reviews::comments(repo, request, call, rest),
        (method, [text, rest @ ..]) => {
            let number = number(call, text)?;
            repo.find_pull(call, number)?;
            match (method, rest) {
                ("GET", []) if request.wants("patch") => Ok(patch(repo.pull_mails(at, number)?)),
                ("GET", []) if request.wants("diff") => Ok(diff(repo.pull_diff(at, number)?)),
                ("GET", []) => ok(repo.get_pull(at, number)?),
                ("PATCH", []) => edit(repo, request, at, call, number),
                ("GET", ["commits"]) => {
                    let (_, pull) = repo.find_pull(call, number)?;
                    let commits = repo.pull_commit_ids(pull)?;
                    Reply::page(
                        request,
                        commits,
                        |id| Ok(repo.commit(&repo.git.commit(id)?)),
                    )
                }
                ("GET", ["files"]) => {
                    let (_, pull) = repo.find_pull(call, number)?;
                    let ((_, head), changes) = (repo.ends(pull)?, repo.pull_changes(pull)?);
                    let changes = changes.iter().collect();
                    Reply::page(request, changes, |change| Ok(repo.file(change, head)))
                }
                ("GET", ["merge"]) => {
                    let (_, pull) = repo.find_pull(call, number)?;
                    match pull.merged_at {
                        Some(_) => Ok(Reply::empty()),
                        None => nothing(call),
                    }
                }
                ("PUT", ["merge"]) => merge(repo, request, at, call, number),
                ("PUT", ["update-branch"]) => {
                    let expected = request.fields(call)?.text("expected_head_sha")?;
                    repo.update_branch(at, number, &expected.unwrap_or_default())?;
                    let page = repo.html(&format!("/pull/{number}"));
                    Ok(Reply::json(
                        202,
                        serde_json::json!({"message": "Updating pull request branch.", "url": page}),
                    ))
                }
                (_, ["requested_reviewers"]) => reviews::requested(repo, request, at, call, number),
                (_, ["reviews", rest @ ..]) => {
                    reviews::route(repo, request, at, call, number, rest)
                }
                (_, ["comments", rest @ ..]) => {
                    reviews::on_lines(repo, request, call, number, rest)
                }
                _ => nothing(call),
            }
        }
        _ => nothing(call),
    }
}

fn create(
    repo: &mut RepositoryState,
    request: &Request<'_>,
    at: &RepositoryName,
    call: &Call,
) -> Outcome {
    let fields = request.fields(call)?;
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
    let number = repo.create_pull(at, new)?;
    created(repo.get_pull(at, number)?)
}

fn edit(
    repo: &mut RepositoryState,
    request: &Request<'_>,
    at: &RepositoryName,
    call: &Call,
    number: u64,
) -> Outcome {
    let fields = request.fields(call)?;
    let change = PullChange {
        title: fields.text("title")?,
        body: fields.text("body")?,
        state: fields.text("state")?,
        base: fields.text("base")?,
        maintainer_can_modify: fields.truth("maintainer_can_modify")?,
    };
    if !change.is_empty() {
        repo.edit_pull(at, number, change)?;
    }
    ok(repo.get_pull(at, number)?)
}

fn merge(
    repo: &mut RepositoryState,
    request: &Request<'_>,
    at: &RepositoryName,
    call: &Call,
    number: u64,
) -> Outcome {
    let fields = request.fields(call)?;
    let expected = fields.text("sha")?;
    let request = MergeRequest {
        method: method(call, &fields.text("merge_method")?.unwrap_or_default())?,
        title: fields.text("commit_title")?.unwrap_or_default(),
        message: fields.text("commit_message")?.unwrap_or_default(),
    };
    let (_, pull) = repo.find_pull(call, number)?;
    if expected.is_some_and(|expected| expected != pull.head_sha) {
        let problem = "Head branch was modified. Review and try the merge again.";
        return Err(call.refuse(409, problem));
    }
    ok(repo.merge_pull(at, number, &request)?)
}

fn method(call: &Call, text: &str) -> Answer<Method> {
    Method::parse(text).ok_or_else(|| {
        let known = ["merge", "squash", "rebase"];
        not_a_member(call, format_args!("\"{text}\""), &known)
    })
}
