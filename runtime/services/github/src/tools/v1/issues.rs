//! Issues: one tool to read and one to write.

use serde_json::{Value, json};

use super::{minimal, said, unknown};
use crate::api::{IssueChange, NewIssue, REACTIONS, Sorted, Subject};
use crate::hub::{Issue, Kind, State};
use crate::profile::Profile;
use crate::tools::arguments::Arguments;
use crate::tools::commits::unresolved;
use crate::tools::issues::NewState;
use crate::tools::{Failure, Outcome, Output, minimal as done, protocol, shaped, written};
use crate::view::Site;

/// The pull requests that an issue tells of at most.
const REFERENCES: usize = 5;

pub(super) fn read(site: &Site, with: &Arguments) -> Outcome {
    let method = with.text("method")?;
    let at = with.repository()?;
    let number = with.issue("issue_number")?;
    let page = with.page()?;
    match method.as_str() {
        "get" => {
            let view = site.get_issue(&at, number);
            let mut view = minimal::issue(view.map_err(protocol("failed to get issue"))?);
            if let Some(issue) = site.hub.issues.get(&number) {
                relate(site, issue, &mut view);
            }
            written(&view)
        }
        "get_comments" => comments(site, with),
        "get_sub_issues" => {
            let list = site.list_sub_issues(&at, number, page);
            shaped("Issue", list.map_err(said("failed to list sub-issues"))?)
        }
        "get_parent" => {
            find(site, with, number).map_err(worded("failed to get issue parent"))?;
            let parent = site
                .hub
                .parent_of(number)
                .map(|it| reference(site, it, true));
            written(&json!({"parent": parent}))
        }
        "get_labels" => {
            find(site, with, number).map_err(worded("Failed to get issue labels"))?;
            let issue = site.hub.issues.get(&number);
            let names = issue
                .map(|issue| issue.labels.as_slice())
                .unwrap_or_default();
            let labels: Vec<Value> = names.iter().filter_map(|name| label(site, name)).collect();
            written(&json!({"labels": labels, "totalCount": names.len()}))
        }
        _ => Err(unknown(&method)),
    }
}

/// The comments of an issue or a pull request.
pub(super) fn comments(site: &Site, with: &Arguments) -> Outcome {
    let at = with.repository()?;
    let number = if with.has("pullNumber") {
        with.issue("pullNumber")?
    } else {
        with.issue("issue_number")?
    };
    let list = site.list_comments(&at, number, with.page()?);
    let list = list.map_err(protocol("failed to get issue comments"))?;
    let list = minimal::entries(list)?;
    written(&list.into_iter().map(minimal::comment).collect())
}

/// Puts words before those of GraphQL.
fn worded(during: &str) -> impl Fn(Failure) -> Failure {
    move |failure| match failure {
        Failure::Said(problem) => Failure::Said(format!("{during}: {problem}")),
        other => other,
    }
}

/// Makes sure that an issue is there; GraphQL's words otherwise.
fn find(site: &Site, with: &Arguments, number: u64) -> Result<(), Failure> {
    unresolved(site, &with.repository()?)?;
    let issue = site.hub.issues.get(&number);
    match issue.filter(|issue| issue.pull.is_none()) {
        Some(_) => Ok(()),
        None => Err(Failure::Said(format!(
            "Could not resolve to an Issue with the number of {number}."
        ))),
    }
}

/// A related issue or pull request in short; `sorted` where the published server writes a map of Go.
fn reference(site: &Site, issue: &Issue, sorted: bool) -> Value {
    let state = match &issue.pull {
        Some(pull) if pull.merged_at.is_some() => "MERGED".to_owned(),
        _ => issue.state.as_str().to_uppercase(),
    };
    let page = match &issue.pull {
        Some(_) => site.html(&format!("/pull/{}", issue.number)),
        None => site.html(&format!("/issues/{}", issue.number)),
    };
    let view = json!({
        "number": issue.number,
        "title": issue.title,
        "state": state,
        "url": page,
        "repository": site.full_name(),
    });
    if sorted {
        minimal::picked(&view, "number! repository! state! title! url!")
    } else {
        view
    }
}

