//! Endpoints for issues, with their comments, labels, assignees, reactions and sub-issues.

use serde_json::{Value, json};

use super::parsed_request::{Request, missing, not_a_member, texts};
use super::reply::{Outcome, Reply};
use super::{created, events, nothing, number, ok};
use crate::api::{
    Answer, Call, IssueChange, IssueList, NewIssue, Page, PullChange, RepositoryName, Subject,
};
use crate::hub::{Issue, State, Time};
use crate::repository::RepositoryState;

pub(super) fn route(
    repo: &mut RepositoryState,
    request: &Request<'_>,
    at: &RepositoryName,
    call: &Call,
    below: &[&str],
) -> Outcome {
    match (request.method, below) {
        ("GET", []) => list(repo, request, call),
        ("POST", []) => create(repo, request, at, call),
        ("GET", ["comments"]) => {
            let all = repo.hub.issues.values();
            let all = all.flat_map(|issue| issue.comments.iter().map(move |it| (issue, it)));
            Reply::page(request, all.collect(), |(issue, comment)| {
                Ok(repo.comment(issue, comment))
            })
        }
        (_, ["comments", id, rest @ ..]) => {
            let id = number(call, id)?;
            one_comment(repo, request, call, id, rest)
        }
        ("GET", ["events"]) => events::all(repo, request),
        ("GET", ["events", id]) => events::one(repo, call, number(call, id)?),
        (method, [text, rest @ ..]) => {
            let number = number(call, text)?;
            repo.find_issue(call, number)?;
            match (method, rest) {
                ("GET", []) => ok(repo.get_issue(at, number)?),
                ("PATCH", []) => edit(repo, request, at, call, number),
                ("GET", ["comments"]) => {
                    let all = repo.list_comments(at, number, Page::ALL)?;
                    Ok(Reply::list(request, since(request, all)))
                }
                ("POST", ["comments"]) => {
                    let body = request.fields(call)?.needed("body")?;
                    created(repo.create_comment(at, number, &body)?)
                }
                ("GET", ["events"]) => {
                    events::of_issue(repo, request, repo.find_issue(call, number)?)
                }
                ("GET", ["timeline"]) => {
                    events::timeline(repo, request, repo.find_issue(call, number)?)
                }
                (_, ["labels", rest @ ..]) => labels(repo, request, call, number, rest),
                ("POST" | "DELETE", ["assignees"]) => assignees(repo, request, call, number),
                (_, ["reactions"]) => reactions(repo, request, call, Subject::Issue(number)),
                ("PUT", ["lock"]) => {
                    check_lock_reason(request, call)?;
                    repo.set_locked(call, number, true)?;
                    Ok(Reply::empty())
                }
                ("DELETE", ["lock"]) => {
                    repo.set_locked(call, number, false)?;
                    Ok(Reply::empty())
                }
                ("GET", ["parent"]) => match repo.hub.parent_of(number) {
                    Some(parent) => ok(repo.issue(parent)),
                    None => nothing(call),
                },
                ("GET", ["sub_issues"]) => Ok(Reply::list(
                    request,
                    repo.list_sub_issues(at, number, Page::ALL)?,
                )),
                ("POST", ["sub_issues"]) => {
                    let fields = request.fields(call)?;
                    let id = fields.needed_number("sub_issue_id")?;
                    let replace = fields.truth("replace_parent")?.unwrap_or(false);
                    created(repo.add_sub_issue(at, number, id, replace)?)
                }
                ("DELETE", ["sub_issue"]) => {
                    let id = request.fields(call)?.needed_number("sub_issue_id")?;
                    ok(repo.remove_sub_issue(at, number, id)?)
                }
                ("PATCH", ["sub_issues", "priority"]) => {
                    let fields = request.fields(call)?;
                    let id = fields.needed_number("sub_issue_id")?;
                    let (next_to, after) =
                        match (fields.number("after_id")?, fields.number("before_id")?) {
                            (Some(id), None) => (id, true),
                            (None, Some(id)) => (id, false),
                            _ => {
                                let problem = "Only one of after_id or before_id must be provided";
                                return Err(call.refuse(422, problem));
                            }
                        };
                    ok(repo.move_sub_issue(at, number, id, next_to, after)?)
                }
                _ => nothing(call),
            }
        }
        _ => nothing(call),
    }
}

