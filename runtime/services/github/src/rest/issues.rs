//! Issues and their comments, labels, assignees, reactions and parts.

use serde_json::{Value, json};

use super::asked::{Asked, texts};
use super::reply::{Outcome, Reply};
use super::{created, events, nothing, number, ok};
use crate::api::{
    Answer, Call, IssueChange, IssueList, Named, NewIssue, Page, PullChange, Subject,
};
use crate::hub::{Issue, State, Time};
use crate::view::Site;

pub(super) fn route(
    site: &mut Site,
    asked: &Asked<'_>,
    at: &Named,
    call: &Call,
    below: &[&str],
) -> Outcome {
    match (asked.method, below) {
        ("GET", []) => list(site, asked, call),
        ("POST", []) => create(site, asked, at, call),
        ("GET", ["comments"]) => {
            let all = site.hub.issues.values();
            let all = all.flat_map(|issue| issue.comments.iter().map(move |it| (issue, it)));
            Reply::page(asked, all.collect(), |(issue, comment)| {
                Ok(site.comment(issue, comment))
            })
        }
        (_, ["comments", id, rest @ ..]) => {
            let id = number(call, id)?;
            one_comment(site, asked, call, id, rest)
        }
        ("GET", ["events"]) => events::all(site, asked),
        ("GET", ["events", id]) => events::one(site, call, number(call, id)?),
        (method, [text, rest @ ..]) => {
            let number = number(call, text)?;
            site.find_issue(call, number)?;
            match (method, rest) {
                ("GET", []) => ok(site.get_issue(at, number)?),
                ("PATCH", []) => edit(site, asked, at, call, number),
                ("GET", ["comments"]) => {
                    let all = site.list_comments(at, number, Page::ALL)?;
                    Ok(Reply::list(asked, since(asked, all)))
                }
                ("POST", ["comments"]) => {
                    let body = asked.fields(call)?.needed("body")?;
                    created(site.create_comment(at, number, &body)?)
                }
                ("GET", ["events"]) => {
                    events::of_issue(site, asked, site.find_issue(call, number)?)
                }
                ("GET", ["timeline"]) => {
                    events::timeline(site, asked, site.find_issue(call, number)?)
                }
                (_, ["labels", rest @ ..]) => labels(site, asked, call, number, rest),
                ("POST" | "DELETE", ["assignees"]) => assignees(site, asked, call, number),
                (_, ["reactions"]) => reactions(site, asked, call, Subject::Issue(number)),
                ("PUT", ["lock"]) => {
                    check_lock_reason(asked, call)?;
                    site.set_locked(call, number, true)?;
                    Ok(Reply::empty())
                }
                ("DELETE", ["lock"]) => {
                    site.set_locked(call, number, false)?;
                    Ok(Reply::empty())
                }
                ("GET", ["parent"]) => match site.hub.parent_of(number) {
                    Some(parent) => ok(site.issue(parent)),
                    None => nothing(call),
                },
                ("GET", ["sub_issues"]) => Ok(Reply::list(
                    asked,
                    site.list_sub_issues(at, number, Page::ALL)?,
                )),
                ("POST", ["sub_issues"]) => {
                    let fields = asked.fields(call)?;
                    let id = fields.number("sub_issue_id")?;
                    let id = id.ok_or_else(|| missing(call, "sub_issue_id"))?;
                    let replace = fields.truth("replace_parent")?.unwrap_or(false);
                    created(site.add_sub_issue(at, number, id, replace)?)
                }
                ("DELETE", ["sub_issue"]) => {
                    let id = asked.fields(call)?.number("sub_issue_id")?;
                    let id = id.ok_or_else(|| missing(call, "sub_issue_id"))?;
                    ok(site.remove_sub_issue(at, number, id)?)
                }
                ("PATCH", ["sub_issues", "priority"]) => {
                    let fields = asked.fields(call)?;
                    let id = fields.number("sub_issue_id")?;
                    let id = id.ok_or_else(|| missing(call, "sub_issue_id"))?;
                    let (next_to, after) =
                        match (fields.number("after_id")?, fields.number("before_id")?) {
                            (Some(id), None) => (id, true),
                            (None, Some(id)) => (id, false),
                            _ => {
                                let problem = "Only one of after_id or before_id must be provided";
                                return Err(call.refuse(422, problem));
                            }
                        };
                    ok(site.move_sub_issue(at, number, id, next_to, after)?)
                }
                _ => nothing(call),
            }
        }
        _ => nothing(call),
    }
}

