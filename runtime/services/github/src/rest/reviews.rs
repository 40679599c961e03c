//! Reviews of pull requests, the comments on their lines, and who is asked for a review.

use serde_json::{Value, json};

use super::asked::Asked;
use super::issues::with_comment;
use super::reply::{Outcome, Reply};
use super::{created, nothing, number, ok};
use crate::api::{Answer, Call, FieldError, Named, NewReviewComment, Page, ReviewEvent, Subject};
use crate::hub::{Kind, ReviewState};
use crate::view::Site;

pub(super) fn route(
    site: &mut Site,
    asked: &Asked<'_>,
    at: &Named,
    call: &Call,
    number: u64,
    rest: &[&str],
) -> Outcome {
    match (asked.method, rest) {
        ("GET", []) => {
            let all = site.list_reviews(at, number, Page::ALL)?;
            return Ok(Reply::list(asked, all));
        }
        ("POST", []) => return create(site, asked, call, number),
        (_, []) => return nothing(call),
        _ => {}
    }
    let id = self::number(call, rest[0])?;
    let (issue, pull) = site.find_pull(call, number)?;
    let review = site.find_review(call, pull, id)?;
    let (ordinal, pending) = (review.id, review.state == ReviewState::Pending);
    match (asked.method, &rest[1..]) {
        ("GET", []) => {}
        ("PUT", []) => {
            let body = asked.fields(call)?.needed("body")?;
            site.edit_review(number, ordinal, &body);
        }
        ("DELETE", []) => {
            if !pending {
                let problem = "Can not delete a non-pending pull request review";
                return Err(call.unprocessable(&[problem]));
            }
            let view = site.review(issue, review);
            site.delete_review(number, ordinal);
            return ok(view);
        }
        ("GET", ["comments"]) => {
            let its = pull.review_comments.iter();
            let its = its.filter(|it| it.review == Some(ordinal)).collect();
            return Reply::page(asked, its, |comment| {
                Ok(site.review_comment(issue, comment)?)
            });
        }
        ("POST", ["events"]) => {
            let fields = asked.fields(call)?;
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
            if let Some(problem) = site.review_problem(issue, text, event) {
                return Err(call.unprocessable(&[problem]));
            }
            site.submit_review(number, ordinal, body.as_deref(), event);
        }
        ("PUT", ["dismissals"]) => {
            asked.fields(call)?.needed("message")?;
            site.dismiss_review(call, number, ordinal)?;
        }
        _ => return nothing(call),
    }
    let (issue, pull) = site.find_pull(call, number)?;
    ok(site.review(issue, site.find_review(call, pull, id)?))
}

fn event(call: &Call, text: &str) -> Answer<ReviewEvent> {
    ReviewEvent::parse(text).ok_or_else(|| {
        let problem = format!(
            "Invalid request.\n\n\"{text}\" is not a member of [\"APPROVE\", \"REQUEST_CHANGES\", \"COMMENT\"]."
        );
        call.refuse(422, problem)
    })
}

