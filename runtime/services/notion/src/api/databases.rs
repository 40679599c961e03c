//! Databases and their rows.

use mcpmark_service::checkpoint;

use super::blocks::check_trash_of_root;
use super::looks::{Looks, check_texts, text};
use super::paging::Paging;
use super::{Call, archived, below_archived, pages, path_id, schema, trash_flag};
use crate::input;
use crate::model::{Database, Id, Kind, Node, Page, Parent, Workspace};
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
    workspace
        .database(id)
        .ok_or_else(|| Refusal::not_found(Noun::Database, id))
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
    body.only(&[
        "parent",
        "title",
        "description",
        "properties",
        "icon",
        "cover",
        "is_inline",
    ])?;
    let parent = body.get("parent");
    parent.only(&["type", "page_id"])?;
    let page = parent.get("page_id").id()?;
    let properties = input::new_schema(&body.get("properties"))?;
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

/// `PATCH /v1/databases/{database_id}`.
pub(super) fn update(workspace: &mut Workspace, call: &Call<'_>, id: &str) -> Outcome {
    let id = path_id("database_id", id)?;
    let body = &call.body;
    body.only(&[
        "title",
        "description",
        "properties",
        "icon",
        "cover",
        "is_inline",
        "archived",
        "in_trash",
    ])?;
    let trash = trash_flag(body)?;
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
        .map(|it| input::changed_schema(&it))
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
    call.query.only(&["filter_properties"])?;
    let only = pages::property_ids(&call.query.get("filter_properties"))?;
    let body = &call.body;
    body.only(&[
        "filter",
        "sorts",
        "start_cursor",
        "page_size",
        "archived",
        "in_trash",
    ])?;
    let paging = Paging::parse(body)?;
    let in_trash = trash_flag(body)?.unwrap_or(false);
    let (node, database) = find(workspace, id)?;
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
    Ok(view::list(rows.collect(), next, "page_or_database"))
}
