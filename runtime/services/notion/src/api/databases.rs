//! Databases and their rows.

use mcpmark_service::checkpoint;

use super::blocks::check_trash_of_root;
use super::looks::{Looks, check_texts, text};
use super::paging::Paging;
use super::{Call, archived, below_archived, data_sources, pages, path_id, schema, trash_flag};
use crate::input::{self, Field, NewConfig, SchemaChange};
use crate::model::{Database, Id, Kind, Node, Page, Parent, PropertyType, Workspace};
use crate::query::{Filter, Sorts};
use crate::refusal::{Noun, Outcome, Refusal};
use crate::view;

/// Returns a database, or the error that there is none with this id.
fn find(workspace: &Workspace, id: Id) -> Outcome<(&Node, &Database)> {
    if workspace.page(id).is_some() {
        return Err(Refusal::invalid(format!(
            "Provided ID {id} is a page, not a database. Use the retrieve page API instead."
        )));
    }
    let found = workspace
        .database(id)
        .filter(|(node, _)| !workspace.is_further_source(node))
        .ok_or_else(|| Refusal::not_found(Noun::Database, id))?;
    if !workspace.version.has_data_sources() && !found.1.sources.is_empty() {
        return Err(several_sources());
    }
    Ok(found)
}

/// Returns the error of a database that a request cannot mean, because it has several data sources (documentation of
/// the upgrade to version 2025-09-03).
pub(super) fn several_sources() -> Refusal {
    Refusal::invalid("Databases with multiple data sources are not supported in this API version.")
}

/// Replaces the ids of data sources in relations by those of their nodes.
pub(super) fn resolve(
    workspace: &Workspace,
    mut properties: Vec<(String, NewConfig)>,
) -> Outcome<Vec<(String, NewConfig)>> {
    for (_, config) in &mut properties {
        resolve_config(workspace, config)?;
    }
    Ok(properties)
}

/// Replaces the ids of data sources in changes of relations by those of their nodes.
pub(super) fn resolve_changes(
    workspace: &Workspace,
    mut changes: Vec<SchemaChange>,
) -> Outcome<Vec<SchemaChange>> {
    for config in changes.iter_mut().filter_map(|it| it.config.as_mut()) {
        resolve_config(workspace, config)?;
    }
    Ok(changes)
}

fn resolve_config(workspace: &Workspace, config: &mut NewConfig) -> Outcome<()> {
    if let NewConfig::Relation { database, .. } = config
        && workspace.version.has_data_sources()
    {
        *database = data_sources::find(workspace, *database)?.0.id;
    }
    Ok(())
}

/// `GET /v1/databases/{database_id}`.
pub(super) fn one(workspace: &Workspace, call: &Call<'_>, id: &str) -> Outcome {
    let id = path_id("database_id", id)?;
    call.query.only(&[])?;
    let (node, database) = find(workspace, id)?;
    Ok(view::database(workspace, node, database))
}

/// `POST /v1/databases`.
pub(super) fn create(workspace: &mut Workspace, call: &Call<'_>) -> Outcome {
    let body = &call.body;
    let schema_key = if workspace.version.has_data_sources() {
        "initial_data_source"
    } else {
        "properties"
    };
    body.only(&[
        "parent",
        "title",
        "description",
        schema_key,
        "icon",
        "cover",
        "is_inline",
    ])?;
    let parent = body.get("parent");
    parent.only(&["type", "page_id"])?;
    let page = parent.get("page_id").id()?;
    let properties = initial_schema(workspace, &body.get(schema_key))?;
    let title = text(body, "title")?.unwrap_or_default();
    let description = text(body, "description")?.unwrap_or_default();
    let looks = Looks::parse(body)?;
    let inline = body.get("is_inline").opt_bool()?.unwrap_or(false);
    check_texts(workspace, [&title, &description])?;
    if workspace.page(page).is_none() {
        return Err(Refusal::not_found(Noun::Page, page));
    }
    if workspace.is_trashed(page) {
        return Err(below_archived());
    }
    let properties = resolve(workspace, properties)?;
    schema::check_new(workspace, &properties)?;

    workspace.now.0 += 1;
    let mut database = Database {
        title,
        description,
        inline,
        ..Database::default()
    };
    looks.set_database(&mut database);
    let id = workspace.create(Parent::Page(page), Kind::Database(database), None);
    workspace.touch(page);
    schema::add(workspace, id, properties);
    let (node, database) = find(workspace, id)?;
    Ok(view::database(workspace, node, database))
}

