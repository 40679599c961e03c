//! Pages.

use serde_json::Value;

use super::looks::Looks;
use super::{Call, apply, archived, below_archived, path_id, trash_flag};
use crate::input::{self, Field};
use crate::model::{Config, Id, Kind, Node, Page, Parent, PropertyValue, Workspace};
use crate::refusal::{Noun, Outcome, Refusal};
use crate::view;

/// `GET /v1/pages/{page_id}`.
pub(super) fn one(workspace: &Workspace, call: &Call<'_>, id: &str) -> Outcome {
    let id = path_id("page_id", id)?;
    call.query.only(&["filter_properties"])?;
    let only = property_ids(&call.query.get("filter_properties"))?;
    let (node, page) = find(workspace, id)?;
    Ok(view::page(workspace, node, page, &only))
}

/// Returns a page, or the error that there is none with this id.
pub(super) fn find(workspace: &Workspace, id: Id) -> Outcome<(&Node, &Page)> {
    if workspace.database(id).is_some() {
        // Reported for pages that are read as databases; the form for the other direction is chosen.
        return Err(Refusal::invalid(format!(
            "Provided ID {id} is a database, not a page. Use the retrieve database API instead."
        )));
    }
    workspace
        .page(id)
        .ok_or_else(|| Refusal::not_found(Noun::Page, id))
}

/// Parses ids of properties: one, or several as a repeated parameter.
pub(super) fn property_ids(field: &Field<'_>) -> Outcome<Vec<String>> {
    match field.value {
        None => Ok(Vec::new()),
        Some(Value::String(id)) => Ok(vec![id.clone()]),
        Some(_) => {
            let items = field.items_within(100)?;
            items
                .iter()
                .map(|item| item.string().map(str::to_owned))
                .collect()
        }
    }
}

/// `POST /v1/pages`.
pub(super) fn create(workspace: &mut Workspace, call: &Call<'_>) -> Outcome {
    let body = &call.body;
    body.only(&["parent", "properties", "icon", "cover", "children"])?;
    let parent = parent(workspace, &body.get("parent"))?;
    let properties = body.get("properties");
    properties.object()?;
    let looks = Looks::parse(body)?;
    let children = body.get("children").present();
    let children = children
        .map(|it| input::children(&it))
        .transpose()?
        .unwrap_or_default();
    check_parent(workspace, parent)?;
    let settings = apply::settings(workspace, parent, &properties)?;
    super::blocks::check_in_page(&children)?;
    apply::check_blocks(workspace, &children)?;

    workspace.now.0 += 1;
    let mut page = Page {
        values: serial(workspace, parent),
        ..Page::default()
    };
    looks.set_page(&mut page);
    let id = workspace.create(parent, Kind::Page(page), None);
    if let Parent::Page(parent) = parent {
        workspace.touch(parent);
    }
    apply::set(workspace, id, settings);
    apply::add_blocks(workspace, Parent::Page(id), None, children);
    let (node, page) = find(workspace, id)?;
    Ok(view::page(workspace, node, page, &[]))
}

/// Parses the parent of a new or moved page.
pub(super) fn parent(workspace: &Workspace, field: &Field<'_>) -> Outcome<Parent> {
    field.object()?;
    if workspace.version.has_data_sources() {
        return later_parent(workspace, field);
    }
    if let Some(id) = field.get("database_id").present()
        && field.get("page_id").is_absent()
    {
        field.only(&["type", "database_id"])?;
        return Ok(Parent::Database(id.id().map_err(|_| both(field))?));
    }
    if let Some(id) = field.get("page_id").present() {
        field.only(&["type", "page_id"])?;
        return Ok(Parent::Page(id.id().map_err(|_| both(field))?));
    }
    Err(both(field))
}

