//! Endpoints for labels and milestones of the repository.

use serde_json::Value;

use super::parsed_request::Request;
use super::reply::{Outcome, Reply};
use super::{created, nothing, number, ok};
use crate::api::{Answer, Call, FieldError, MilestoneChange, RepositoryName};
use crate::hub::{Label, Milestone, State, Time, grey};
use crate::repository::RepositoryState;

pub(super) fn route(
    repo: &mut RepositoryState,
    request: &Request<'_>,
    at: &RepositoryName,
    call: &Call,
    below: &[&str],
) -> Outcome {
    match (request.method, below) {
        ("GET", ["labels"]) => {
            let all = repo.hub.labels.values().collect();
            Reply::page(request, all, |label| Ok(repo.whole_label(label)))
        }
        ("POST", ["labels"]) => {
            let fields = request.fields(call)?;
            let label = Label {
                name: fields.needed("name")?,
                color: fields.text("color")?.unwrap_or_else(grey),
                description: fields.text("description")?,
            };
            let label = repo.put_label(at, None, label)?;
            created(repo.whole_label(&label))
        }
        ("GET", ["labels", name]) => ok(repo.whole_label(repo.find_label(call, name)?)),
        ("PATCH", ["labels", name]) => {
            let fields = request.fields(call)?;
            let before = repo.find_label(call, name)?.clone();
            let label = Label {
                name: fields.text("new_name")?.unwrap_or(before.name),
                color: fields.text("color")?.unwrap_or(before.color),
                description: fields
                    .clearable("description")?
                    .unwrap_or(before.description),
            };
            let label = repo.put_label(at, Some(name), label)?;
            ok(repo.whole_label(&label))
        }
        ("DELETE", ["labels", name]) => {
            repo.delete_label(at, name)?;
            Ok(Reply::empty())
        }
        ("GET", ["milestones"]) => milestones(repo, request),
        ("POST", ["milestones"]) => {
            request.fields(call)?.needed("title")?;
            let number = repo.put_milestone(at, None, change(request, call)?)?;
            created(repo.milestone(repo.find_milestone(call, number)?))
        }
        (method, ["milestones", text, rest @ ..]) => {
            let number = number(call, text)?;
            repo.find_milestone(call, number)?;
            match (method, rest) {
                ("GET", []) => {}
                ("PATCH", []) => {
                    repo.put_milestone(at, Some(number), change(request, call)?)?;
                }
                ("DELETE", []) => {
                    repo.delete_milestone(at, number)?;
                    return Ok(Reply::empty());
                }
                ("GET", ["labels"]) => return labels_of(repo, request, number),
                _ => return nothing(call),
            }
            ok(repo.milestone(repo.find_milestone(call, number)?))
        }
        _ => nothing(call),
    }
}

fn milestones(repo: &RepositoryState, request: &Request<'_>) -> Outcome {
    let wanted = match request.parameter("state") {
        "all" => None,
        "closed" => Some(State::Closed),
        _ => Some(State::Open),
    };
    let mut all: Vec<&Milestone> = repo.hub.milestones.values().collect();
    all.retain(|milestone| wanted.is_none_or(|state| milestone.state == state));
    // Milestones are sorted by due date, and those without one come last.
    all.sort_by_key(|milestone| {
        let due = milestone.due_on.map_or(i64::MAX, |time| time.0);
        (due, milestone.number)
    });
    if request.parameter("direction") == "desc" {
        all.reverse();
    }
    Reply::page(request, all, |milestone| Ok(repo.milestone(milestone)))
}

fn labels_of(repo: &RepositoryState, request: &Request<'_>, number: u64) -> Outcome {
    let mut names: Vec<&String> = Vec::new();
    for issue in repo.hub.issues.values() {
        if issue.milestone == Some(number) {
            names.extend(&issue.labels);
        }
    }
    names.sort();
    names.dedup();
    let views: Value = names.into_iter().map(|name| repo.label(name)).collect();
    Ok(Reply::list(request, views))
}

fn change(request: &Request<'_>, call: &Call) -> Answer<MilestoneChange> {
    let fields = request.fields(call)?;
    let invalid = |field: &'static str| {
        call.invalid(vec![FieldError {
            resource: "Milestone",
            field,
            code: "invalid",
            message: String::new(),
        }])
    };
    Ok(MilestoneChange {
        title: fields.text("title")?,
        description: fields.clearable("description")?,
        state: match fields.text("state")?.as_deref() {
            None => None,
            Some("open") => Some(State::Open),
            Some("closed") => Some(State::Closed),
            Some(_) => return Err(invalid("state")),
        },
        due_on: match fields.clearable("due_on")? {
            None => None,
            Some(None) => Some(None),
            Some(Some(text)) => Some(Some(Time::parse(&text).ok_or_else(|| invalid("due_on"))?)),
        },
    })
}
