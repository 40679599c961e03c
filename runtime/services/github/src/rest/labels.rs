//! The labels and milestones of the repository.

use serde_json::Value;

use super::asked::Asked;
use super::reply::{Outcome, Reply};
use super::{created, nothing, number, ok};
use crate::api::{Answer, Call, FieldError, MilestoneChange, Named};
use crate::hub::{Label, Milestone, State, Time, grey};
use crate::view::Site;

pub(super) fn route(
    site: &mut Site,
    asked: &Asked<'_>,
    at: &Named,
    call: &Call,
    below: &[&str],
) -> Outcome {
    match (asked.method, below) {
        ("GET", ["labels"]) => {
            let all = site.hub.labels.values().collect();
            Reply::page(asked, all, |label| Ok(site.whole_label(label)))
        }
        ("POST", ["labels"]) => {
            let fields = asked.fields(call)?;
            let label = Label {
                name: fields.needed("name")?,
                color: fields.text("color")?.unwrap_or_else(grey),
                description: fields.text("description")?,
            };
            let label = site.put_label(at, None, label)?;
            created(site.whole_label(&label))
        }
        ("GET", ["labels", name]) => ok(site.whole_label(site.find_label(call, name)?)),
        ("PATCH", ["labels", name]) => {
            let fields = asked.fields(call)?;
            let before = site.find_label(call, name)?.clone();
            let label = Label {
                name: fields.text("new_name")?.unwrap_or(before.name),
                color: fields.text("color")?.unwrap_or(before.color),
                description: fields
                    .clearable("description")?
                    .unwrap_or(before.description),
            };
            let label = site.put_label(at, Some(name), label)?;
            ok(site.whole_label(&label))
        }
        ("DELETE", ["labels", name]) => {
            site.delete_label(at, name)?;
            Ok(Reply::empty())
        }
        ("GET", ["milestones"]) => milestones(site, asked),
        ("POST", ["milestones"]) => {
            asked.fields(call)?.needed("title")?;
            let number = site.put_milestone(at, None, change(asked, call)?)?;
            created(site.milestone(site.find_milestone(call, number)?))
        }
        (method, ["milestones", text, rest @ ..]) => {
            let number = number(call, text)?;
            site.find_milestone(call, number)?;
            match (method, rest) {
                ("GET", []) => {}
                ("PATCH", []) => {
                    site.put_milestone(at, Some(number), change(asked, call)?)?;
                }
                ("DELETE", []) => {
                    site.delete_milestone(at, number)?;
                    return Ok(Reply::empty());
                }
                ("GET", ["labels"]) => return labels_of(site, asked, number),
                _ => return nothing(call),
            }
            ok(site.milestone(site.find_milestone(call, number)?))
        }
        _ => nothing(call),
    }
}

fn milestones(site: &Site, asked: &Asked<'_>) -> Outcome {
    let wanted = match asked.parameter("state") {
        "all" => None,
        "closed" => Some(State::Closed),
        _ => Some(State::Open),
    };
    let mut all: Vec<&Milestone> = site.hub.milestones.values().collect();
    all.retain(|milestone| wanted.is_none_or(|state| milestone.state == state));
    // Those that are due first come first, and those that are never due last.
    all.sort_by_key(|milestone| {
        let due = milestone.due_on.map_or(i64::MAX, |time| time.0);
        (due, milestone.number)
    });
    if asked.parameter("direction") == "desc" {
        all.reverse();
    }
    Reply::page(asked, all, |milestone| Ok(site.milestone(milestone)))
}

fn labels_of(site: &Site, asked: &Asked<'_>, number: u64) -> Outcome {
    let mut names: Vec<&String> = Vec::new();
    for issue in site.hub.issues.values() {
        if issue.milestone == Some(number) {
            names.extend(&issue.labels);
        }
    }
    names.sort();
    names.dedup();
    let views: Value = names.into_iter().map(|name| site.label(name)).collect();
    Ok(Reply::list(asked, views))
}

fn change(asked: &Asked<'_>, call: &Call) -> Answer<MilestoneChange> {
    let fields = asked.fields(call)?;
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
