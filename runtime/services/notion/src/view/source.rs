//! Databases and data sources of responses, since version 2025-09-03. The order of their keys is that of the examples
//! in the documentation.

use serde_json::{Map, Value, json};

use super::node::{for_version, parent, partial_user};
use super::schema;
use super::text::{cover, icon, rich_text, url};
use crate::model::{Database, Id, Kind, Node, Parent, Workspace};

/// Returns a database with references to its data sources.
pub(super) fn container(workspace: &Workspace, node: &Node, database: &Database) -> Value {
    let reference = |node: Id| {
        let (id, _) = workspace.data_source_ids(node);
        json!({"id": id.to_string(), "name": workspace.title(node)})
    };
    let further = database.sources.iter().copied().filter(|id| {
        let source = workspace.nodes.get(id);
        source.is_some_and(|source| !source.trashed)
    });
    let sources: Vec<Value> = std::iter::once(node.id)
        .chain(further)
        .map(reference)
        .collect();
    let is_trashed = workspace.is_trashed(node.id);
    let all = json!({
        "object": "database",
        "id": node.id.to_string(),
        "title": rich_text(workspace, &database.title),
        "description": rich_text(workspace, &database.description),
        "parent": parent(workspace, node.parent),
        "is_inline": database.inline,
        "in_trash": is_trashed,
        "is_locked": false,
        "created_time": node.created.time.minute(),
        "last_edited_time": node.edited.time.minute(),
        "data_sources": sources,
        "icon": icon(database.icon.as_ref(), workspace.now),
        "cover": cover(database.cover.as_ref(), workspace.now),
        "url": url(workspace, node.id),
        "public_url": null,
        "archived": is_trashed,
    });
    for_version(workspace, all)
}

/// Returns a data source.
pub(crate) fn data_source(workspace: &Workspace, node: &Node, database: &Database) -> Value {
    let mut properties = Map::new();
    for it in &database.properties {
        properties.insert(it.name.clone(), schema::property(workspace, database, it));
    }
    let (id, container) = workspace.data_source_ids(node.id);
    let above = workspace
        .container(node.id)
        .map_or(Parent::Workspace, |container| container.parent);
    let is_trashed = workspace.is_trashed(node.id);
    let all = json!({
        "object": "data_source",
        "id": id.to_string(),
        "cover": cover(database.cover.as_ref(), workspace.now),
        "icon": icon(database.icon.as_ref(), workspace.now),
        "created_time": node.created.time.minute(),
        "created_by": partial_user(node.created.by),
        "last_edited_by": partial_user(node.edited.by),
        "last_edited_time": node.edited.time.minute(),
        "title": rich_text(workspace, &database.title),
        "description": rich_text(workspace, &database.description),
        "is_inline": database.inline,
        "properties": properties,
        "parent": {"type": "database_id", "database_id": container.to_string()},
        "database_parent": parent(workspace, above),
        "url": url(workspace, container),
        "public_url": null,
        "archived": is_trashed,
        "in_trash": is_trashed,
    });
    for_version(workspace, all)
}

/// Returns a result of a search, which is a page, or a database or data source according to the version.
pub(crate) fn page_or_database(workspace: &Workspace, node: &Node) -> Value {
    match &node.kind {
        Kind::Page(page) => super::page(workspace, node, page, &[]),
        Kind::Database(database) if workspace.version.has_data_sources() => {
            data_source(workspace, node, database)
        }
        Kind::Database(database) => super::database(workspace, node, database),
        Kind::Block { .. } => super::block(workspace, node),
    }
}
