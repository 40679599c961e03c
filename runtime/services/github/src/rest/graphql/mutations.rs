//! GraphQL mutations.

use serde_json::{Map, Value, json};

use super::language::Field;
use super::{Failure, Resolved, issue_view, not_found, query_error, review, select, text};
use crate::api::{NewReviewComment, ReviewEvent};
use crate::hub::{Kind, State};
use crate::repository::RepositoryState;

pub(super) fn run(repo: &mut RepositoryState, field: &Field) -> Resolved {
    let none = Map::new();
    let input = field.arguments.get("input").and_then(Value::as_object);
    let input = input.unwrap_or(&none);
    let answer = match field.name.as_str() {
        "addPullRequestReview" => add_review(repo, input)?,
        "submitPullRequestReview" => submit_review(repo, input)?,
        "deletePullRequestReview" => {
            let (number, ordinal) = pending(repo, input)?;
            let view = shown_review(repo, number, ordinal);
            repo.delete_review(number, ordinal);
            json!({"pullRequestReview": view})
        }
        "addPullRequestReviewThread" => add_thread(repo, input)?,
        "convertPullRequestToDraft" => set_draft(repo, input, true)?,
        "markPullRequestReadyForReview" => set_draft(repo, input, false)?,
        "closeIssue" => set_state(repo, input, State::Closed)?,
        "reopenIssue" => set_state(repo, input, State::Open)?,
        name => {
            return Err(query_error(format!(
                "Field '{name}' doesn't exist on type 'Query'"
            )));
        }
    };
    select(&answer, &field.selection, &field.name)
}

/// Ordinal of the object whose node id is in a field.
fn named(input: &Map<String, Value>, field: &str, kind: Kind) -> Result<u64, Failure> {
    let id = text(input, field);
    kind.of_node(id).ok_or_else(|| {
        not_found(format!(
            "Could not resolve to a node with the global id of '{id}'"
        ))
    })
}

/// Number of the pull request whose node id is in `pullRequestId`.
fn pull(repo: &RepositoryState, input: &Map<String, Value>) -> Result<u64, Failure> {
    let number = named(input, "pullRequestId", Kind::Pull)?;
    match repo.hub.pull(number) {
        Some(_) => Ok(number),
        None => Err(not_found(format!(
            "Could not resolve to a PullRequest with the number of {number}."
        ))),
    }
}

/// Number of the pull request, and ordinal of the pending review whose node id is in `pullRequestReviewId`.
fn pending(repo: &RepositoryState, input: &Map<String, Value>) -> Result<(u64, u64), Failure> {
    let ordinal = named(input, "pullRequestReviewId", Kind::Review)?;
    let found = repo.hub.pulls().find_map(|(issue, pull)| {
        let review = repo.pending_review(pull)?;
        (review.id == ordinal).then_some((issue.number, ordinal))
    });
    found.ok_or_else(|| query_error("Could not resolve to a pending review"))
}

fn event(input: &Map<String, Value>) -> Result<Option<ReviewEvent>, Failure> {
    match text(input, "event") {
        "" => Ok(None),
        event => match ReviewEvent::parse(event) {
            Some(event) => Ok(Some(event)),
            None => Err(query_error(format!(
                "Variable $input of type AddPullRequestReviewInput! was provided invalid value for event (Expected \
                 \"{event}\" to be one of: COMMENT, APPROVE, REQUEST_CHANGES, DISMISS)"
            ))),
        },
    }
}

fn shown_review(repo: &RepositoryState, number: u64, ordinal: u64) -> Value {
    let found = repo.hub.pull(number).and_then(|(issue, pull)| {
        let review = pull.reviews.iter().find(|it| it.id == ordinal)?;
        Some((issue, review))
    });
    found.map_or(Value::Null, |(issue, it)| review(repo, issue, it))
}

fn add_review(repo: &mut RepositoryState, input: &Map<String, Value>) -> Resolved {
    let number = pull(repo, input)?;
    let (body, event) = (text(input, "body"), event(input)?);
    if let Some((issue, pull)) = repo.hub.pull(number) {
        match event {
            Some(event) => {
                if let Some(problem) = repo.review_problem(issue, body, event) {
                    return Err(query_error(problem));
                }
            }
            None if repo.pending_review(pull).is_some() => {
                return Err(query_error(
                    "User can only have one pending review per pull request",
                ));
            }
            None => {}
        }
    }
    let commit = Some(text(input, "commitOID")).filter(|commit| !commit.is_empty());
    let commit = match (commit, repo.hub.pull(number)) {
        (Some(commit), Some((_, pull))) => Some(
            repo.commit_under_review(pull, commit)?
                .map_err(query_error)?,
        ),
        _ => None,
    };
    let ordinal = repo.add_review(number, body, event, commit.as_deref());
    Ok(json!({"pullRequestReview": shown_review(repo, number, ordinal)}))
}

fn submit_review(repo: &mut RepositoryState, input: &Map<String, Value>) -> Resolved {
    let (number, ordinal) = pending(repo, input)?;
    let event = event(input)?.ok_or_else(|| query_error("Event can't be blank"))?;
    let body = input.get("body").and_then(Value::as_str);
    if let Some((issue, pull)) = repo.hub.pull(number) {
        let mut comments = pull.review_comments.iter();
        let has_comments = comments.any(|it| it.review == Some(ordinal));
        let text = body.unwrap_or(if has_comments { "-" } else { "" });
        if let Some(problem) = repo.review_problem(issue, text, event) {
            return Err(query_error(problem));
        }
    }
    repo.submit_review(number, ordinal, body, event);
    Ok(json!({"pullRequestReview": shown_review(repo, number, ordinal)}))
}

fn add_thread(repo: &mut RepositoryState, input: &Map<String, Value>) -> Resolved {
    let (number, ordinal) = pending(repo, input)?;
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
        return Err(query_error(problem));
    }
    if !about_file && new.line.is_none() {
        return Err(query_error(
            "pull_request_review_thread.line can't be blank",
        ));
    }
    if let Some((_, pull)) = repo.hub.pull(number)
        && let Some(problem) = repo.comment_problem(pull, &new)?
    {
        return Err(query_error(problem));
    }
    let comment = repo.add_review_comment(number, ordinal, new);
    let id = Kind::ReviewComment.node_id(Kind::ReviewComment.id(comment));
    Ok(json!({"thread": {"id": id.replacen("PRRC_", "PRRT_", 1), "isResolved": false}}))
}

fn set_draft(repo: &mut RepositoryState, input: &Map<String, Value>, draft: bool) -> Resolved {
    let number = pull(repo, input)?;
    repo.set_draft(number, draft);
    let id = Kind::Pull.node_id(Kind::Pull.id(number));
    Ok(json!({"pullRequest": {"id": id, "number": number, "isDraft": draft}}))
}

fn set_state(repo: &mut RepositoryState, input: &Map<String, Value>, state: State) -> Resolved {
    let number = named(input, "issueId", Kind::Issue)?;
    let is_issue = |number: &u64| {
        let issue = repo.hub.issues.get(number);
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
        return Err(query_error(
            "An issue cannot be marked as a duplicate of itself",
        ));
    }
    let reason = match text(input, "stateReason") {
        "NOT_PLANNED" => "not_planned",
        "DUPLICATE" => "duplicate",
        _ => "completed",
    };
    repo.set_issue_state(number, state, reason, duplicate_of);
    let view = repo.hub.issues.get(&number);
    Ok(json!({"issue": view.map(|it| issue_view(repo, it))}))
}
