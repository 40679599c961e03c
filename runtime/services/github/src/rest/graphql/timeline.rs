//! GraphQL timelines of issues and pull requests.

use serde_json::{Value, json};

use super::closing::will_close;
use super::language::Field;
use super::pages::{connection, window};
use super::{
    Failure, Resolved, actor, commit_view, issue_view, pull_view, query_error, review, select, text,
};
use crate::api::ApiError;
use crate::git::ObjectId;
use crate::hub::{Issue, Kind, Time};
use crate::repository::{ClosedBy, Event, EventKind, RepositoryState};

/// Item type and type name of an event. GraphQL has none for review comments without a review.
fn kind(what: &EventKind<'_>) -> Option<(&'static str, &'static str)> {
    Some(match what {
        EventKind::Committed(_) => ("PULL_REQUEST_COMMIT", "PullRequestCommit"),
        EventKind::Commented(_) => ("ISSUE_COMMENT", "IssueComment"),
        EventKind::Reviewed(_) => ("PULL_REQUEST_REVIEW", "PullRequestReview"),
        EventKind::LineCommented(_) => return None,
        EventKind::CrossReferenced { .. } => ("CROSS_REFERENCED_EVENT", "CrossReferencedEvent"),
        EventKind::Referenced(_) => ("REFERENCED_EVENT", "ReferencedEvent"),
        EventKind::Merged(_) => ("MERGED_EVENT", "MergedEvent"),
        EventKind::Closed(_) => ("CLOSED_EVENT", "ClosedEvent"),
    })
}

/// Returns true if a name can be an item type of GraphQL. Types that worlds do not store are valid, but never match.
fn is_item_type(name: &str) -> bool {
    let others = [
        "ISSUE_COMMENT",
        "PULL_REQUEST_COMMIT",
        "PULL_REQUEST_COMMIT_COMMENT_THREAD",
        "PULL_REQUEST_REVIEW",
        "PULL_REQUEST_REVIEW_THREAD",
        "PULL_REQUEST_REVISION_MARKER",
    ];
    name.ends_with("_EVENT") || others.contains(&name)
}

/// Resolves a page of a timeline.
pub(super) fn items(repo: &RepositoryState, issue: &Issue, field: &Field) -> Resolved {
    let arguments = &field.arguments;
    let wanted = item_types(field)?;
    let since = Time::parse(text(arguments, "since"));
    let skipped = arguments.get("skip").and_then(Value::as_u64).unwrap_or(0);
    let all = repo.timeline(issue).map_err(ApiError::from)?;
    let shown: Vec<&Event<'_>> = all
        .iter()
        .filter(|event| {
            let kind = kind(&event.what).map(|(name, _)| name);
            kind.is_some_and(|kind| wanted.as_ref().is_none_or(|wanted| wanted.contains(&kind)))
        })
        .filter(|event| since.is_none_or(|since| event.at >= since))
        .skip(usize::try_from(skipped).unwrap_or(usize::MAX))
        .collect();
    let page = window(arguments, &field.name, shown.len())?;
    let mut nodes = Vec::new();
    for event in &shown[page.clone()] {
        nodes.push(node(repo, event)?);
    }
    let mut view = connection(&page, shown.len(), nodes);
    view["filteredCount"] = shown.len().into();
    view["pageCount"] = page.len().into();
    view["updatedAt"] = json!(issue.updated_at);
    select(&view, &field.selection, "TimelineItemsConnection")
}

/// Reads the requested item types. `None` for all.
fn item_types(field: &Field) -> Result<Option<Vec<&str>>, Failure> {
    let given = match field.arguments.get("itemTypes") {
        None | Some(Value::Null) => return Ok(None),
        // A single value is accepted in place of a list.
        Some(Value::Array(list)) => list.iter().collect(),
        Some(one) => vec![one],
    };
    let named = |value: &&Value| value.as_str().is_some_and(is_item_type);
    match given.iter().find(|value| !named(value)) {
        Some(other) => Err(query_error(format!(
            "Argument 'itemTypes' on Field '{}' has an invalid value ({other}).",
            field.name
        ))),
        None if given.is_empty() => Ok(None),
        None => Ok(Some(given.iter().filter_map(|it| it.as_str()).collect())),
    }
}