/// Parses a parent since version 2025-09-03. A database stands for its only data source.
fn later_parent(workspace: &Workspace, field: &Field<'_>) -> Outcome<Parent> {
    const KEYS: [&str; 4] = ["page_id", "database_id", "data_source_id", "workspace"];
    let is_workspace = field.get("type").value.and_then(Value::as_str) == Some("workspace");
    let key = KEYS.into_iter().find(|key| !field.get(key).is_absent());
    let Some(key) = key.or(is_workspace.then_some("workspace")) else {
        return Err(field.should_one(&KEYS.map(|key| field.get(key).complaint("defined"))));
    };
    field.only(&["type", key])?;
    if let Some(kind) = field.get("type").present() {
        kind.one_of(&[key], |name| name)?;
    }
    match key {
        "page_id" => Ok(Parent::Page(field.get(key).id()?)),
        "data_source_id" => {
            let (node, _) = super::data_sources::find(workspace, field.get(key).id()?)?;
            Ok(Parent::Database(node.id))
        }
        "database_id" => {
            let id = field.get(key).id()?;
            let found = workspace.database(id);
            let found = found.filter(|(node, _)| !workspace.is_further_source(node));
            let (_, database) = found.ok_or_else(|| Refusal::not_found(Noun::Database, id))?;
            if !database.sources.is_empty() {
                return Err(super::databases::several_sources());
            }
            Ok(Parent::Database(id))
        }
        // The bot of a workspace is an internal integration, which no person owns (documentation of the creation of a
        // page; the words are chosen).
        _ => Err(Refusal::invalid(
            "Internal integrations cannot create or move pages to the top level of the workspace.",
        )),
    }
}

/// Returns the error of a parent that is neither a page nor a database (reported in doutv/Auto-GPT-Notion 9).
fn both(field: &Field<'_>) -> Refusal {
    let complaint = |key: &str| {
        let id = field.get(key);
        let be = if id.is_absent() {
            "defined"
        } else {
            "a valid uuid"
        };
        id.complaint(be)
    };
    field.should_one(&["database_id", "page_id"].map(complaint))
}

pub(super) fn check_parent(workspace: &Workspace, parent: Parent) -> Outcome<()> {
    match parent {
        Parent::Page(id) if workspace.page(id).is_none() => Err(Refusal::not_found(Noun::Page, id)),
        Parent::Database(id) if workspace.database(id).is_none() => {
            Err(Refusal::not_found(Noun::Database, id))
        }
        Parent::Page(id) | Parent::Database(id) if workspace.is_trashed(id) => {
            Err(below_archived())
        }
        _ => Ok(()),
    }
}

/// Returns the values that a new row gets by itself: its number.
pub(super) fn serial(workspace: &Workspace, parent: Parent) -> crate::model::Values {
    let mut values = crate::model::Values::new();
    let Parent::Database(id) = parent else {
        return values;
    };
    let Some((node, database)) = workspace.database(id) else {
        return values;
    };
    let numbered = database.properties.iter();
    for property in numbered.filter(|it| matches!(it.config, Config::UniqueId { .. })) {
        let pages = node.children.iter().filter_map(|id| workspace.page(*id));
        let number = |(_, page): (&Node, &Page)| match page.values.get(&property.id) {
            Some(PropertyValue::Serial(number)) => *number,
            _ => 0,
        };
        let last = pages.map(number).max().unwrap_or(0);
        values.insert(property.id.clone(), PropertyValue::Serial(last + 1));
    }
    values
}

/// `PATCH /v1/pages/{page_id}`.
pub(super) fn update(workspace: &mut Workspace, call: &Call<'_>, id: &str) -> Outcome {
    let id = path_id("page_id", id)?;
    let body = &call.body;
    body.only(&["properties", "archived", "in_trash", "icon", "cover"])?;
    let trash = trash_flag(workspace, body)?;
    let looks = Looks::parse(body)?;
    let (node, _) = find(workspace, id)?;
    let (parent, is_trashed) = (node.parent, node.trashed);
    if workspace.is_below_trash(id) {
        return Err(below_archived());
    }
    if is_trashed && trash != Some(false) {
        return Err(archived());
    }
    if trash == Some(true) && parent == Parent::Workspace {
        return Err(Refusal::invalid(
            "Archiving workspace level pages via API not supported.",
        ));
    }
    let properties = body.get("properties").present();
    let settings = properties.map(|it| apply::settings(workspace, parent, &it));
    let settings = settings.transpose()?.unwrap_or_default();

    workspace.now.0 += 1;
    apply::set(workspace, id, settings);
    if let Some(page) = workspace.page_mut(id) {
        looks.set_page(page);
    }
    if let (Some(trash), Some(node)) = (trash, workspace.nodes.get_mut(&id)) {
        node.trashed = trash;
    }
    workspace.touch(id);
    let (node, page) = find(workspace, id)?;
    Ok(view::page(workspace, node, page, &[]))
}
