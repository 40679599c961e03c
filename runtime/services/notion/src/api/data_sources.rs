//! Data sources, since version 2025-09-03.

use serde_json::json;

use super::blocks::check_trash_of_root;
use super::databases::{find_rows, resolve, resolve_changes};
use super::looks::{Looks, check_texts, text};
use super::paging;
use super::{Call, archived, below_archived, check_editable, path_id, schema, trash_flag};
use crate::input;
use crate::model::{Database, Id, Node, Parent, Workspace};
use crate::refusal::{Noun, Outcome, Refusal};
use crate::view;

/// Returns a data source, or the error that there is none with this id.
pub(super) fn find(workspace: &Workspace, id: Id) -> Outcome<(&Node, &Database)> {
    workspace
        .data_source(id)
        .ok_or_else(|| Refusal::not_found(Noun::DataSource, id))
}

/// `GET /v1/data_sources/{data_source_id}`.
pub(super) fn one(workspace: &Workspace, call: &Call<'_>, id: &str) -> Outcome {
    let id = path_id("data_source_id", id)?;
    call.query.only(&[])?;
    let (node, database) = find(workspace, id)?;
    Ok(view::data_source(workspace, node, database))
}

/// `POST /v1/data_sources/{data_source_id}/query`.
pub(super) fn query(workspace: &Workspace, call: &Call<'_>, id: &str) -> Outcome {
    let id = path_id("data_source_id", id)?;
    find_rows(workspace, call, |workspace| find(workspace, id))
}

/// `POST /v1/data_sources`. A data source is added to an existing database, which is its only possible parent
/// (makenotion/notion-sdk-js 619).
pub(super) fn create(workspace: &mut Workspace, call: &Call<'_>) -> Outcome {
    let body = &call.body;
    body.only(&["parent", "properties", "title", "icon"])?;
    let parent = body.get("parent");
    parent.object()?;
    let database = parent.get("database_id").id()?;
    parent.only(&["type", "database_id"])?;
    let properties = input::new_schema(&body.get("properties"), workspace.version)?;
    let title = text(body, "title")?.unwrap_or_default();
    let looks = Looks::parse(body)?;
    check_texts(workspace, [&title])?;
    let container = workspace.database(database);
    let is_container =
        |node: &Node| !workspace.is_further_source(node) && workspace.page(node.id).is_none();
    if !container.is_some_and(|(node, _)| is_container(node)) {
        return Err(Refusal::not_found(Noun::Database, database));
    }
    check_editable(workspace, database)?;
    let properties = resolve(workspace, properties)?;
    schema::check_new(workspace, &properties)?;

    workspace.now.0 += 1;
    let mut content = Database {
        title,
        ..Database::default()
    };
    looks.set_database(&mut content);
    let id = workspace.create_data_source(database, content);
    workspace.touch(database);
    schema::add(workspace, id, properties);
    let (node, content) = find(workspace, id)?;
    Ok(view::data_source(workspace, node, content))
}

/// `PATCH /v1/data_sources/{data_source_id}`. The first data source of a database shares its title, description and
/// icon (chosen). The trash has a database with its first data source, and other data sources alone.
pub(super) fn update(workspace: &mut Workspace, call: &Call<'_>, id: &str) -> Outcome {
    let id = path_id("data_source_id", id)?;
    let body = &call.body;
    body.only(&[
        "title",
        "description",
        "properties",
        "icon",
        "archived",
        "in_trash",
    ])?;
    let trash = trash_flag(workspace, body)?;
    let (title, description) = (text(body, "title")?, text(body, "description")?);
    let looks = Looks::parse(body)?;
    let node = find(workspace, id)?.0;
    let (node_id, parent) = (node.id, node.parent);
    if workspace.is_below_trash(node_id) {
        return Err(below_archived());
    }
    if node.trashed && trash != Some(false) {
        return Err(archived());
    }
    check_trash_of_root(node, trash)?;
    check_texts(workspace, [&title, &description].into_iter().flatten())?;
    let changes = body.get("properties").present();
    let version = workspace.version;
    let changes = changes
        .map(|it| input::changed_schema(&it, version))
        .transpose()?
        .unwrap_or_default();
    let changes = resolve_changes(workspace, changes)?;
    let changes = schema::check_changes(workspace, node_id, changes)?;

    workspace.now.0 += 1;
    schema::change(workspace, node_id, changes);
    if let Some(database) = workspace.database_mut(node_id) {
        database.title = title.unwrap_or_else(|| std::mem::take(&mut database.title));
        database.description =
            description.unwrap_or_else(|| std::mem::take(&mut database.description));
        looks.set_database(database);
    }
    if let (Some(trash), Some(node)) = (trash, workspace.nodes.get_mut(&node_id)) {
        node.trashed = trash;
    }
    workspace.touch(node_id);
    if let Parent::Database(database) = parent {
        workspace.touch(database);
    }
    let (node, database) = find(workspace, id)?;
    Ok(view::data_source(workspace, node, database))
}

/// `GET /v1/data_sources/{data_source_id}/templates`. Worlds have no templates, so the list is empty.
pub(super) fn templates(workspace: &Workspace, call: &Call<'_>, id: &str) -> Outcome {
    let id = path_id("data_source_id", id)?;
    call.query.only(&["name", "start_cursor", "page_size"])?;
    call.query.get("name").opt_string()?;
    paging::Paging::parse(&call.query)?.page(Vec::new(), |id: &Id| *id)?;
    find(workspace, id)?;
    Ok(json!({"templates": [], "has_more": false, "next_cursor": null}))
}