fn create(site: &mut Site, asked: &Asked<'_>, call: &Call, number: u64) -> Outcome {
    let fields = asked.fields(call)?;
    let body = fields.text("body")?.unwrap_or_default();
    let event = match fields.text("event")?.as_deref() {
        None | Some("" | "PENDING") => None,
        Some(text) => Some(self::event(call, text)?),
    };
    let commit = fields.text("commit_id")?;
    let given = fields.list("comments")?.cloned().unwrap_or_default();
    let (issue, pull) = site.find_pull(call, number)?;
    let mut comments = Vec::new();
    for value in &given {
        let new = comment_of(value);
        check_sides(call, &new)?;
        if let Some(problem) = site.comment_problem(pull, &new)? {
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
        // Comments say enough.
        let text = if comments.is_empty() { &body } else { "-" };
        if let Some(problem) = site.review_problem(issue, text, event) {
            return Err(call.unprocessable(&[problem]));
        }
    } else if site.pending_review(pull).is_some() {
        let problem = "User can only have one pending review per pull request";
        return Err(call.unprocessable(&[problem]));
    }
    let commit = match commit {
        Some(commit) => match site.commit_under_review(pull, &commit)? {
            Ok(commit) => Some(commit),
            Err(problem) => return Err(call.unprocessable(&[&problem])),
        },
        None => None,
    };
    let ordinal = site.add_review(number, &body, event, commit.as_deref());
    for comment in comments {
        site.add_review_comment(number, ordinal, comment);
    }
    let (issue, pull) = site.find_pull(call, number)?;
    ok(site.review(
        issue,
        site.find_review(call, pull, Kind::Review.id(ordinal))?,
    ))
}

/// Refuses what is no side of a file.
fn check_sides(call: &Call, new: &NewReviewComment) -> Answer<()> {
    for side in new.side.iter().chain(&new.start_side) {
        if !matches!(side.as_str(), "LEFT" | "RIGHT") {
            let problem =
                format!("Invalid request.\n\n\"{side}\" is not a member of [\"LEFT\", \"RIGHT\"].");
            return Err(call.refuse(422, problem));
        }
    }
    Ok(())
}

/// A comment as bodies write it.
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

/// The comments on the lines of one pull request.
pub(super) fn on_lines(
    site: &mut Site,
    asked: &Asked<'_>,
    call: &Call,
    number: u64,
    rest: &[&str],
) -> Outcome {
    let new = match (asked.method, rest) {
        ("GET", []) => {
            let (issue, pull) = site.find_pull(call, number)?;
            return Reply::page(asked, pull.seen_comments().collect(), |comment| {
                Ok(site.review_comment(issue, comment)?)
            });
        }
        ("POST", []) => {
            let fields = asked.fields(call)?;
            let body = fields.needed("body")?;
            match fields.number("in_reply_to")? {
                Some(id) => site.reply_to(call, number, id, body)?,
                None => new_comment(site, asked, call, number)?,
            }
        }
        ("POST", [id, "replies"]) => {
            let body = asked.fields(call)?.needed("body")?;
            site.reply_to(call, number, self::number(call, id)?, body)?
        }
        _ => return nothing(call),
    };
    // Such a comment is a review of its own.
    let review = site.add_review(number, "", Some(ReviewEvent::Comment), None);
    let ordinal = site.add_review_comment(number, review, new);
    let (issue, comment) = site.find_review_comment(call, Kind::ReviewComment.id(ordinal))?;
    created(site.review_comment(issue, comment)?)
}

fn new_comment(
    site: &Site,
    asked: &Asked<'_>,
    call: &Call,
    number: u64,
) -> Answer<NewReviewComment> {
    let fields = asked.fields(call)?;
    fields.needed("path")?;
    fields.needed("commit_id")?;
    let new = comment_of(&asked.body(call)?);
    let (_, pull) = site.find_pull(call, number)?;
    check_sides(call, &new)?;
    let Some(problem) = site.comment_problem(pull, &new)? else {
        return Ok(new);
    };
    // The field that it names, of which the first two are told in words of their own.
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

/// Comments on lines by their ids.
pub(super) fn comments(site: &mut Site, asked: &Asked<'_>, call: &Call, rest: &[&str]) -> Outcome {
    let [id, rest @ ..] = rest else {
        if asked.method != "GET" {
            return nothing(call);
        }
        let mut all = Vec::new();
        for (issue, pull) in site.hub.pulls() {
            all.extend(pull.seen_comments().map(|comment| (issue, comment)));
        }
        return Reply::page(asked, all, |(issue, comment)| {
            Ok(site.review_comment(issue, comment)?)
        });
    };
    let id = number(call, id)?;
    let subject = Subject::ReviewComment(id);
    site.find_review_comment(call, id)?;
    if let Some(done) = with_comment(site, asked, call, subject, rest)? {
        return Ok(done);
    }
    let (issue, comment) = site.find_review_comment(call, id)?;
    ok(site.review_comment(issue, comment)?)
}

/// Who is asked for a review.
pub(super) fn requested(
    site: &mut Site,
    asked: &Asked<'_>,
    at: &Named,
    call: &Call,
    number: u64,
) -> Outcome {
    match asked.method {
        "GET" => {
            let (_, pull) = site.find_pull(call, number)?;
            ok(json!({"users": site.users(&pull.requested_reviewers), "teams": []}))
        }
        "POST" => {
            let people = asked.fields(call)?.texts("reviewers")?.unwrap_or_default();
            site.request_reviewers(at, number, &people)?;
            let (issue, pull) = site.find_pull(call, number)?;
            created(site.pull(issue, pull))
        }
        "DELETE" => {
            let people = asked.fields(call)?.texts("reviewers")?.unwrap_or_default();
            site.remove_reviewers(call, number, &people)?;
            let (issue, pull) = site.find_pull(call, number)?;
            ok(site.pull(issue, pull))
        }
        _ => nothing(call),
    }
}
