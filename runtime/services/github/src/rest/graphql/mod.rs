//! GraphQL queries and mutations that clients use in addition to REST: lists of issues, drafts, pending reviews,
//! timelines, blame, and closing an issue as a duplicate.

mod closing;
mod language;
mod mutations;
mod pages;
mod people;
mod timeline;

use std::cell::Cell;

use language::{Field, parse};
use pages::{connection, window};
use serde_json::{Map, Value, json};

use super::parsed_request::Request;
use super::reply::{Outcome, Reply};
use super::{nothing, ok};
use crate::api::{ApiError, Call, ISSUE_ORDERS, IssueList};
use crate::call::{self, Reservation};
use crate::git::{Blamed, Commit, GitError, ObjectId};
use crate::hub::{Issue, Kind, Pull, Review, State, Time};
use crate::repository::{HTML, RepositoryState};

/// Error of resolving a field.
enum Failure {
    /// Error of GraphQL, which becomes an entry in `errors`.
    Query {
        kind: Option<&'static str>,
        message: String,
    },
    Api(ApiError),
}

impl From<ApiError> for Failure {
    fn from(error: ApiError) -> Self {
        Self::Api(error)
    }
}

type Resolved = Result<Value, Failure>;

fn query_error(message: impl Into<String>) -> Failure {
    Failure::Query {
        kind: None,
        message: message.into(),
    }
}

fn not_found(message: String) -> Failure {
    Failure::Query {
        kind: Some("NOT_FOUND"),
        message,
    }
}

pub(super) fn route(repo: &mut RepositoryState, request: &Request<'_>, call: &Call) -> Outcome {
    if request.method != "POST" {
        return nothing(call);
    }
    let body = request.body(call)?;
    let Some(query) = body["query"].as_str() else {
        return Err(call.refuse(
            400,
            "A query attribute must be specified and must be a string.",
        ));
    };
    let fields = match parse(query, &body["variables"]) {
        Ok(fields) => fields,
        Err(problem) => return ok(json!({"errors": [{"message": problem}]})),
    };
    let mut data = Map::new();
    let mut errors = Vec::new();
    HELD.set(call::reserve(0).map_err(GitError::from)?);
    for field in &fields {
        call::checkpoint().map_err(GitError::from)?;
        let value = match root(repo, field) {
            Ok(value) => value,
            Err(Failure::Api(error @ ApiError::Git(_))) => return Err(error),
            Err(Failure::Api(ApiError::Refused(refusal))) => {
                errors.push(json!({"path": [field.alias], "message": refusal.message}));
                Value::Null
            }
            Err(Failure::Query { kind, message }) => {
                let mut error = json!({"path": [field.alias], "message": message});
                if let Some(kind) = kind {
                    error["type"] = kind.into();
                }
                errors.push(error);
                Value::Null
            }
        };
        data.insert(field.alias.clone(), value);
    }
    drop(HELD.take());
    let mut answer = json!({"data": data});
    if !errors.is_empty() {
        answer["errors"] = errors.into();
    }
    Ok(Reply::json(200, answer))
}

fn root(repo: &mut RepositoryState, field: &Field) -> Resolved {
    match field.name.as_str() {
        "viewer" => {
            let viewer = repo.viewer();
            select(&actor(&viewer), &field.selection, "User")
        }
        "repository" => repository(repo, field),
        "user" => people::user(repo, field),
        "organization" => people::organization(repo, field),
        _ => mutations::run(repo, field),
    }
}

fn text<'a>(arguments: &'a Map<String, Value>, name: &str) -> &'a str {
    arguments
        .get(name)
        .and_then(Value::as_str)
        .unwrap_or_default()
}

/// Resolves the selected fields of an object with a function. `kind` is the type of the object.
fn object(kind: &str, selection: &[Field], mut value: impl FnMut(&Field) -> Resolved) -> Resolved {
    let mut view = Map::new();
    let wanted = |field: &&Field| field.on.as_deref().is_none_or(|on| on == kind);
    for field in selection.iter().filter(wanted) {
        view.insert(field.alias.clone(), value(field)?);
    }
    Ok(view.into())
}

