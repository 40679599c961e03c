//! GraphQL connections between pull requests and the issues that they close.

use serde_json::{Value, json};

use super::language::Field;
use super::pages::{connection, window};
use super::{Resolved, issue_view, pull_view, select};
use crate::hub::{Issue, Kind, Pull, State, closes};
use crate::repository::RepositoryState;

/// Returns true if the merge of a pull request closes an issue or another pull request.
pub(super) fn will_close(repo: &RepositoryState, source: &Issue, target: &Issue) -> bool {
    into_default(repo, source) && repo.closes(source, target)
}

fn into_default(repo: &RepositoryState, issue: &Issue) -> bool {
    let pull = issue.pull.as_deref();
    pull.is_some_and(|pull| pull.base == repo.hub.repository.default_branch)
}

/// Resolves a page of the issues that a pull request closes.
pub(super) fn issues(repo: &RepositoryState, pull: &Issue, field: &Field) -> Resolved {
    let (repository, text) = (&repo.hub.repository, pull.body.as_deref());
    let mut numbers = closes(
        text.unwrap_or_default(),
        &repository.owner,
        &repository.name,
    );
    numbers.sort_unstable();
    let all = numbers
        .iter()
        .filter_map(|number| repo.hub.issues.get(number));
    let all = all.filter(|it| it.pull.is_none() && into_default(repo, pull));
    let found: Vec<&Issue> = all.collect();
    let page = window(&field.arguments, &field.name, found.len())?;
    let nodes = found[page.clone()].iter();
    let nodes = nodes.map(|issue| with_repository(repo, issue_view(repo, issue)));
    let view = connection(&page, found.len(), nodes.collect());
    select(&view, &field.selection, "IssueConnection")
}

/// Resolves a page of the pull requests that close an issue. Closed ones are included only on request.
pub(super) fn pulls(repo: &RepositoryState, issue: &Issue, field: &Field) -> Resolved {
    let with_closed = field.arguments.get("includeClosedPrs") == Some(&Value::Bool(true));
    let all = repo.hub.pulls();
    let all = all.filter(|(by, _)| with_closed || by.state == State::Open);
    // Searching for the digits is much faster than parsing the text.
    let digits = issue.number.to_string();
    let named = |by: &Issue| {
        by.body
            .as_deref()
            .is_some_and(|text| text.contains(&digits))
    };
    let all = all.filter(|(by, _)| named(by) && will_close(repo, by, issue));
    let found: Vec<(&Issue, &Pull)> = all.collect();
    let page = window(&field.arguments, &field.name, found.len())?;
    let nodes = found[page.clone()].iter();
    let nodes = nodes.map(|(by, pull)| with_repository(repo, pull_view(repo, by, pull)));
    let view = connection(&page, found.len(), nodes.collect());
    select(&view, &field.selection, "PullRequestConnection")
}

fn with_repository(repo: &RepositoryState, mut view: Value) -> Value {
    let owner = repo.hub.repository.owner.as_str();
    view["repository"] = json!({
        "id": repo.repository()["node_id"],
        "name": repo.hub.repository.name,
        "nameWithOwner": repo.full_name(),
        "owner": {"login": owner, "id": Kind::User.node_id(Kind::User.of_name(owner))},
    });
    view
}