fn missing(call: &Call, name: &str) -> crate::api::ApiError {
    call.refuse(
        422,
        format!("Invalid request.\n\n\"{name}\" wasn't supplied."),
    )
}

/// The entries that were changed when the query asks or later.
fn since(asked: &Asked<'_>, mut all: Value) -> Value {
    if let (Some(since), Some(list)) = (Time::parse(asked.parameter("since")), all.as_array_mut()) {
        list.retain(|it| {
            let updated = it["updated_at"].as_str().and_then(Time::parse);
            updated.is_some_and(|time| time >= since)
        });
    }
    all
}

fn list(site: &Site, asked: &Asked<'_>, call: &Call) -> Outcome {
    let state = match asked.parameter("state") {
        "" | "open" => Some(State::Open),
        "closed" => Some(State::Closed),
        "all" => None,
        _ => return Err(call.invalid(vec![invalid("state")])),
    };
    let list = IssueList {
        with_pulls: true,
        state,
        labels: Vec::new(),
        since: Time::parse(asked.parameter("since")),
        order: match asked.parameter("sort") {
            "updated" => "UPDATED_AT",
            "comments" => "COMMENTS",
            _ => "CREATED_AT",
        }
        .to_owned(),
        ascending: asked.parameter("direction") == "asc",
    };
    let mut issues = site.list_issues(&list);
    // Where the tools are content with one label, this list wants them all.
    let labels = asked.parameter("labels").split(',').map(str::trim);
    for wanted in labels.filter(|it| !it.is_empty()) {
        let is = |name: &String| name.eq_ignore_ascii_case(wanted);
        issues.retain(|issue| issue.labels.iter().any(is));
    }
    let login = |name: &'static str| Some(asked.parameter(name)).filter(|it| !it.is_empty());
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
    Reply::page(asked, issues, |issue| Ok(site.issue(issue)))
}

fn invalid(field: &'static str) -> crate::api::FieldError {
    crate::api::FieldError {
        resource: "Issue",
        field,
        code: "invalid",
        message: String::new(),
    }
}

fn create(site: &mut Site, asked: &Asked<'_>, at: &Named, call: &Call) -> Outcome {
    let fields = asked.fields(call)?;
    let title = fields.needed("title")?;
    let assignees = match fields.texts("assignees")? {
        Some(people) => people,
        None => fields.text("assignee")?.into_iter().collect(),
    };
    let number = site.create_issue(
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
    created(site.issue(site.find_issue(call, number)?))
}

fn edit(site: &mut Site, asked: &Asked<'_>, at: &Named, call: &Call, number: u64) -> Outcome {
    let fields = asked.fields(call)?;
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
        kind: fields.text("type")?,
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
    site.edit_issue(at, number, change)?;
    match state {
        // A pull request is closed and opened by rules of its own.
        Some(state) if site.hub.pull(number).is_some() => {
            let change = PullChange {
                state: Some(state.as_str().to_owned()),
                ..PullChange::default()
            };
            site.edit_pull(at, number, change)?;
        }
        Some(state) => site.set_issue_state(number, state, reason, None),
        None => {}
    }
    ok(site.issue(site.find_issue(call, number)?))
}

fn one_comment(site: &mut Site, asked: &Asked<'_>, call: &Call, id: u64, rest: &[&str]) -> Outcome {
    let subject = Subject::Comment(id);
    site.find_comment(call, id)?;
    if let Some(done) = with_comment(site, asked, call, subject, rest)? {
        return Ok(done);
    }
    let (issue, comment) = site.find_comment(call, id)?;
    ok(site.comment(issue, comment))
}

/// Does what is asked of a comment, whatever it stands on; no reply where it is to be shown as it is then.
pub(super) fn with_comment(
    site: &mut Site,
    asked: &Asked<'_>,
    call: &Call,
    subject: Subject,
    rest: &[&str],
) -> Answer<Option<Reply>> {
    match (asked.method, rest) {
        ("GET", []) => {}
        ("PATCH", []) => {
            let body = asked.fields(call)?.needed("body")?;
            site.edit_comment(call, subject, &body)?;
        }
        ("DELETE", []) => {
            site.delete_comment(call, subject)?;
            return Ok(Some(Reply::empty()));
        }
        (_, ["reactions"]) => return reactions(site, asked, call, subject).map(Some),
        _ => return nothing(call).map(Some),
    }
    Ok(None)
}

/// The reactions to something, listed or added.
pub(super) fn reactions(
    site: &mut Site,
    asked: &Asked<'_>,
    call: &Call,
    subject: Subject,
) -> Outcome {
    let new = match asked.method {
        "GET" => None,
        "POST" => {
            let content = asked.fields(call)?.needed("content")?;
            let new = site.react(call, subject, &content)?;
            Some((content, new))
        }
        _ => return nothing(call),
    };
    let (seed, reactions, time) = match subject {
        Subject::Issue(number) => {
            let issue = site.find_issue(call, number)?;
            (number, &issue.reactions, issue.updated_at)
        }
        Subject::Comment(id) => {
            let (_, comment) = site.find_comment(call, id)?;
            (id, &comment.reactions, comment.updated_at)
        }
        Subject::ReviewComment(id) => {
            let (_, comment) = site.find_review_comment(call, id)?;
            (id, &comment.reactions, comment.updated_at)
        }
    };
    let viewer = site.viewer();
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
                "user": site.user(&it.user),
                "content": it.content,
                "created_at": time,
            })
        })
        .collect();
    match (new, views.into_iter()) {
        (None, views) => Ok(Reply::list(asked, views.collect())),
        (Some((_, new)), mut views) => match views.next() {
            Some(view) if new => created(view),
            Some(view) => ok(view),
            None => nothing(call),
        },
    }
}

