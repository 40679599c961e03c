//! Endpoints for reviews of pull requests, review comments and requested reviewers.

use serde_json::{Value, json};

use super::issues::with_comment;
use super::parsed_request::{Request, not_a_member};
use super::reply::{Outcome, Reply};
use super::{created, nothing, number, ok};
use crate::api::{
    Answer, Call, FieldError, NewReviewComment, Page, RepositoryName, ReviewEvent, Subject,
};
use crate::hub::{Kind, ReviewState};
use crate::repository::RepositoryState;

pub(super) fn route(
    repo: &mut RepositoryState,
    request: &Request<'_>,
    at: &RepositoryName,
    call: &Call,
    number: u64,
    rest: &[&str],
) -> Outcome {
    match (request.method, rest) {
        ("GET", []) => {
            let all = repo.list_reviews(at, number, Page::ALL)?;
            return Ok(Reply::list(request, all));
        }
        ("POST", []) => return create(repo, request, call, number),
        (_, []) => return nothing(call),
        _ => {}
    }
    let id = self::number(call, rest[0])?;
    let (issue, pull) = repo.find_pull(call, number)?;
    let review = repo.find_review(call, pull, id)?;
    let (ordinal, pending) = (review.id, review.state == ReviewState::Pending);
    match (request.method, &rest[1..]) {
        ("GET", []) => {}
        ("PUT", []) => {
            let body = request.fields(call)?.needed("body")?;
            repo.edit_review(number, ordinal, &body);
        }
        ("DELETE", []) => {
            if !pending {
                let problem = "Can not delete a non-pending pull request review";
                return Err(call.unprocessable(&[problem]));
            }
            let view = repo.review(issue, review);
            repo.delete_review(number, ordinal);
            return ok(view);
        }
        ("GET", ["comments"]) => {
            let its = pull.review_comments.iter();
            let its = its.filter(|it| it.review == Some(ordinal)).collect();
            return Reply::page(request, its, |comment| {
                Ok(repo.review_comment(issue, comment)?)
            });
        }
        ("POST", ["events"]) => {
            let fields = request.fields(call)?;
            let event = event(call, &fields.needed("event")?)?;
            let body = fields.text("body")?;
            if !pending {
                let problem = "Can not submit a review that is not pending";
                return Err(call.unprocessable(&[problem]));
            }
            let has_comments = pull
                .review_comments
                .iter()
                .any(|it| it.review == Some(ordinal));
            let text = body.as_deref().unwrap_or(if has_comments {
                "-"
            } else {
                review.body.as_str()
            });
            if let Some(problem) = repo.review_problem(issue, text, event) {
                return Err(call.unprocessable(&[problem]));
            }
            repo.submit_review(number, ordinal, body.as_deref(), event);
        }
        ("PUT", ["dismissals"]) => {
            request.fields(call)?.needed("message")?;
            repo.dismiss_review(call, number, ordinal)?;
        }
        _ => return nothing(call),
    }
    let (issue, pull) = repo.find_pull(call, number)?;
    ok(repo.review(issue, repo.find_review(call, pull, id)?))
}

fn event(call: &Call, text: &str) -> Answer<ReviewEvent> {
    ReviewEvent::parse(text).ok_or_else(|| {
        let known = ["APPROVE", "REQUEST_CHANGES", "COMMENT"];
        not_a_member(call, format_args!("\"{text}\""), &known)
    })
}

fn create(repo: &mut RepositoryState, request: &Request<'_>, call: &Call, number: u64) -> Outcome {
    let fields = request.fields(call)?;
    let body = fields.text("body")?.unwrap_or_default();
    let event = match fields.text("event")?.as_deref() {
        None | Some("" | "PENDING") => None,
        Some(text) => Some(self::event(call, text)?),
    };
    let commit = fields.text("commit_id")?;
    let given = fields.list("comments")?.cloned().unwrap_or_default();
    let (issue, pull) = repo.find_pull(call, number)?;
    let mut comments = Vec::new();
    for value in &given {
        let new = comment_of(value);
        check_sides(call, &new)?;
        if let Some(problem) = repo.comment_problem(pull, &new)? {
            let problem = match problem.strip_prefix("pull_request_review_thread.") {
                None => problem.to_owned(),
                Some(place) => match place.strip_prefix("start_line") {
                    Some(rest) => format!("Start line{rest}"),
                    None if place.starts_with("path") => "Path could not be resolved".to_owned(),
                    None => "Line could not be resolved".to_owned(),
                },
            };
            return Err(call.unprocessable(&[&problem]));
        }
        comments.push(new);
    }
    if let Some(event) = event {
        // With comments, a review needs no text.
        let text = if comments.is_empty() { &body } else { "-" };
        if let Some(problem) = repo.review_problem(issue, text, event) {
            return Err(call.unprocessable(&[problem]));
        }
    } else if repo.pending_review(pull).is_some() {
        let problem = "User can only have one pending review per pull request";
        return Err(call.unprocessable(&[problem]));
    }
    let commit = match commit {
        Some(commit) => match repo.commit_under_review(pull, &commit)? {
            Ok(commit) => Some(commit),
            Err(problem) => return Err(call.unprocessable(&[&problem])),
        },
        None => None,
    };
    let ordinal = repo.add_review(number, &body, event, commit.as_deref());
    for comment in comments {
        repo.add_review_comment(number, ordinal, comment);
    }
    let (issue, pull) = repo.find_pull(call, number)?;
    ok(repo.review(
        issue,
        repo.find_review(call, pull, Kind::Review.id(ordinal))?,
    ))
}

