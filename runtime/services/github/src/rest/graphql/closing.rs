//! Which pull requests close which issues.

use serde_json::{Value, json};

use super::language::Field;
use super::pages::{connection, window};
use super::{Resolved, issue_view, pull_view, select};
use crate::hub::{Issue, Kind, Pull, State, closes};
use crate::view::Site;

/// Whether a pull request closes another, or an issue, when it is merged.
pub(super) fn will_close(site: &Site, source: &Issue, target: &Issue) -> bool {
    into_default(site, source) && site.closes(source, target)
}

fn into_default(site: &Site, issue: &Issue) -> bool {
    let pull = issue.pull.as_deref();
    pull.is_some_and(|pull| pull.base == site.hub.repository.default_branch)
}

/// A page of the issues that a pull request closes.
pub(super) fn issues(site: &Site, pull: &Issue, field: &Field) -> Resolved {
    let (repository, text) = (&site.hub.repository, pull.body.as_deref());
    let mut numbers = closes(
        text.unwrap_or_default(),
        &repository.owner,
        &repository.name,
    );
    numbers.sort_unstable();
    let all = numbers
        .iter()
        .filter_map(|number| site.hub.issues.get(number));
    let all = all.filter(|it| it.pull.is_none() && into_default(site, pull));
    let found: Vec<&Issue> = all.collect();
    let page = window(&field.arguments, &field.name, found.len())?;
    let nodes = found[page.clone()].iter();
    let nodes = nodes.map(|issue| with_repository(site, issue_view(site, issue)));
    let view = connection(&page, found.len(), nodes.collect());
    select(&view, &field.selection, "IssueConnection")
}

/// A page of the pull requests that close an issue: open ones, unless others are asked for, too.
pub(super) fn pulls(site: &Site, issue: &Issue, field: &Field) -> Resolved {
    let with_closed = field.arguments.get("includeClosedPrs") == Some(&Value::Bool(true));
    let all = site.hub.pulls();
    let all = all.filter(|(by, _)| with_closed || by.state == State::Open);
    // To look for the digits is much faster than to read a text.
    let digits = issue.number.to_string();
    let named = |by: &Issue| {
        by.body
            .as_deref()
            .is_some_and(|text| text.contains(&digits))
    };
    let all = all.filter(|(by, _)| named(by) && will_close(site, by, issue));
    let found: Vec<(&Issue, &Pull)> = all.collect();
    let page = window(&field.arguments, &field.name, found.len())?;
    let nodes = found[page.clone()].iter();
    let nodes = nodes.map(|(by, pull)| with_repository(site, pull_view(site, by, pull)));
    let view = connection(&page, found.len(), nodes.collect());
    select(&view, &field.selection, "PullRequestConnection")
}

fn with_repository(site: &Site, mut view: Value) -> Value {
    let owner = site.hub.repository.owner.as_str();
    view["repository"] = json!({
        "id": site.repository()["node_id"],
        "name": site.hub.repository.name,
        "nameWithOwner": site.full_name(),
        "owner": {"login": owner, "id": Kind::User.node_id(Kind::User.of_name(owner))},
    });
    view
}