/// Resolves the selected fields of a value, or of each entry of a list.
fn select(value: &Value, selection: &[Field], kind: &str) -> Resolved {
    if selection.is_empty() || value.is_null() {
        take_room(value)?;
        return Ok(value.clone());
    }
    if let Value::Array(entries) = value {
        let entries: Result<Vec<Value>, Failure> = entries
            .iter()
            .map(|entry| select(entry, selection, kind))
            .collect();
        return Ok(entries?.into());
    }
    let kind = value["__typename"].as_str().unwrap_or(kind);
    object(kind, selection, |field| own(value, field, kind))
}

/// Reserves memory of the call for a part of the response, because a small query can request all texts many times.
fn take_room(value: &Value) -> Result<(), Failure> {
    let mut held = HELD.take();
    let taken = held.grow(language::size(value) as u64);
    HELD.set(held);
    taken.map_err(|error| Failure::Api(GitError::from(error).into()))
}

thread_local! {
    /// Memory reserved for the response that is being built.
    static HELD: Cell<Reservation> = Cell::default();
}

/// Resolves a field that the value contains.
fn own(view: &Value, field: &Field, kind: &str) -> Resolved {
    match view.get(&field.name) {
        Some(value) => select(value, &field.selection, &field.name),
        None => Err(no_field(&field.name, kind)),
    }
}

fn no_field(name: &str, kind: &str) -> Failure {
    query_error(format!("Field '{name}' doesn't exist on type '{kind}'"))
}

fn actor(login: &str) -> Value {
    let id = Kind::User.of_name(login);
    json!({"login": login, "id": Kind::User.node_id(id), "databaseId": id, "__typename": "User"})
}

fn repository(repo: &RepositoryState, field: &Field) -> Resolved {
    let (owner, name) = (
        text(&field.arguments, "owner"),
        text(&field.arguments, "name"),
    );
    if !repo.hub.is_repository(owner, name) {
        return Err(not_found(format!(
            "Could not resolve to a Repository with the name '{owner}/{name}'."
        )));
    }
    object("Repository", &field.selection, |field| {
        let asked = field.arguments.get("number").and_then(Value::as_i64);
        let asked = asked.unwrap_or(0);
        let number = u64::try_from(asked).unwrap_or(0);
        match field.name.as_str() {
            "id" => Ok(repo.repository()["node_id"].clone()),
            "name" => Ok(repo.hub.repository.name.as_str().into()),
            "nameWithOwner" => Ok(repo.full_name().into()),
            "defaultBranchRef" => {
                let name = json!({"name": repo.hub.repository.default_branch});
                select(&name, &field.selection, "Ref")
            }
            "object" => commit(repo, field),
            // Clients look here for bots such as Copilot, but only users can be assigned in a world.
            "suggestedActors" => {
                let page = json!({"hasNextPage": false, "endCursor": null});
                let none = json!({"nodes": [], "pageInfo": page, "totalCount": 0});
                select(&none, &field.selection, "ActorConnection")
            }
            "isPrivate" => Ok(repo.hub.repository.private.into()),
            "issues" => issues(repo, field),
            "issue" => match repo.hub.issues.get(&number) {
                Some(found) if found.pull.is_none() => issue(repo, found, &field.selection),
                _ => Err(not_found(format!(
                    "Could not resolve to an Issue with the number of {asked}."
                ))),
            },
            "pullRequest" => match repo.hub.pull(number) {
                Some((issue, found)) => pull(repo, issue, found, &field.selection),
                None => Err(not_found(format!(
                    "Could not resolve to a PullRequest with the number of {asked}."
                ))),
            },
            name => Err(no_field(name, "Repository")),
        }
    })
}

/// Resolves the commit of an expression. Null if it does not exist.
fn commit(repo: &RepositoryState, field: &Field) -> Resolved {
    let name = match text(&field.arguments, "expression") {
        "HEAD" => repo.hub.repository.default_branch.as_str(),
        name => name,
    };
    let id = repo.git.resolve(name).map_err(ApiError::from)?;
    let Some(id) = id else {
        return Ok(Value::Null);
    };
    let view = commit_view(repo, &repo.git.commit(id).map_err(ApiError::from)?);
    object("Commit", &field.selection, |field| {
        match field.name.as_str() {
            "blame" => blame(repo, id, field),
            _ => own(&view, field, "Commit"),
        }
    })
}