/// Issue or pull request within another object.
fn subject(repo: &RepositoryState, issue: &Issue) -> Value {
    match &issue.pull {
        Some(pull) => pull_view(repo, issue, pull),
        None => issue_view(repo, issue),
    }
}

fn commit(repo: &RepositoryState, id: ObjectId) -> Resolved {
    let commit = repo.git.commit(id).map_err(ApiError::from)?;
    Ok(commit_view(repo, &commit))
}

fn node(repo: &RepositoryState, event: &Event<'_>) -> Resolved {
    let issue = event.issue;
    let number = issue.number;
    let by = repo.actor(event).map_err(ApiError::from)?;
    let by = match by.as_str() {
        "" => Value::Null,
        by => actor(by),
    };
    let path = match issue.pull {
        Some(_) => format!("/pull/{number}"),
        None => format!("/issues/{number}"),
    };
    let mut view = match &event.what {
        EventKind::Committed(commit) => {
            let name = format!("{number} {}", commit.id);
            json!({
                "id": Kind::PullCommit.node_id(Kind::PullCommit.of_name(&name)),
                "commit": commit_view(repo, commit),
                "pullRequest": subject(repo, issue),
                "url": repo.html(&format!("{path}/commits/{}", commit.id)),
            })
        }
        EventKind::Commented(comment) => {
            let view = repo.comment(issue, comment);
            json!({
                "id": view["node_id"],
                "databaseId": view["id"],
                "author": by,
                "authorAssociation": view["author_association"],
                "body": comment.body,
                "createdAt": comment.created_at,
                "updatedAt": comment.updated_at,
                "url": view["html_url"],
                "issue": subject(repo, issue),
            })
        }
        EventKind::Reviewed(it) => review(repo, issue, it),
        EventKind::CrossReferenced { source, .. } => {
            let name = format!("{number} {}", source.number);
            json!({
                "id": Kind::CrossReference.node_id(Kind::CrossReference.of_name(&name)),
                "actor": by,
                "createdAt": event.at,
                "referencedAt": event.at,
                "isCrossRepository": false,
                "source": subject(repo, source),
                "target": subject(repo, issue),
                "willCloseTarget": will_close(repo, source, issue),
            })
        }
        EventKind::Referenced(id) => json!({
            "actor": by,
            "createdAt": event.at,
            "commit": commit(repo, *id)?,
            "commitRepository": {"nameWithOwner": repo.full_name()},
            "isCrossRepository": false,
            "isDirectReference": true,
            "subject": subject(repo, issue),
        }),
        EventKind::Merged(pull) => {
            // A document can name a commit that does not exist in the repository.
            let merge = pull.merge_commit_sha.as_deref().unwrap_or_default();
            let merge = repo.git.by_id(merge).map_err(ApiError::from)?;
            json!({
                "actor": by,
                "createdAt": event.at,
                "commit": merge.map(|id| commit(repo, id)).transpose()?,
                "mergeRefName": pull.base,
                "pullRequest": subject(repo, issue),
                "url": repo.html(&path),
            })
        }
        EventKind::Closed(closer) => {
            let closer = match closer {
                Some(ClosedBy::Commit(id)) => commit(repo, *id)?,
                Some(ClosedBy::Pull(number)) => {
                    let by = repo.hub.issues.get(number);
                    by.map_or(Value::Null, |by| subject(repo, by))
                }
                None => Value::Null,
            };
            json!({
                "actor": by,
                "createdAt": event.at,
                "closable": subject(repo, issue),
                "closer": closer,
                "stateReason": issue.state_reason.as_deref().map(str::to_uppercase),
                "url": repo.html(&path),
            })
        }
        EventKind::LineCommented(_) => Value::Null,
    };
    if let Some((kind, id)) = event.id() {
        view["id"] = kind.node_id(id).into();
    }
    if let Some((_, name)) = kind(&event.what) {
        view["__typename"] = name.into();
    }
    Ok(view)
}