/// Adds how an issue stands to others: its parent and its parts, and what will close it.
fn relate(site: &Site, issue: &Issue, view: &mut Value) {
    let parent = site.hub.parent_of(issue.number);
    view["has_parent"] = parent.is_some().into();
    view["has_children"] = (!issue.sub_issues.is_empty()).into();
    if let Some(parent) = parent {
        view["parent"] = reference(site, parent, false);
    }
    if !issue.sub_issues.is_empty() {
        let closed = |number: &&u64| {
            let part = site.hub.issues.get(number);
            part.is_some_and(|part| part.state == State::Closed)
        };
        let (total, completed) = (
            issue.sub_issues.len(),
            issue.sub_issues.iter().filter(closed).count(),
        );
        view["sub_issues_summary"] = json!({
            "total": total, "completed": completed, "percent_completed": completed * 100 / total,
        });
    }
    let pulls = site.hub.pulls().map(|(pull, _)| pull);
    let closing: Vec<&Issue> = pulls.filter(|pull| site.closes(pull, issue)).collect();
    let shown = closing.iter().take(REFERENCES);
    view["closed_by_pull_requests"] = json!({
        "total_count": closing.len(),
        "references": shown.map(|it| reference(site, it, false)).collect::<Vec<_>>(),
    });
}

/// A label with the keys in the order of their names.
fn label(site: &Site, name: &str) -> Option<Value> {
    let label = site.hub.labels.get(&name.to_lowercase())?;
    let id = Kind::Label.node_id(Kind::Label.of_name(&label.name));
    Some(json!({
        "color": label.color,
        "description": label.description.as_deref().unwrap_or_default(),
        "id": id,
        "name": label.name,
    }))
}

pub(super) fn get_label(site: &Site, with: &Arguments) -> Outcome {
    let at = with.repository()?;
    let name = with.text("name")?;
    unresolved(site, &at).map_err(worded("Failed to find label"))?;
    match label(site, &name) {
        Some(label) => written(&label),
        None => Err(Failure::Said(format!(
            "label '{name}' not found in {}/{}",
            at.owner, at.repo
        ))),
    }
}

pub(super) fn write(site: &mut Site, with: &Arguments) -> Outcome {
    let method = with.text("method")?;
    let at = with.repository()?;
    let title = with.optional_text("title")?;
    let body = with.optional_text("body")?;
    let assignees = with.texts("assignees")?;
    let labels = with.texts("labels")?;
    let milestone = u64::try_from(with.optional_number("milestone")?).ok();
    let milestone = milestone.filter(|number| *number > 0);
    let clears_type = with.0.get("type").is_some_and(Value::is_null);
    let kind = if clears_type {
        String::new()
    } else {
        with.optional_text("type")?
    };
    let kind = Some(kind).filter(|kind| !kind.is_empty());
    let state = NewState::read(with)?;
    state.check_duplicate()?;
    if let Some(Value::Array(fields)) = with.0.get("issue_fields")
        && let Some(field) = fields.first()
    {
        // The organisation has none.
        let name = field["field_name"].as_str().unwrap_or_default();
        return Err(Failure::Said(format!(
            "failed to resolve issue_fields: issue field \"{name}\" was not found"
        )));
    }
    match method.as_str() {
        "create" if title.is_empty() => Err(Failure::said("missing required parameter: title")),
        "create" => {
            let new = NewIssue {
                title,
                // The client sends an empty text where there is none.
                body: Some(body),
                labels,
                assignees,
                milestone,
                kind,
            };
            let made = site.create_issue(&at, new);
            let number = made.map_err(said("failed to create issue"))?;
            done(Kind::Issue.id(number), &site.issue_page(number).into())
        }
        "update" => {
            let number = with.issue("issue_number")?;
            let given = |name: &str| with.0.get(name).is_some_and(|value| !value.is_null());
            let change = IssueChange {
                title: Some(title).filter(|title| !title.is_empty()),
                body: Some(body).filter(|body| !body.is_empty()).map(Some),
                // An empty list takes all of them away.
                labels: given("labels").then_some(labels),
                assignees: given("assignees").then_some(assignees),
                milestone: milestone.map(Some),
                kind,
            };
            let edited = site.edit_issue(&at, number, change);
            edited.map_err(said("failed to update issue"))?;
            if clears_type && let Some(issue) = site.hub.issues.get_mut(&number) {
                crate::call::changed();
                issue.kind = None;
            }
            state.set(site, number)?;
            done(Kind::Issue.id(number), &site.issue_page(number).into())
        }
        _ => Err(Failure::said(
            "invalid method, must be either 'create' or 'update'",
        )),
    }
}