/// Returns an error if a side is neither `LEFT` nor `RIGHT`.
fn check_sides(call: &Call, new: &NewReviewComment) -> Answer<()> {
    for side in new.side.iter().chain(&new.start_side) {
        let known = ["LEFT", "RIGHT"];
        if !known.contains(&side.as_str()) {
            return Err(not_a_member(call, format_args!("\"{side}\""), &known));
        }
    }
    Ok(())
}

/// Parses a review comment in a request body.
fn comment_of(value: &Value) -> NewReviewComment {
    let text = |key: &str| value[key].as_str().map(str::to_owned);
    let whole_file = value["subject_type"] == "file";
    NewReviewComment {
        path: text("path").unwrap_or_default(),
        body: text("body").unwrap_or_default(),
        line: value["line"].as_u64().filter(|_| !whole_file),
        side: text("side"),
        start_line: value["start_line"].as_u64().filter(|_| !whole_file),
        start_side: text("start_side"),
        in_reply_to: None,
    }
}

/// Endpoints for the review comments of one pull request.
pub(super) fn on_lines(
    repo: &mut RepositoryState,
    request: &Request<'_>,
    call: &Call,
    number: u64,
    rest: &[&str],
) -> Outcome {
    let new = match (request.method, rest) {
        ("GET", []) => {
            let (issue, pull) = repo.find_pull(call, number)?;
            return Reply::page(request, pull.seen_comments().collect(), |comment| {
                Ok(repo.review_comment(issue, comment)?)
            });
        }
        ("POST", []) => {
            let fields = request.fields(call)?;
            let body = fields.needed("body")?;
            match fields.number("in_reply_to")? {
                Some(id) => repo.reply_to(call, number, id, body)?,
                None => new_comment(repo, request, call, number)?,
            }
        }
        ("POST", [id, "replies"]) => {
            let body = request.fields(call)?.needed("body")?;
            repo.reply_to(call, number, self::number(call, id)?, body)?
        }
        _ => return nothing(call),
    };
    // A single comment is a review of its own.
    let review = repo.add_review(number, "", Some(ReviewEvent::Comment), None);
    let ordinal = repo.add_review_comment(number, review, new);
    let (issue, comment) = repo.find_review_comment(call, Kind::ReviewComment.id(ordinal))?;
    created(repo.review_comment(issue, comment)?)
}

fn new_comment(
    repo: &RepositoryState,
    request: &Request<'_>,
    call: &Call,
    number: u64,
) -> Answer<NewReviewComment> {
    let fields = request.fields(call)?;
    fields.needed("path")?;
    fields.needed("commit_id")?;
    let new = comment_of(&request.body(call)?);
    let (_, pull) = repo.find_pull(call, number)?;
    check_sides(call, &new)?;
    let Some(problem) = repo.comment_problem(pull, &new)? else {
        return Ok(new);
    };
    // Field at fault. For the first two, GitHub has another message.
    let field = [
        "pull_request_review_thread.path",
        "pull_request_review_thread.line",
        "pull_request_review_thread.start_line",
    ]
    .into_iter()
    .find(|field| problem.starts_with(field))
    .unwrap_or("body");
    Err(call.invalid(vec![FieldError {
        resource: "PullRequestReviewComment",
        field,
        code: "custom",
        message: if field.ends_with(".path") || field.ends_with(".line") {
            format!("{field} could not be resolved")
        } else {
            problem.to_owned()
        },
    }]))
}

/// Endpoints for review comments by id.
pub(super) fn comments(
    repo: &mut RepositoryState,
    request: &Request<'_>,
    call: &Call,
    rest: &[&str],
) -> Outcome {
    let [id, rest @ ..] = rest else {
        if request.method != "GET" {
            return nothing(call);
        }
        let mut all = Vec::new();
        for (issue, pull) in repo.hub.pulls() {
            all.extend(pull.seen_comments().map(|comment| (issue, comment)));
        }
        return Reply::page(request, all, |(issue, comment)| {
            Ok(repo.review_comment(issue, comment)?)
        });
    };
    let id = number(call, id)?;
    let subject = Subject::ReviewComment(id);
    repo.find_review_comment(call, id)?;
    if let Some(done) = with_comment(repo, request, call, subject, rest)? {
        return Ok(done);
    }
    let (issue, comment) = repo.find_review_comment(call, id)?;
    ok(repo.review_comment(issue, comment)?)
}

/// Endpoint for the requested reviewers.
pub(super) fn requested(
    repo: &mut RepositoryState,
    request: &Request<'_>,
    at: &RepositoryName,
    call: &Call,
    number: u64,
) -> Outcome {
    let adds = match request.method {
        "GET" => {
            let (_, pull) = repo.find_pull(call, number)?;
            return ok(json!({"users": repo.users(&pull.requested_reviewers), "teams": []}));
        }
        "POST" => true,
        "DELETE" => false,
        _ => return nothing(call),
    };
    let people = request.fields(call)?.texts("reviewers")?;
    let people = people.unwrap_or_default();
    if adds {
        repo.request_reviewers(at, number, &people)?;
    } else {
        repo.remove_reviewers(call, number, &people)?;
    }
    let (issue, pull) = repo.find_pull(call, number)?;
    let view = repo.pull(issue, pull);
    if adds { created(view) } else { ok(view) }
}
