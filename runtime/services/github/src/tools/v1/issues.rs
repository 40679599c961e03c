//! Tools for issues: one to read and one to write.

use serde_json::{Value, json};

use super::{minimal, tool_error, unknown};
use crate::api::{IssueChange, NewIssue, Sorted, Subject};
use crate::hub::{Issue, Kind, REACTIONS, State};
use crate::profile::Profile;
use crate::repository::RepositoryState;
use crate::tools::arguments::Arguments;
use crate::tools::commits::unresolved;
use crate::tools::issues::NewState;
use crate::tools::{Failure, Outcome, Output, minimal as done, protocol_error, shaped, written};

/// Maximum number of closing pull requests that are listed for an issue.
const REFERENCES: usize = 5;

pub(super) fn read(repo: &RepositoryState, with: &Arguments) -> Outcome {
    let method = with.text("method")?;
    let at = with.repository()?;
    let number = with.issue("issue_number")?;
    let page = with.page()?;
    match method.as_str() {
        "get" => {
            let view = repo.get_issue(&at, number);
            let mut view = minimal::issue(view.map_err(protocol_error("failed to get issue"))?);
            if let Some(issue) = repo.hub.issues.get(&number) {
                relate(repo, issue, &mut view);
            }
            written(&view)
        }
        "get_comments" => comments(repo, with),
        "get_sub_issues" => {
            let list = repo.list_sub_issues(&at, number, page);
            shaped(
                "Issue",
                list.map_err(tool_error("failed to list sub-issues"))?,
            )
        }
        "get_parent" => {
            find(repo, with, number).map_err(worded("failed to get issue parent"))?;
            let parent = repo
                .hub
                .parent_of(number)
                .map(|it| reference(repo, it, true));
            written(&json!({"parent": parent}))
        }
        "get_labels" => {
            find(repo, with, number).map_err(worded("Failed to get issue labels"))?;
            let issue = repo.hub.issues.get(&number);
            let names = issue
                .map(|issue| issue.labels.as_slice())
                .unwrap_or_default();
            let labels: Vec<Value> = names.iter().filter_map(|name| label(repo, name)).collect();
            written(&json!({"labels": labels, "totalCount": names.len()}))
        }
        _ => Err(unknown(&method)),
    }
}

/// Lists the comments of an issue or a pull request.
pub(super) fn comments(repo: &RepositoryState, with: &Arguments) -> Outcome {
    let at = with.repository()?;
    let number = if with.has("pullNumber") {
        with.issue("pullNumber")?
    } else {
        with.issue("issue_number")?
    };
    let list = repo.list_comments(&at, number, with.page()?);
    let list = list.map_err(protocol_error("failed to get issue comments"))?;
    let list = minimal::entries(list)?;
    written(&list.into_iter().map(minimal::comment).collect())
}

/// Adds a prefix to an error of GraphQL.
fn worded(during: &str) -> impl Fn(Failure) -> Failure {
    move |failure| match failure {
        Failure::ToolError(problem) => Failure::ToolError(format!("{during}: {problem}")),
        other => other,
    }
}

/// Returns GraphQL's error if the issue does not exist.
fn find(repo: &RepositoryState, with: &Arguments, number: u64) -> Result<(), Failure> {
    unresolved(repo, &with.repository()?)?;
    let issue = repo.hub.issues.get(&number);
    match issue.filter(|issue| issue.pull.is_none()) {
        Some(_) => Ok(()),
        None => Err(Failure::ToolError(format!(
            "Could not resolve to an Issue with the number of {number}."
        ))),
    }
}

/// Shortened related issue or pull request. Keys are `sorted` if the published server serialises a Go map.
fn reference(repo: &RepositoryState, issue: &Issue, sorted: bool) -> Value {
    let state = match &issue.pull {
        Some(pull) if pull.merged_at.is_some() => "MERGED".to_owned(),
        _ => issue.state.as_str().to_uppercase(),
    };
    let page = match &issue.pull {
        Some(_) => repo.html(&format!("/pull/{}", issue.number)),
        None => repo.html(&format!("/issues/{}", issue.number)),
    };
    let view = json!({
        "number": issue.number,
        "title": issue.title,
        "state": state,
        "url": page,
        "repository": repo.full_name(),
    });
    if sorted {
        minimal::picked(&view, "number! repository! state! title! url!")
    } else {
        view
    }
}