/// Keeps the entries that were updated at or after the parameter `since`.
fn since(request: &Request<'_>, mut all: Value) -> Value {
    if let (Some(since), Some(list)) = (Time::parse(request.parameter("since")), all.as_array_mut())
    {
        list.retain(|it| {
            let updated = it["updated_at"].as_str().and_then(Time::parse);
            updated.is_some_and(|time| time >= since)
        });
    }
    all
}

fn list(repo: &RepositoryState, request: &Request<'_>, call: &Call) -> Outcome {
    let state = match request.parameter("state") {
        "" | "open" => Some(State::Open),
        "closed" => Some(State::Closed),
        "all" => None,
        _ => return Err(call.invalid(vec![invalid("state")])),
    };
    let list = IssueList {
        with_pulls: true,
        state,
        labels: Vec::new(),
        since: Time::parse(request.parameter("since")),
        order: match request.parameter("sort") {
            "updated" => "UPDATED_AT",
            "comments" => "COMMENTS",
            _ => "CREATED_AT",
        }
        .to_owned(),
        ascending: request.parameter("direction") == "asc",
    };
    let mut issues = repo.list_issues(&list);
    // The tools accept issues with any of the labels, but this list requires all of them.
    let labels = request.parameter("labels").split(',').map(str::trim);
    for wanted in labels.filter(|it| !it.is_empty()) {
        let is = |name: &String| name.eq_ignore_ascii_case(wanted);
        issues.retain(|issue| issue.labels.iter().any(is));
    }
    let login = |name: &'static str| Some(request.parameter(name)).filter(|it| !it.is_empty());
    if let Some(creator) = login("creator") {
        issues.retain(|issue| issue.user.eq_ignore_ascii_case(creator));
    }
    if let Some(mentioned) = login("mentioned") {
        let mention = format!("@{}", mentioned.to_lowercase());
        let has = |text: &String| text.to_lowercase().contains(&mention);
        issues.retain(|issue| {
            issue.body.iter().any(has) || issue.comments.iter().any(|it| has(&it.body))
        });
    }
    match login("assignee") {
        None => {}
        Some("*") => issues.retain(|issue| !issue.assignees.is_empty()),
        Some("none") => issues.retain(|issue| issue.assignees.is_empty()),
        Some(login) => {
            let is = |name: &String| name.eq_ignore_ascii_case(login);
            issues.retain(|issue| issue.assignees.iter().any(is));
        }
    }
    match login("milestone") {
        None => {}
        Some("*") => issues.retain(|issue| issue.milestone.is_some()),
        Some("none") => issues.retain(|issue| issue.milestone.is_none()),
        Some(wanted) => match wanted.parse() {
            Ok(wanted) => issues.retain(|issue| issue.milestone == Some(wanted)),
            Err(_) => return Err(call.invalid(vec![invalid("milestone")])),
        },
    }
    match login("type") {
        None => {}
        Some("*") => issues.retain(|issue| issue.kind.is_some()),
        Some("none") => issues.retain(|issue| issue.kind.is_none()),
        Some(wanted) => {
            let is = |kind: &String| kind.eq_ignore_ascii_case(wanted);
            issues.retain(|issue| issue.kind.as_ref().is_some_and(is));
        }
    }
    Reply::page(request, issues, |issue| Ok(repo.issue(issue)))
}

fn invalid(field: &'static str) -> crate::api::FieldError {
    crate::api::FieldError {
        resource: "Issue",
        field,
        code: "invalid",
        message: String::new(),
    }
}

fn create(
    repo: &mut RepositoryState,
    request: &Request<'_>,
    at: &RepositoryName,
    call: &Call,
) -> Outcome {
    let fields = request.fields(call)?;
    let title = fields.needed("title")?;
    let assignees = match fields.texts("assignees")? {
        Some(people) => people,
        None => fields.text("assignee")?.into_iter().collect(),
    };
    let number = repo.create_issue(
        at,
        NewIssue {
            title,
            body: fields.text("body")?,
            labels: fields.texts("labels")?.unwrap_or_default(),
            assignees,
            milestone: fields.number("milestone")?,
            kind: fields.text("type")?,
        },
    )?;
    created(repo.issue(repo.find_issue(call, number)?))
}