/// The list of v0.15.0, each issue in short.
pub(super) fn list(site: &Site, with: &Arguments) -> Outcome {
    if let Some(Value::Array(filters)) = with.0.get("field_filters")
        && let Some(filter) = filters.first()
    {
        let name = filter["field_name"].as_str().unwrap_or_default();
        return Err(Failure::Said(format!(
            "failed to resolve field_filters: issue field \"{name}\" was not found"
        )));
    }
    let fields = with.texts("fields")?;
    let Output::Text(text) = crate::tools::issues::list_issues(site, with, Profile::V1_10_1)?
    else {
        return Err(Failure::said("failed to list issues"));
    };
    let listed: Value = serde_json::from_str(&text)
        .map_err(|error| Failure::Host(format!("a result is no JSON: {error}")))?;
    let entries = listed["issues"].as_array().into_iter().flatten();
    let short = |entry: &Value| -> Option<Value> {
        let issue = site.hub.issues.get(&entry["number"].as_u64()?)?;
        let view = json!({
            "number": issue.number,
            "title": issue.title,
            "body": issue.body,
            "state": issue.state.as_str().to_uppercase(),
            "user": {"login": issue.user},
            "labels": issue.labels,
            "assignees": issue.assignees,
            "comments": issue.comments.len(),
            "created_at": issue.created_at,
            "updated_at": issue.updated_at,
        });
        let keys =
            "number! title! body state! user labels assignees! comments created_at updated_at";
        Some(minimal::picked(&view, keys))
    };
    let issues: Vec<Value> = entries.filter_map(short).collect();
    let info = minimal::picked(
        &listed["pageInfo"],
        "hasNextPage! hasPreviousPage! startCursor endCursor",
    );
    let total = &listed["totalCount"];
    if fields.is_empty() {
        written(&json!({"issues": issues, "totalCount": total, "pageInfo": info}))
    } else {
        let issues = minimal::filtered(issues, &fields);
        written(&json!({"issues": issues, "pageInfo": info, "totalCount": total}))
    }
}

pub(super) fn search(site: &Site, with: &Arguments, kind: &str) -> Outcome {
    let query = crate::tools::search::query_for(with, kind)?;
    let fields = with.texts("fields")?;
    let sorted = Sorted {
        by: with.optional_text("sort")?,
        ascending: with.optional_text("order")? == "asc",
    };
    let during = match kind {
        "pr" => "failed to search pull requests",
        _ => "failed to search issues",
    };
    let found = site.search_issues(&query, &sorted, with.page()?);
    let found = found.map_err(crate::tools::said(during))?;
    let Value::Object(mut whole) = crate::tools::go::shaped("IssuesSearchResult", found) else {
        return Err(Failure::said(during));
    };
    let items = minimal::entries(whole.remove("items").unwrap_or_default())?;
    let (total, incomplete) = (&whole["total_count"], &whole["incomplete_results"]);
    if fields.is_empty() {
        let sort = |item: Value| -> Value {
            // Each issue is put together anew from a map, whose keys are sorted.
            let Value::Object(entry) = item else {
                return item;
            };
            let mut entry: Vec<(String, Value)> = entry.into_iter().collect();
            entry.sort_by(|(one, _), (other, _)| one.cmp(other));
            Value::Object(entry.into_iter().collect())
        };
        let items: Vec<Value> = match kind {
            "issue" => items.into_iter().map(sort).collect(),
            _ => items,
        };
        written(&json!({"total_count": total, "incomplete_results": incomplete, "items": items}))
    } else {
        let items = minimal::filtered(items, &fields);
        written(&json!({"incomplete_results": incomplete, "items": items, "total_count": total}))
    }
}

/// A reaction as short results have it; its id follows from what it is to.
pub(super) fn reaction(site: &Site, seed: u64, content: &str, below: &str) -> Value {
    let name = format!("{seed} {} {content}", site.hub.repository.viewer);
    let id = Kind::User.of_name(&name);
    json!({"id": id.to_string(), "url": site.api(&format!("{below}/reactions/{id}"))})
}