/// Parses the properties of a new database. Since version 2025-09-03, they are those of its first data source, which may
/// be left out and has a title named `Name` then (chosen).
fn initial_schema(workspace: &Workspace, field: &Field<'_>) -> Outcome<Vec<(String, NewConfig)>> {
    if !workspace.version.has_data_sources() {
        return input::new_schema(field, workspace.version);
    }
    let properties = match field.clone().present() {
        None => None,
        Some(source) => {
            source.only(&["properties"])?;
            source.get("properties").present()
        }
    };
    match properties {
        Some(properties) => input::new_schema(&properties, workspace.version),
        None => Ok(vec![(
            "Name".to_owned(),
            NewConfig::Plain(PropertyType::Title),
        )]),
    }
}

/// `PATCH /v1/databases/{database_id}`. Since version 2025-09-03, properties belong to data sources.
pub(super) fn update(workspace: &mut Workspace, call: &Call<'_>, id: &str) -> Outcome {
    let id = path_id("database_id", id)?;
    let body = &call.body;
    let has_sources = workspace.version.has_data_sources();
    let keys = [
        "title",
        "description",
        "icon",
        "cover",
        "is_inline",
        "archived",
        "in_trash",
        "properties",
    ];
    body.only(if has_sources { &keys[..7] } else { &keys })?;
    let trash = trash_flag(workspace, body)?;
    let (title, description) = (text(body, "title")?, text(body, "description")?);
    let looks = Looks::parse(body)?;
    let inline = body.get("is_inline").opt_bool()?;
    let (node, _) = find(workspace, id)?;
    if workspace.is_below_trash(id) {
        return Err(below_archived());
    }
    if node.trashed && trash != Some(false) {
        return Err(archived());
    }
    check_trash_of_root(node, trash)?;
    check_texts(workspace, [&title, &description].into_iter().flatten())?;
    let changes = body.get("properties").present();
    let changes = changes
        .map(|it| input::changed_schema(&it, workspace.version))
        .transpose()?
        .unwrap_or_default();
    let changes = schema::check_changes(workspace, id, changes)?;

    workspace.now.0 += 1;
    schema::change(workspace, id, changes);
    if let Some(database) = workspace.database_mut(id) {
        database.title = title.unwrap_or_else(|| std::mem::take(&mut database.title));
        database.description =
            description.unwrap_or_else(|| std::mem::take(&mut database.description));
        looks.set_database(database);
        database.inline = inline.unwrap_or(database.inline);
    }
    if let (Some(trash), Some(node)) = (trash, workspace.nodes.get_mut(&id)) {
        node.trashed = trash;
    }
    workspace.touch(id);
    let (node, database) = find(workspace, id)?;
    Ok(view::database(workspace, node, database))
}

/// `POST /v1/databases/{database_id}/query`. Without sorts, rows are in the order of their creation (chosen). With
/// `archived` or `in_trash`, rows in the trash are found instead of the others.
pub(super) fn query(workspace: &Workspace, call: &Call<'_>, id: &str) -> Outcome {
    let id = path_id("database_id", id)?;
    find_rows(workspace, call, |workspace| find(workspace, id))
}

/// Answers a query of the rows of the database or data source that `find` returns.
pub(super) fn find_rows<'a>(
    workspace: &'a Workspace,
    call: &Call<'_>,
    find: impl FnOnce(&'a Workspace) -> Outcome<(&'a Node, &'a Database)>,
) -> Outcome {
    call.query.only(&["filter_properties"])?;
    let only = pages::property_ids(&call.query.get("filter_properties"))?;
    let body = &call.body;
    let mut keys = vec![
        "filter",
        "sorts",
        "start_cursor",
        "page_size",
        "archived",
        "in_trash",
    ];
    let has_sources = workspace.version.has_data_sources();
    if has_sources {
        keys.push("result_type");
    }
    body.only(&keys)?;
    if let Some(kind) = body.get("result_type").present() {
        kind.one_of(&["page", "data_source"], |name| name)?;
    }
    let paging = Paging::parse(body)?;
    let in_trash = trash_flag(workspace, body)?.unwrap_or(false);
    let (node, database) = find(workspace)?;
    let filter = body.get("filter").present();
    let filter = filter
        .map(|it| Filter::parse(&it, workspace, database))
        .transpose()?;
    let sorts = Sorts::parse(&body.get("sorts"), database)?;

    let mut rows: Vec<(&Node, &Page)> = Vec::new();
    for row in node.children.iter().filter_map(|id| workspace.page(*id)) {
        checkpoint()?;
        let (node, page) = row;
        let holds = |filter: &Filter<'_>| filter.holds(workspace, node, page);
        if node.trashed == in_trash && filter.as_ref().is_none_or(holds) {
            rows.push(row);
        }
    }
    sorts.apply(workspace, &mut rows);
    let (rows, next) = paging.page(rows, |(node, _)| node.id)?;
    let rows = rows
        .into_iter()
        .map(|(node, page)| view::page(workspace, node, page, &only));
    let kind = if has_sources {
        "page_or_data_source"
    } else {
        "page_or_database"
    };
    Ok(view::list(rows.collect(), next, kind))
}