fn edit(
    repo: &mut RepositoryState,
    request: &Request<'_>,
    at: &RepositoryName,
    call: &Call,
    number: u64,
) -> Outcome {
    let fields = request.fields(call)?;
    let assignees = match fields.texts("assignees")? {
        Some(people) => Some(people),
        None => fields.text("assignee")?.map(|login| vec![login]),
    };
    let change = IssueChange {
        title: fields.text("title")?,
        body: fields.clearable("body")?,
        labels: fields.texts("labels")?,
        assignees,
        milestone: if fields.is_null("milestone") {
            Some(None)
        } else {
            fields.number("milestone")?.map(Some)
        },
        kind: fields.clearable("type")?,
    };
    let state = match fields.text("state")?.as_deref() {
        None => None,
        Some("open") => Some(State::Open),
        Some("closed") => Some(State::Closed),
        Some(_) => return Err(call.invalid(vec![invalid("state")])),
    };
    let reason = fields.text("state_reason")?;
    let reason = match reason.as_deref() {
        None | Some("completed" | "reopened") => "completed",
        Some(known @ ("not_planned" | "duplicate")) => known,
        Some(_) => return Err(call.invalid(vec![invalid("state_reason")])),
    };
    repo.edit_issue(at, number, change)?;
    match state {
        // Closing and reopening a pull request has its own rules.
        Some(state) if repo.hub.pull(number).is_some() => {
            let change = PullChange {
                state: Some(state.as_str().to_owned()),
                ..PullChange::default()
            };
            repo.edit_pull(at, number, change)?;
        }
        Some(state) => repo.set_issue_state(number, state, reason, None),
        None => {}
    }
    ok(repo.issue(repo.find_issue(call, number)?))
}

fn one_comment(
    repo: &mut RepositoryState,
    request: &Request<'_>,
    call: &Call,
    id: u64,
    rest: &[&str],
) -> Outcome {
    let subject = Subject::Comment(id);
    repo.find_comment(call, id)?;
    if let Some(done) = with_comment(repo, request, call, subject, rest)? {
        return Ok(done);
    }
    let (issue, comment) = repo.find_comment(call, id)?;
    ok(repo.comment(issue, comment))
}

/// Edits or deletes a comment of any kind, or lists or adds reactions. `None` if the comment is then to be returned.
pub(super) fn with_comment(
    repo: &mut RepositoryState,
    request: &Request<'_>,
    call: &Call,
    subject: Subject,
    rest: &[&str],
) -> Answer<Option<Reply>> {
    match (request.method, rest) {
        ("GET", []) => {}
        ("PATCH", []) => {
            let body = request.fields(call)?.needed("body")?;
            repo.edit_comment(call, subject, &body)?;
        }
        ("DELETE", []) => {
            repo.delete_comment(call, subject)?;
            return Ok(Some(Reply::empty()));
        }
        (_, ["reactions"]) => return reactions(repo, request, call, subject).map(Some),
        _ => return nothing(call).map(Some),
    }
    Ok(None)
}