/// What a tool answers that may comment, react, or both.
pub(super) fn both(comment: Option<Value>, reaction: Option<Value>) -> Outcome {
    match (comment, reaction) {
        (Some(comment), Some(reaction)) => {
            written(&json!({"comment": comment, "reaction": reaction}))
        }
        (Some(one), None) | (None, Some(one)) => written(&one),
        (None, None) => Err(Failure::said(
            "at least one of body or reaction is required",
        )),
    }
}

pub(super) fn add_comment(site: &mut Site, with: &Arguments) -> Outcome {
    let at = with.repository()?;
    let number = with.issue("issue_number")?;
    let comment = if with.has("comment_id") {
        match with.optional_number("comment_id")? {
            id if id < 1 => return Err(Failure::said("comment_id must be greater than 0")),
            id => u64::try_from(id).ok(),
        }
    } else {
        None
    };
    let body = with.given_text("body")?;
    let content = with.given_text("reaction")?;
    let problem = if comment.is_some() && body.is_some() {
        "comment_id cannot be combined with body"
    } else if comment.is_some() && content.is_none() {
        "comment_id can only be provided when reaction is provided"
    } else if body.is_none() && content.is_none() {
        "at least one of body or reaction is required"
    } else if body.as_deref() == Some("") {
        "body cannot be empty when provided"
    } else if content.as_deref() == Some("") {
        "reaction cannot be empty when provided"
    } else if content
        .as_deref()
        .is_some_and(|it| !REACTIONS.contains(&it))
    {
        "reaction must be one of +1, -1, laugh, confused, heart, hooray, rocket, eyes"
    } else {
        ""
    };
    if !problem.is_empty() {
        return Err(Failure::said(problem));
    }
    let mut reacted = None;
    if let Some(content) = content {
        reacted = Some(match comment {
            Some(id) => {
                let during = "failed to get issue comment";
                let below = format!("/issues/comments/{id}");
                let call = site.call(&at, "GET", &below).map_err(said(during))?;
                let (issue, _) = site.find_comment(&call, id).map_err(said(during))?;
                if issue.number != number {
                    let problem = format!("comment_id does not belong to issue_number {number}");
                    return Err(Failure::Said(problem));
                }
                site.react(&call, Subject::Comment(id), &content)
                    .map_err(said("failed to add reaction to issue comment"))?;
                reaction(site, id, &content, &below)
            }
            None => {
                let during = "failed to add reaction to issue";
                let below = format!("/issues/{number}");
                let call = site.call(&at, "POST", &format!("{below}/reactions"));
                let call = call.map_err(said(during))?;
                site.react(&call, Subject::Issue(number), &content)
                    .map_err(said(during))?;
                reaction(site, number, &content, &below)
            }
        });
    }
    let mut commented = None;
    if let Some(body) = body {
        let made = site.create_comment(&at, number, &body);
        let made = made.map_err(said("failed to create comment"))?;
        let id = made["id"].as_u64().unwrap_or_default();
        commented = Some(json!({"id": id.to_string(), "url": made["html_url"]}));
    }
    both(commented, reacted)
}

pub(super) fn list_types(site: &Site, with: &Arguments) -> Outcome {
    let owner = with.text("owner")?;
    let repo = with.optional_text("repo")?;
    let path = match repo.as_str() {
        "" => format!("/orgs/{owner}/issue-types"),
        repo => format!("/repos/{owner}/{repo}/issue-types"),
    };
    let call = site.call_anywhere("GET", &path);
    if !repo.is_empty() && !site.hub.is(&owner, &repo) {
        return Err(said("failed to list issue types")(call.not_found()));
    }
    let types = site.list_issue_types(&call, &owner);
    shaped(
        "IssueType",
        types.map_err(said("failed to list issue types"))?,
    )
}

/// No organisation of a world has fields of its own.
pub(super) fn list_fields(site: &Site, with: &Arguments) -> Outcome {
    let owner = with.text("owner")?;
    let repo = with.optional_text("repo")?;
    if !repo.is_empty() {
        unresolved(site, &with.repository()?).map_err(worded("failed to list issue fields"))?;
    } else if !owner.eq_ignore_ascii_case(&site.hub.repository.owner) {
        return Err(Failure::Said(format!(
            "failed to list issue fields: Could not resolve to an Organization with the login of '{owner}'."
        )));
    }
    written(&json!([]))
}