fn labels_of(site: &Site, issue: &Issue) -> Value {
    issue.labels.iter().map(|name| site.label(name)).collect()
}

fn labels(site: &mut Site, asked: &Asked<'_>, call: &Call, number: u64, rest: &[&str]) -> Outcome {
    match (asked.method, rest) {
        ("GET", []) => {
            let issue = site.find_issue(call, number)?;
            return Ok(Reply::list(asked, labels_of(site, issue)));
        }
        ("POST", []) => {
            let given = given_labels(asked, call)?;
            site.change_labels(call, number, |mut names| {
                names.extend(given);
                names
            })?;
        }
        ("PUT", []) => {
            let given = given_labels(asked, call)?;
            site.change_labels(call, number, |_| given)?;
        }
        ("DELETE", []) => {
            site.change_labels(call, number, |_| Vec::new())?;
            return Ok(Reply::empty());
        }
        ("DELETE", [name]) => {
            let is = |worn: &String| worn.eq_ignore_ascii_case(name);
            if !site.find_issue(call, number)?.labels.iter().any(is) {
                return Err(call.refuse(404, "Label does not exist"));
            }
            site.change_labels(call, number, |mut names| {
                names.retain(|worn| !is(worn));
                names
            })?;
        }
        _ => return nothing(call),
    }
    ok(labels_of(site, site.find_issue(call, number)?))
}

/// The labels of a body: a list, or an object with one.
fn given_labels(asked: &Asked<'_>, call: &Call) -> Answer<Vec<String>> {
    let body = asked.body(call)?;
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

fn assignees(site: &mut Site, asked: &Asked<'_>, call: &Call, number: u64) -> Outcome {
    let given = asked.fields(call)?.texts("assignees")?.unwrap_or_default();
    let adds = asked.method == "POST";
    site.change_assignees(call, number, |mut people| {
        if adds {
            people.extend(given)
        } else {
            people.retain(|login| !given.iter().any(|it| it.eq_ignore_ascii_case(login)))
        }
        people
    })?;
    let view = site.issue(site.find_issue(call, number)?);
    if adds { created(view) } else { ok(view) }
}

/// Why a conversation may be locked.
const LOCK_REASONS: [&str; 4] = ["off-topic", "too heated", "resolved", "spam"];

/// Refuses to lock a conversation for a reason that there is not.
fn check_lock_reason(asked: &Asked<'_>, call: &Call) -> Answer<()> {
    match asked.fields(call)?.text("lock_reason")? {
        Some(reason) if !LOCK_REASONS.contains(&reason.as_str()) => {
            let known = LOCK_REASONS.join("\", \"");
            let problem =
                format!("Invalid request.\n\n{reason:?} is not a member of [\"{known}\"].");
            Err(call.refuse(422, problem))
        }
        _ => Ok(()),
    }
}
