//! What GraphQL changes.

use serde_json::{Map, Value, json};

use super::language::Field;
use super::{Failure, Resolved, issue_view, not_found, review, said, select, text};
use crate::api::{NewReviewComment, ReviewEvent};
use crate::hub::{Kind, State};
use crate::view::Site;

pub(super) fn run(site: &mut Site, field: &Field) -> Resolved {
    let none = Map::new();
    let input = field.arguments.get("input").and_then(Value::as_object);
    let input = input.unwrap_or(&none);
    let answer = match field.name.as_str() {
        "addPullRequestReview" => add_review(site, input)?,
        "submitPullRequestReview" => submit_review(site, input)?,
        "deletePullRequestReview" => {
            let (number, ordinal) = pending(site, input)?;
            let view = shown_review(site, number, ordinal);
            site.delete_review(number, ordinal);
            json!({"pullRequestReview": view})
        }
        "addPullRequestReviewThread" => add_thread(site, input)?,
        "convertPullRequestToDraft" => set_draft(site, input, true)?,
        "markPullRequestReadyForReview" => set_draft(site, input, false)?,
        "closeIssue" => set_state(site, input, State::Closed)?,
        "reopenIssue" => set_state(site, input, State::Open)?,
        name => {
            return Err(said(format!(
                "Field '{name}' doesn't exist on type 'Query'"
            )));
        }
    };
    select(&answer, &field.selection, &field.name)
}

/// The ordinal of the thing that a field names.
fn named(input: &Map<String, Value>, field: &str, kind: Kind) -> Result<u64, Failure> {
    let id = text(input, field);
    kind.of_node(id).ok_or_else(|| {
        not_found(format!(
            "Could not resolve to a node with the global id of '{id}'"
        ))
    })
}

/// The number of the pull request that a field names.
fn pull(site: &Site, input: &Map<String, Value>) -> Result<u64, Failure> {
    let number = named(input, "pullRequestId", Kind::Pull)?;
    match site.hub.pull(number) {
        Some(_) => Ok(number),
        None => Err(not_found(format!(
            "Could not resolve to a PullRequest with the number of {number}."
        ))),
    }
}

/// The pull request and the ordinal of the pending review that a field names.
fn pending(site: &Site, input: &Map<String, Value>) -> Result<(u64, u64), Failure> {
    let ordinal = named(input, "pullRequestReviewId", Kind::Review)?;
    let found = site.hub.pulls().find_map(|(issue, pull)| {
        let review = site.pending_review(pull)?;
        (review.id == ordinal).then_some((issue.number, ordinal))
    });
    found.ok_or_else(|| said("Could not resolve to a pending review"))
}

fn event(input: &Map<String, Value>) -> Result<Option<ReviewEvent>, Failure> {
    match text(input, "event") {
        "" => Ok(None),
        event => match ReviewEvent::parse(event) {
            Some(event) => Ok(Some(event)),
            None => Err(said(format!(
                "Variable $input of type AddPullRequestReviewInput! was provided invalid value for event (Expected \
                 \"{event}\" to be one of: COMMENT, APPROVE, REQUEST_CHANGES, DISMISS)"
            ))),
        },
    }
}

fn shown_review(site: &Site, number: u64, ordinal: u64) -> Value {
    let found = site.hub.pull(number).and_then(|(issue, pull)| {
        let review = pull.reviews.iter().find(|it| it.id == ordinal)?;
        Some((issue, review))
    });
    found.map_or(Value::Null, |(issue, it)| review(site, issue, it))
}

fn add_review(site: &mut Site, input: &Map<String, Value>) -> Resolved {
    let number = pull(site, input)?;
    let (body, event) = (text(input, "body"), event(input)?);
    if let Some((issue, pull)) = site.hub.pull(number) {
        match event {
            Some(event) => {
                if let Some(problem) = site.review_problem(issue, body, event) {
                    return Err(said(problem));
                }
            }
            None if site.pending_review(pull).is_some() => {
                return Err(said(
                    "User can only have one pending review per pull request",
                ));
            }
            None => {}
        }
    }
    let commit = Some(text(input, "commitOID")).filter(|commit| !commit.is_empty());
    let commit = match (commit, site.hub.pull(number)) {
        (Some(commit), Some((_, pull))) => {
            Some(site.commit_under_review(pull, commit)?.map_err(said)?)
        }
        _ => None,
    };
    let ordinal = site.add_review(number, body, event, commit.as_deref());
    Ok(json!({"pullRequestReview": shown_review(site, number, ordinal)}))
}

