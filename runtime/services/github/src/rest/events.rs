//! What happened to issues and pull requests.

use serde_json::Value;

use super::asked::Asked;
use super::reply::{Outcome, Reply};
use super::{nothing, ok};
use crate::api::{Call, Event, Paged};
use crate::hub::Issue;
use crate::view::{Site, Viewed};

/// One page of some events.
fn page(asked: &Asked<'_>, events: &[Event<'_>], view: impl Fn(&Event<'_>) -> Viewed) -> Outcome {
    let page = asked.page();
    let shown = events.iter().page(page).map(view);
    let shown: Value = shown.collect::<Result<Vec<_>, _>>()?.into();
    Ok(Reply::json(200, shown).paged(page, events.len()))
}

/// All that happened to an issue.
pub(super) fn timeline(site: &Site, asked: &Asked<'_>, issue: &Issue) -> Outcome {
    let events = site.timeline(issue)?;
    page(asked, &events, |event| site.timeline_event(event))
}

/// The events of an issue that have ids.
pub(super) fn of_issue(site: &Site, asked: &Asked<'_>, issue: &Issue) -> Outcome {
    let events = site.issue_events(issue)?;
    page(asked, &events, |event| site.issue_event(event, false))
}

/// Those of all issues.
pub(super) fn all(site: &Site, asked: &Asked<'_>) -> Outcome {
    let events = site.all_events()?;
    page(asked, &events, |event| site.issue_event(event, true))
}

/// One of them, by its id.
pub(super) fn one(site: &Site, call: &Call, id: u64) -> Outcome {
    let events = site.all_events()?;
    let named = |event: &&Event<'_>| event.id().is_some_and(|(_, own)| own == id);
    match events.iter().find(named) {
        Some(event) => ok(site.issue_event(event, true)?),
        None => nothing(call),
    }
}