/// Commit without its changes.
fn commit_view(repo: &RepositoryState, commit: &Commit) -> Value {
    let user = repo.hub.user_of_email(&commit.author.email);
    let oid = commit.id.to_string();
    json!({
        "__typename": "Commit",
        "oid": oid,
        "abbreviatedOid": &oid[..7],
        "message": commit.message,
        "messageHeadline": commit.title(),
        "committedDate": Time(commit.committer.seconds),
        "url": repo.html(&format!("/commit/{oid}")),
        "author": {
            "name": commit.author.name,
            "email": commit.author.email,
            "user": user.map(|user| {
                json!({"login": user.login, "url": format!("{HTML}/{}", user.login)})
            }),
        },
    })
}

/// Resolves the blame of a file.
fn blame(repo: &RepositoryState, id: ObjectId, field: &Field) -> Resolved {
    let path = text(&field.arguments, "path");
    let tree = repo.git.tree_of(id).map_err(ApiError::from)?;
    let entry = match path {
        "" => None,
        path => repo.git.entry(tree, path).map_err(ApiError::from)?,
    };
    if entry.is_none_or(|entry| entry.kind.object() != "blob") {
        return Err(not_found(format!(
            "Could not resolve to a file at {path:?}."
        )));
    }
    let blamed = repo.git.blame(id, path).map_err(ApiError::from)?;
    let mut ranges = Vec::new();
    for it in &blamed {
        ranges.push((it, repo.git.commit(it.commit).map_err(ApiError::from)?));
    }
    // Times are unbounded, so their differences need more than 64 bits.
    let times = || {
        let all = ranges.iter();
        all.map(|(_, commit)| i128::from(commit.committer.seconds))
    };
    let (oldest, newest) = (times().min().unwrap_or(0), times().max().unwrap_or(0));
    let view = |(it, commit): &(&Blamed, Commit)| {
        // 1 is the newest, 10 the oldest.
        let since = newest - i128::from(commit.committer.seconds);
        let age = 9 * since / (newest - oldest).max(1);
        json!({
            "startingLine": it.first,
            "endingLine": it.last,
            "age": i64::try_from(1 + age).unwrap_or(10),
            "commit": commit_view(repo, commit),
        })
    };
    let all = json!({"ranges": ranges.iter().map(view).collect::<Vec<Value>>()});
    select(&all, &field.selection, "Blame")
}

fn issue(repo: &RepositoryState, issue: &Issue, selection: &[Field]) -> Resolved {
    let view = issue_view(repo, issue);
    object("Issue", selection, |field| match field.name.as_str() {
        "timelineItems" => timeline::items(repo, issue, field),
        "closedByPullRequestsReferences" => closing::pulls(repo, issue, field),
        _ => own(&view, field, "Issue"),
    })
}

/// Issue without the fields that have arguments.
fn issue_view(repo: &RepositoryState, issue: &Issue) -> Value {
    let id = Kind::Issue.id(issue.number);
    let label = |name: &String| {
        let label = repo.label(name);
        json!({
            "id": label["node_id"],
            "name": label["name"],
            "description": label["description"],
            "color": label["color"],
        })
    };
    let people: Vec<Value> = issue.assignees.iter().map(|login| actor(login)).collect();
    json!({
        "__typename": "Issue",
        "id": Kind::Issue.node_id(id),
        "databaseId": id,
        "number": issue.number,
        "title": issue.title,
        "body": issue.body.as_deref().unwrap_or_default(),
        "state": issue.state.as_str().to_uppercase(),
        "stateReason": issue.state_reason.as_deref().map(str::to_uppercase),
        "url": repo.html(&format!("/issues/{}", issue.number)),
        "author": actor(&issue.user),
        "createdAt": issue.created_at,
        "updatedAt": issue.updated_at,
        "closedAt": issue.closed_at,
        "labels": {
            "nodes": issue.labels.iter().map(label).collect::<Vec<Value>>(),
            "totalCount": issue.labels.len(),
        },
        "assignees": {"nodes": people, "totalCount": people.len()},
        "comments": {"totalCount": issue.comments.len()},
    })
}

fn pull(repo: &RepositoryState, issue: &Issue, pull: &Pull, selection: &[Field]) -> Resolved {
    let view = pull_view(repo, issue, pull);
    object("PullRequest", selection, |field| {
        match field.name.as_str() {
            "reviews" => reviews(repo, issue, pull, field),
            "timelineItems" => timeline::items(repo, issue, field),
            "closingIssuesReferences" => closing::issues(repo, issue, field),
            _ => own(&view, field, "PullRequest"),
        }
    })
}