/// Lists the reactions to an issue or a comment, or adds one.
pub(super) fn reactions(
    repo: &mut RepositoryState,
    request: &Request<'_>,
    call: &Call,
    subject: Subject,
) -> Outcome {
    let new = match request.method {
        "GET" => None,
        "POST" => {
            let content = request.fields(call)?.needed("content")?;
            let new = repo.react(call, subject, &content)?;
            Some((content, new))
        }
        _ => return nothing(call),
    };
    let (seed, reactions, time) = match subject {
        Subject::Issue(number) => {
            let issue = repo.find_issue(call, number)?;
            (number, &issue.reactions, issue.updated_at)
        }
        Subject::Comment(id) => {
            let (_, comment) = repo.find_comment(call, id)?;
            (id, &comment.reactions, comment.updated_at)
        }
        Subject::ReviewComment(id) => {
            let (_, comment) = repo.find_review_comment(call, id)?;
            (id, &comment.reactions, comment.updated_at)
        }
    };
    let viewer = repo.viewer();
    let views: Vec<Value> = reactions
        .iter()
        .filter(|it| {
            new.as_ref()
                .is_none_or(|(content, _)| it.content == *content && it.user == viewer)
        })
        .map(|it| {
            let id = crate::hub::Kind::User.of_name(&format!("{seed} {} {}", it.user, it.content));
            json!({
                "id": id,
                "node_id": format!("REA_{id}"),
                "user": repo.user(&it.user),
                "content": it.content,
                "created_at": time,
            })
        })
        .collect();
    match (new, views.into_iter()) {
        (None, views) => Ok(Reply::list(request, views.collect())),
        (Some((_, new)), mut views) => match views.next() {
            Some(view) if new => created(view),
            Some(view) => ok(view),
            None => nothing(call),
        },
    }
}

fn labels_of(repo: &RepositoryState, issue: &Issue) -> Value {
    issue.labels.iter().map(|name| repo.label(name)).collect()
}

fn labels(
    repo: &mut RepositoryState,
    request: &Request<'_>,
    call: &Call,
    number: u64,
    rest: &[&str],
) -> Outcome {
    match (request.method, rest) {
        ("GET", []) => {
            let issue = repo.find_issue(call, number)?;
            return Ok(Reply::list(request, labels_of(repo, issue)));
        }
        ("POST", []) => {
            let given = given_labels(request, call)?;
            repo.change_labels(call, number, |mut names| {
                names.extend(given);
                names
            })?;
        }
        ("PUT", []) => {
            let given = given_labels(request, call)?;
            repo.change_labels(call, number, |_| given)?;
        }
        ("DELETE", []) => {
            repo.change_labels(call, number, |_| Vec::new())?;
            return Ok(Reply::empty());
        }
        ("DELETE", [name]) => {
            let is = |worn: &String| worn.eq_ignore_ascii_case(name);
            if !repo.find_issue(call, number)?.labels.iter().any(is) {
                return Err(call.refuse(404, "Label does not exist"));
            }
            repo.change_labels(call, number, |mut names| {
                names.retain(|worn| !is(worn));
                names
            })?;
        }
        _ => return nothing(call),
    }
    ok(labels_of(repo, repo.find_issue(call, number)?))
}

/// Reads labels from a body: a list, or an object with the list `labels`.
fn given_labels(request: &Request<'_>, call: &Call) -> Answer<Vec<String>> {
    let body = request.body(call)?;
    let list = match &body {
        Value::Array(list) => Some(list),
        body => body["labels"].as_array(),
    };
    let list = list.ok_or_else(|| missing(call, "labels"))?;
    texts(list).map_err(|other| {
        let problem = format!("Invalid request.\n\nFor 'items', {other} is not a string.");
        call.refuse(422, problem)
    })
}

fn assignees(
    repo: &mut RepositoryState,
    request: &Request<'_>,
    call: &Call,
    number: u64,
) -> Outcome {
    let given = request
        .fields(call)?
        .texts("assignees")?
        .unwrap_or_default();
    let adds = request.method == "POST";
    repo.change_assignees(call, number, |mut people| {
        if adds {
            people.extend(given)
        } else {
            people.retain(|login| !given.iter().any(|it| it.eq_ignore_ascii_case(login)))
        }
        people
    })?;
    let view = repo.issue(repo.find_issue(call, number)?);
    if adds { created(view) } else { ok(view) }
}

/// Valid reasons for locking a conversation.
const LOCK_REASONS: [&str; 4] = ["off-topic", "too heated", "resolved", "spam"];

/// Returns an error if the reason for locking a conversation is invalid.
fn check_lock_reason(request: &Request<'_>, call: &Call) -> Answer<()> {
    match request.fields(call)?.text("lock_reason")? {
        Some(reason) if !LOCK_REASONS.contains(&reason.as_str()) => Err(not_a_member(
            call,
            format_args!("{reason:?}"),
            &LOCK_REASONS,
        )),
        _ => Ok(()),
    }
}
