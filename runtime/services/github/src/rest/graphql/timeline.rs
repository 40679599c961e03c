//! What happened to an issue or a pull request.

use serde_json::{Value, json};

use super::closing::will_close;
use super::language::Field;
use super::pages::{connection, window};
use super::{
    Failure, Resolved, actor, commit_view, issue_view, pull_view, review, said, select, text,
};
use crate::api::{ApiError, Closer, Event, What};
use crate::git::ObjectId;
use crate::hub::{Issue, Kind, Time};
use crate::view::Site;

/// The types of what is shown, each with its name among the types of items; GraphQL has none for a thread on lines
/// that belongs to no review.
fn kind(what: &What<'_>) -> Option<(&'static str, &'static str)> {
    Some(match what {
        What::Committed(_) => ("PULL_REQUEST_COMMIT", "PullRequestCommit"),
        What::Commented(_) => ("ISSUE_COMMENT", "IssueComment"),
        What::Reviewed(_) => ("PULL_REQUEST_REVIEW", "PullRequestReview"),
        What::LineCommented(_) => return None,
        What::CrossReferenced { .. } => ("CROSS_REFERENCED_EVENT", "CrossReferencedEvent"),
        What::Referenced(_) => ("REFERENCED_EVENT", "ReferencedEvent"),
        What::Merged(_) => ("MERGED_EVENT", "MergedEvent"),
        What::Closed(_) => ("CLOSED_EVENT", "ClosedEvent"),
    })
}

/// Whether GraphQL may know such a type of items; those that a state does not keep are asked for in vain.
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

/// A page of what happened.
pub(super) fn items(site: &Site, issue: &Issue, field: &Field) -> Resolved {
    let arguments = &field.arguments;
    let wanted = item_types(field)?;
    let since = Time::parse(text(arguments, "since"));
    let skipped = arguments.get("skip").and_then(Value::as_u64).unwrap_or(0);
    let all = site.timeline(issue).map_err(ApiError::from)?;
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
        nodes.push(node(site, event)?);
    }
    let mut view = connection(&page, shown.len(), nodes);
    view["filteredCount"] = shown.len().into();
    view["pageCount"] = page.len().into();
    view["updatedAt"] = json!(issue.updated_at);
    select(&view, &field.selection, "TimelineItemsConnection")
}

/// The types of items that are asked for; all where none is named.
fn item_types(field: &Field) -> Result<Option<Vec<&str>>, Failure> {
    let given = match field.arguments.get("itemTypes") {
        None | Some(Value::Null) => return Ok(None),
        // One value stands for a list of one.
        Some(Value::Array(list)) => list.iter().collect(),
        Some(one) => vec![one],
    };
    let named = |value: &&Value| value.as_str().is_some_and(is_item_type);
    match given.iter().find(|value| !named(value)) {
        Some(other) => Err(said(format!(
            "Argument 'itemTypes' on Field '{}' has an invalid value ({other}).",
            field.name
        ))),
        None if given.is_empty() => Ok(None),
        None => Ok(Some(given.iter().filter_map(|it| it.as_str()).collect())),
    }
}

/// An issue or a pull request as part of something else.
fn subject(site: &Site, issue: &Issue) -> Value {
    match &issue.pull {
        Some(pull) => pull_view(site, issue, pull),
        None => issue_view(site, issue),
    }
}

fn commit(site: &Site, id: ObjectId) -> Resolved {
    let commit = site.git.commit(id).map_err(ApiError::from)?;
    Ok(commit_view(site, &commit))
}

fn node(site: &Site, event: &Event<'_>) -> Resolved {
    let issue = event.issue;
    let number = issue.number;
    let by = site.actor(event).map_err(ApiError::from)?;
    let by = match by.as_str() {
        "" => Value::Null,
        by => actor(by),
    };
    let path = match issue.pull {
        Some(_) => format!("/pull/{number}"),
        None => format!("/issues/{number}"),
    };
    let mut view = match &event.what {
        What::Committed(commit) => {
            let name = format!("{number} {}", commit.id);
            json!({
                "id": Kind::PullCommit.node_id(Kind::PullCommit.of_name(&name)),
                "commit": commit_view(site, commit),
                "pullRequest": subject(site, issue),
                "url": site.html(&format!("{path}/commits/{}", commit.id)),
            })
        }
        What::Commented(comment) => {
            let view = site.comment(issue, comment);
            json!({
                "id": view["node_id"],
                "databaseId": view["id"],
                "author": by,
                "authorAssociation": view["author_association"],
                "body": comment.body,
                "createdAt": comment.created_at,
                "updatedAt": comment.updated_at,
                "url": view["html_url"],
                "issue": subject(site, issue),
            })
        }
        What::Reviewed(it) => review(site, issue, it),
        What::CrossReferenced { source, .. } => {
            let name = format!("{number} {}", source.number);
            json!({
                "id": Kind::CrossReference.node_id(Kind::CrossReference.of_name(&name)),
                "actor": by,
                "createdAt": event.at,
                "referencedAt": event.at,
                "isCrossRepository": false,
                "source": subject(site, source),
                "target": subject(site, issue),
                "willCloseTarget": will_close(site, source, issue),
            })
        }
        What::Referenced(id) => json!({
            "actor": by,
            "createdAt": event.at,
            "commit": commit(site, *id)?,
            "commitRepository": {"nameWithOwner": site.full_name()},
            "isCrossRepository": false,
            "isDirectReference": true,
            "subject": subject(site, issue),
        }),
        What::Merged(pull) => {
            // A document may name a commit that the repository has not.
            let merge = pull.merge_commit_sha.as_deref().unwrap_or_default();
            let merge = site.git.by_id(merge).map_err(ApiError::from)?;
            json!({
                "actor": by,
                "createdAt": event.at,
                "commit": merge.map(|id| commit(site, id)).transpose()?,
                "mergeRefName": pull.base,
                "pullRequest": subject(site, issue),
                "url": site.html(&path),
            })
        }
        What::Closed(closer) => {
            let closer = match closer {
                Some(Closer::Commit(id)) => commit(site, *id)?,
                Some(Closer::Pull(number)) => {
                    let by = site.hub.issues.get(number);
                    by.map_or(Value::Null, |by| subject(site, by))
                }
                None => Value::Null,
            };
            json!({
                "actor": by,
                "createdAt": event.at,
                "closable": subject(site, issue),
                "closer": closer,
                "stateReason": issue.state_reason.as_deref().map(str::to_uppercase),
                "url": site.html(&path),
            })
        }
        What::LineCommented(_) => Value::Null,
    };
    if let Some((kind, id)) = event.id() {
        view["id"] = kind.node_id(id).into();
    }
    if let Some((_, name)) = kind(&event.what) {
        view["__typename"] = name.into();
    }
    Ok(view)
}