/// Adds the parent of an issue, a summary of its sub-issues, and the pull requests that will close it.
fn relate(repo: &RepositoryState, issue: &Issue, view: &mut Value) {
    let parent = repo.hub.parent_of(issue.number);
    view["has_parent"] = parent.is_some().into();
    view["has_children"] = (!issue.sub_issues.is_empty()).into();
    if let Some(parent) = parent {
        view["parent"] = reference(repo, parent, false);
    }
    if !issue.sub_issues.is_empty() {
        let closed = |number: &&u64| {
            let part = repo.hub.issues.get(number);
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
    let pulls = repo.hub.pulls().map(|(pull, _)| pull);
    let closing: Vec<&Issue> = pulls.filter(|pull| repo.closes(pull, issue)).collect();
    let shown = closing.iter().take(REFERENCES);
    view["closed_by_pull_requests"] = json!({
        "total_count": closing.len(),
        "references": shown.map(|it| reference(repo, it, false)).collect::<Vec<_>>(),
    });
}

/// Label with its keys in alphabetical order.
fn label(repo: &RepositoryState, name: &str) -> Option<Value> {
    let label = repo.hub.labels.get(&name.to_lowercase())?;
    let id = Kind::Label.node_id(Kind::Label.of_name(&label.name));
    Some(json!({
        "color": label.color,
        "description": label.description.as_deref().unwrap_or_default(),
        "id": id,
        "name": label.name,
    }))
}

pub(super) fn get_label(repo: &RepositoryState, with: &Arguments) -> Outcome {
    let at = with.repository()?;
    let name = with.text("name")?;
    unresolved(repo, &at).map_err(worded("Failed to find label"))?;
    match label(repo, &name) {
        Some(label) => written(&label),
        None => Err(Failure::ToolError(format!(
            "label '{name}' not found in {}/{}",
            at.owner, at.repo
        ))),
    }
}

pub(super) fn write(repo: &mut RepositoryState, with: &Arguments) -> Outcome {
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
        // The organisation of a world has no issue fields.
        let name = field["field_name"].as_str().unwrap_or_default();
        return Err(Failure::ToolError(format!(
            "failed to resolve issue_fields: issue field \"{name}\" was not found"
        )));
    }
    match method.as_str() {
        "create" if title.is_empty() => {
            Err(Failure::tool_error("missing required parameter: title"))
        }
        "create" => {
            let new = NewIssue {
                title,
                // The client sends an empty text if there is none.
                body: Some(body),
                labels,
                assignees,
                milestone,
                kind,
            };
            let made = repo.create_issue(&at, new);
            let number = made.map_err(tool_error("failed to create issue"))?;
            done(Kind::Issue.id(number), &repo.issue_page(number).into())
        }
        "update" => {
            let number = with.issue("issue_number")?;
            let given = |name: &str| with.0.get(name).is_some_and(|value| !value.is_null());
            let change = IssueChange {
                title: Some(title).filter(|title| !title.is_empty()),
                body: Some(body).filter(|body| !body.is_empty()).map(Some),
                // An empty list removes all.
                labels: given("labels").then_some(labels),
                assignees: given("assignees").then_some(assignees),
                milestone: milestone.map(Some),
                kind: if clears_type {
                    Some(None)
                } else {
                    kind.map(Some)
                },
            };
            let edited = repo.edit_issue(&at, number, change);
            edited.map_err(tool_error("failed to update issue"))?;
            state.set(repo, number)?;
            done(Kind::Issue.id(number), &repo.issue_page(number).into())
        }
        _ => Err(Failure::tool_error(
            "invalid method, must be either 'create' or 'update'",
        )),
    }
}

/// Lists issues like v0.15.0, but shortened.
pub(super) fn list(repo: &RepositoryState, with: &Arguments) -> Outcome {
    if let Some(Value::Array(filters)) = with.0.get("field_filters")
        && let Some(filter) = filters.first()
    {
        let name = filter["field_name"].as_str().unwrap_or_default();
        return Err(Failure::ToolError(format!(
            "failed to resolve field_filters: issue field \"{name}\" was not found"
        )));
    }
    let fields = with.texts("fields")?;
    let Output::Text(text) = crate::tools::issues::list_issues(repo, with, Profile::V1_10_1)?
    else {
        return Err(Failure::tool_error("failed to list issues"));
    };
    let listed: Value = serde_json::from_str(&text)
        .map_err(|error| Failure::Host(format!("a result is not valid JSON: {error}")))?;
    let entries = listed["issues"].as_array().into_iter().flatten();
    let short = |entry: &Value| -> Option<Value> {
        let issue = repo.hub.issues.get(&entry["number"].as_u64()?)?;
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

pub(super) fn search(repo: &RepositoryState, with: &Arguments, kind: &str) -> Outcome {
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
    let found = repo.search_issues(&query, &sorted, with.page()?);
    let found = found.map_err(crate::tools::tool_error(during))?;
    let Value::Object(mut whole) = crate::tools::go::shaped("IssuesSearchResult", found) else {
        return Err(Failure::tool_error(during));
    };
    let items = minimal::entries(whole.remove("items").unwrap_or_default())?;
    let (total, incomplete) = (&whole["total_count"], &whole["incomplete_results"]);
    if fields.is_empty() {
        let sort = |item: Value| -> Value {
            // The published server builds each issue from a map, whose keys are sorted.
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

/// Shortened reaction. Its id is derived from its subject, its author and its content.
pub(super) fn reaction(repo: &RepositoryState, seed: u64, content: &str, below: &str) -> Value {
    let name = format!("{seed} {} {content}", repo.hub.repository.viewer);
    let id = Kind::User.of_name(&name);
    json!({"id": id.to_string(), "url": repo.api(&format!("{below}/reactions/{id}"))})
}

/// Result of a tool that can comment, react, or both.
pub(super) fn both(comment: Option<Value>, reaction: Option<Value>) -> Outcome {
    match (comment, reaction) {
        (Some(comment), Some(reaction)) => {
            written(&json!({"comment": comment, "reaction": reaction}))
        }
        (Some(one), None) | (None, Some(one)) => written(&one),
        (None, None) => Err(Failure::tool_error(
            "at least one of body or reaction is required",
        )),
    }
}

pub(super) fn add_comment(repo: &mut RepositoryState, with: &Arguments) -> Outcome {
    let at = with.repository()?;
    let number = with.issue("issue_number")?;
    let comment = if with.has("comment_id") {
        match with.optional_number("comment_id")? {
            id if id < 1 => return Err(Failure::tool_error("comment_id must be greater than 0")),
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
        return Err(Failure::tool_error(problem));
    }
    let mut reacted = None;
    if let Some(content) = content {
        reacted = Some(match comment {
            Some(id) => {
                let during = "failed to get issue comment";
                let below = format!("/issues/comments/{id}");
                let call = repo.call(&at, "GET", &below).map_err(tool_error(during))?;
                let (issue, _) = repo.find_comment(&call, id).map_err(tool_error(during))?;
                if issue.number != number {
                    let problem = format!("comment_id does not belong to issue_number {number}");
                    return Err(Failure::ToolError(problem));
                }
                repo.react(&call, Subject::Comment(id), &content)
                    .map_err(tool_error("failed to add reaction to issue comment"))?;
                reaction(repo, id, &content, &below)
            }
            None => {
                let during = "failed to add reaction to issue";
                let below = format!("/issues/{number}");
                let call = repo.call(&at, "POST", &format!("{below}/reactions"));
                let call = call.map_err(tool_error(during))?;
                repo.react(&call, Subject::Issue(number), &content)
                    .map_err(tool_error(during))?;
                reaction(repo, number, &content, &below)
            }
        });
    }
    let mut commented = None;
    if let Some(body) = body {
        let made = repo.create_comment(&at, number, &body);
        let made = made.map_err(tool_error("failed to create comment"))?;
        let id = made["id"].as_u64().unwrap_or_default();
        commented = Some(json!({"id": id.to_string(), "url": made["html_url"]}));
    }
    both(commented, reacted)
}

pub(super) fn list_types(repo: &RepositoryState, with: &Arguments) -> Outcome {
    let owner = with.text("owner")?;
    let name = with.optional_text("repo")?;
    let path = match name.as_str() {
        "" => format!("/orgs/{owner}/issue-types"),
        name => format!("/repos/{owner}/{name}/issue-types"),
    };
    let call = repo.call_anywhere("GET", &path);
    if !name.is_empty() && !repo.hub.is_repository(&owner, &name) {
        return Err(tool_error("failed to list issue types")(call.not_found()));
    }
    let types = repo.list_issue_types(&call, &owner);
    shaped(
        "IssueType",
        types.map_err(tool_error("failed to list issue types"))?,
    )
}

/// Lists the issue fields of an organisation, of which worlds have none.
pub(super) fn list_fields(repo: &RepositoryState, with: &Arguments) -> Outcome {
    let owner = with.text("owner")?;
    let name = with.optional_text("repo")?;
    if !name.is_empty() {
        unresolved(repo, &with.repository()?).map_err(worded("failed to list issue fields"))?;
    } else if !owner.eq_ignore_ascii_case(&repo.hub.repository.owner) {
        return Err(Failure::ToolError(format!(
            "failed to list issue fields: Could not resolve to an Organization with the login of '{owner}'."
        )));
    }
    written(&json!([]))
}