/// Pull request without the fields that have arguments.
fn pull_view(repo: &RepositoryState, issue: &Issue, pull: &Pull) -> Value {
    let mut view = issue_view(repo, issue);
    let id = Kind::Pull.id(issue.number);
    view["__typename"] = "PullRequest".into();
    view["id"] = Kind::Pull.node_id(id).into();
    view["databaseId"] = id.into();
    view["url"] = repo.html(&format!("/pull/{}", issue.number)).into();
    view["isDraft"] = pull.draft.into();
    view["merged"] = pull.merged_at.is_some().into();
    view["mergedAt"] = json!(pull.merged_at);
    view["headRefName"] = pull.head.as_str().into();
    view["headRefOid"] = pull.head_sha.as_str().into();
    view["baseRefName"] = pull.base.as_str().into();
    view["baseRefOid"] = pull.base_sha.as_str().into();
    view
}

/// Resolves the reviews of one author, or all. Pending reviews of others are hidden.
fn reviews(repo: &RepositoryState, issue: &Issue, pull: &Pull, field: &Field) -> Resolved {
    let author = text(&field.arguments, "author");
    let first = field.arguments.get("first").and_then(Value::as_u64);
    let first = first.and_then(|it| usize::try_from(it).ok()).unwrap_or(100);
    let viewer = &repo.hub.repository.viewer;
    let mut found: Vec<&Review> = pull
        .reviews
        .iter()
        .filter(|it| author.is_empty() || it.user.eq_ignore_ascii_case(author))
        .filter(|it| it.submitted_at.is_some() || it.user == *viewer)
        .collect();
    // GitHub lists the viewer's pending review first, and clients that take only the first review rely on that.
    found.sort_by_key(|it| it.submitted_at.is_some());
    let nodes: Vec<Value> = found
        .iter()
        .take(first)
        .map(|it| review(repo, issue, it))
        .collect();
    let all = json!({"nodes": nodes, "totalCount": found.len()});
    select(&all, &field.selection, "PullRequestReviewConnection")
}

fn review(repo: &RepositoryState, issue: &Issue, review: &Review) -> Value {
    let view = repo.review(issue, review);
    json!({
        "__typename": "PullRequestReview",
        "id": view["node_id"],
        "databaseId": view["id"],
        "state": view["state"],
        "url": view["html_url"],
        "body": review.body,
        "author": actor(&review.user),
        "submittedAt": review.submitted_at,
    })
}

/// Resolves a page of issues.
fn issues(repo: &RepositoryState, field: &Field) -> Resolved {
    let arguments = &field.arguments;
    let mut states = Vec::new();
    let given = arguments.get("states").and_then(Value::as_array);
    for (place, state) in given.into_iter().flatten().enumerate() {
        states.push(match state.as_str() {
            Some("OPEN") => State::Open,
            Some("CLOSED") => State::Closed,
            _ => {
                return Err(query_error(format!(
                    "Variable $states of type [IssueState!] was provided invalid value for {place} (Expected \
                     {state} to be one of: OPEN, CLOSED)"
                )));
            }
        });
    }
    let labels = arguments.get("labels").and_then(Value::as_array);
    let labels = labels.into_iter().flatten();
    let order = arguments.get("orderBy").unwrap_or(&Value::Null);
    for (key, kind, words) in [
        ("field", "IssueOrderField", &ISSUE_ORDERS[..]),
        ("direction", "OrderDirection", &["ASC", "DESC"]),
    ] {
        let given = order[key].as_str();
        if given.is_some_and(|given| !words.contains(&given)) {
            let name = if key == "field" { "orderBy" } else { key };
            return Err(query_error(format!(
                "Variable ${name} of type {kind}! was provided invalid value"
            )));
        }
    }
    let since = arguments.get("filterBy").map(|it| &it["since"]);
    let list = IssueList {
        with_pulls: false,
        state: match states.as_slice() {
            [only] => Some(*only),
            _ => None,
        },
        labels: labels
            .filter_map(|it| it.as_str().map(str::to_owned))
            .collect(),
        since: since.and_then(Value::as_str).and_then(Time::parse),
        order: order["field"].as_str().unwrap_or_default().to_owned(),
        ascending: order["direction"] != "DESC",
    };
    let all = repo.list_issues(&list);
    let page = window(arguments, "issues", all.len())?;
    let nodes = all[page.clone()].iter().map(|it| issue_view(repo, it));
    let view = connection(&page, all.len(), nodes.collect());
    select(&view, &field.selection, "IssueConnection")
}
