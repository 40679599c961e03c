//! Endpoints for events and timelines of issues and pull requests.

use serde_json::Value;

use super::parsed_request::Request;
use super::reply::{Outcome, Reply};
use super::{nothing, ok};
use crate::api::{Call, Paged};
use crate::hub::Issue;
use crate::repository::{Event, RepositoryState};
use crate::view::Viewed;

/// Response with one page of events.
fn page(
    request: &Request<'_>,
    events: &[Event<'_>],
    view: impl Fn(&Event<'_>) -> Viewed,
) -> Outcome {
    let page = request.page();
    let shown = events.iter().page(page).map(view);
    let shown: Value = shown.collect::<Result<Vec<_>, _>>()?.into();
    Ok(Reply::json(200, shown).paged(page, events.len()))
}

/// Timeline of an issue: all of its events.
pub(super) fn timeline(repo: &RepositoryState, request: &Request<'_>, issue: &Issue) -> Outcome {
    let events = repo.timeline(issue)?;
    page(request, &events, |event| repo.timeline_event(event))
}

/// Events of an issue that have ids.
pub(super) fn of_issue(repo: &RepositoryState, request: &Request<'_>, issue: &Issue) -> Outcome {
    let events = repo.issue_events(issue)?;
    page(request, &events, |event| repo.issue_event(event, false))
}

/// Events of all issues.
pub(super) fn all(repo: &RepositoryState, request: &Request<'_>) -> Outcome {
    let events = repo.all_events()?;
    page(request, &events, |event| repo.issue_event(event, true))
}

/// Event with an id.
pub(super) fn one(repo: &RepositoryState, call: &Call, id: u64) -> Outcome {
    let events = repo.all_events()?;
    let named = |event: &&Event<'_>| event.id().is_some_and(|(_, own)| own == id);
    match events.iter().find(named) {
        Some(event) => ok(repo.issue_event(event, true)?),
        None => nothing(call),
    }
}
