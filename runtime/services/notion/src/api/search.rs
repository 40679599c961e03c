//! Search by title.

use std::cmp::Reverse;

use mcpmark_service::checkpoint;

use super::Call;
use super::paging::Paging;
use crate::model::{Id, Kind, Node, Workspace};
use crate::refusal::Outcome;
use crate::view;

/// `POST /v1/search`. Titles that contain the query are found, in any case (documentation: by title; how words are
/// matched is chosen). Most recently edited results come first, and among equal times those that come first in the
/// workspace.
pub(super) fn search(workspace: &Workspace, call: &Call<'_>) -> Outcome {
    let body = &call.body;
    body.only(&["query", "sort", "filter", "start_cursor", "page_size"])?;
    let query = body
        .get("query")
        .opt_string()?
        .unwrap_or_default()
        .to_lowercase();
    let mut is_ascending = false;
    if let Some(sort) = body.get("sort").present() {
        sort.only(&["direction", "timestamp"])?;
        if let Some(direction) = sort.get("direction").present() {
            let directions = ["ascending", "descending"];
            is_ascending = direction.one_of(&directions, |name| name)? == "ascending";
        }
        if let Some(timestamp) = sort.get("timestamp").present() {
            timestamp.one_of(&["last_edited_time"], |name| name)?;
        }
    }
    let has_sources = workspace.version.has_data_sources();
    let (database, kind) = if has_sources {
        ("data_source", "page_or_data_source")
    } else {
        ("database", "page_or_database")
    };
    let mut wanted = None;
    if let Some(filter) = body.get("filter").present() {
        filter.only(&["property", "value"])?;
        filter.get("property").one_of(&["object"], |name| name)?;
        wanted = Some(
            filter
                .get("value")
                .one_of(&["page", database], |name| name)?,
        );
    }
    let paging = Paging::parse(body)?;

    let mut found = Vec::new();
    for node in in_order(workspace) {
        checkpoint()?;
        let is_wanted = match node.kind {
            Kind::Page(_) => wanted != Some(database),
            Kind::Database(_) => {
                wanted != Some("page") && (has_sources || !workspace.is_further_source(node))
            }
            Kind::Block { .. } => false,
        };
        if is_wanted && workspace.title(node.id).to_lowercase().contains(&query) {
            found.push(node);
        }
    }
    // Sorting is stable.
    if is_ascending {
        found.sort_by_key(|node| node.edited.time);
    } else {
        found.sort_by_key(|node| Reverse(node.edited.time));
    }
    let (found, next) = paging.page(found, |node| match node.kind {
        Kind::Database(_) if has_sources => workspace.data_source_ids(node.id).0,
        _ => node.id,
    })?;
    let results = found
        .into_iter()
        .map(|node| view::page_or_database(workspace, node));
    Ok(view::list(results.collect(), next, kind))
}

/// Returns everything outside the trash, in the order of the workspace.
fn in_order(workspace: &Workspace) -> Vec<&Node> {
    let mut nodes = Vec::new();
    let mut open: Vec<Id> = workspace.roots.iter().rev().copied().collect();
    while let Some(node) = open.pop().and_then(|id| workspace.nodes.get(&id)) {
        if !node.trashed {
            nodes.push(node);
            open.extend(node.children.iter().rev());
            if let Kind::Database(database) = &node.kind {
                open.extend(database.sources.iter().rev());
            }
        }
    }
    nodes
}