fn submit_review(site: &mut Site, input: &Map<String, Value>) -> Resolved {
    let (number, ordinal) = pending(site, input)?;
    let event = event(input)?.ok_or_else(|| said("Event can't be blank"))?;
    let body = input.get("body").and_then(Value::as_str);
    if let Some((issue, pull)) = site.hub.pull(number) {
        let mut comments = pull.review_comments.iter();
        let has_comments = comments.any(|it| it.review == Some(ordinal));
        let text = body.unwrap_or(if has_comments { "-" } else { "" });
        if let Some(problem) = site.review_problem(issue, text, event) {
            return Err(said(problem));
        }
    }
    site.submit_review(number, ordinal, body, event);
    Ok(json!({"pullRequestReview": shown_review(site, number, ordinal)}))
}

fn add_thread(site: &mut Site, input: &Map<String, Value>) -> Resolved {
    let (number, ordinal) = pending(site, input)?;
    let given = |name: &str| input.get(name).and_then(Value::as_str).map(str::to_owned);
    let about_file = text(input, "subjectType") == "FILE";
    let line = |name: &str| {
        input
            .get(name)
            .and_then(Value::as_u64)
            .filter(|_| !about_file)
    };
    let new = NewReviewComment {
        path: text(input, "path").to_owned(),
        body: text(input, "body").to_owned(),
        line: line("line"),
        side: given("side"),
        start_line: line("startLine"),
        start_side: given("startSide"),
        in_reply_to: None,
    };
    if let Some(problem) = new.side_problem() {
        return Err(said(problem));
    }
    if !about_file && new.line.is_none() {
        return Err(said("pull_request_review_thread.line can't be blank"));
    }
    if let Some((_, pull)) = site.hub.pull(number)
        && let Some(problem) = site.comment_problem(pull, &new)?
    {
        return Err(said(problem));
    }
    let comment = site.add_review_comment(number, ordinal, new);
    let id = Kind::ReviewComment.node_id(Kind::ReviewComment.id(comment));
    Ok(json!({"thread": {"id": id.replacen("PRRC_", "PRRT_", 1), "isResolved": false}}))
}

fn set_draft(site: &mut Site, input: &Map<String, Value>, draft: bool) -> Resolved {
    let number = pull(site, input)?;
    site.set_draft(number, draft);
    let id = Kind::Pull.node_id(Kind::Pull.id(number));
    Ok(json!({"pullRequest": {"id": id, "number": number, "isDraft": draft}}))
}

fn set_state(site: &mut Site, input: &Map<String, Value>, state: State) -> Resolved {
    let number = named(input, "issueId", Kind::Issue)?;
    let is_issue = |number: &u64| {
        let issue = site.hub.issues.get(number);
        issue.is_some_and(|issue| issue.pull.is_none())
    };
    let missing = |number: u64| {
        not_found(format!(
            "Could not resolve to an Issue with the number of {number}."
        ))
    };
    if !is_issue(&number) {
        return Err(missing(number));
    }
    let duplicate_of = match text(input, "duplicateIssueId") {
        "" => None,
        _ => Some(named(input, "duplicateIssueId", Kind::Issue)?),
    };
    if let Some(other) = duplicate_of.filter(|other| !is_issue(other)) {
        return Err(missing(other));
    }
    if duplicate_of == Some(number) {
        return Err(said("An issue cannot be marked as a duplicate of itself"));
    }
    let reason = match text(input, "stateReason") {
        "NOT_PLANNED" => "not_planned",
        "DUPLICATE" => "duplicate",
        _ => "completed",
    };
    site.set_issue_state(number, state, reason, duplicate_of);
    let view = site.hub.issues.get(&number);
    Ok(json!({"issue": view.map(|it| issue_view(site, it))}))
}
