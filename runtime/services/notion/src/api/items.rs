//! Values of single properties.

use serde_json::{Map, Value, json};

use super::paging;
use super::{Call, pages, path_id};
use crate::model::{Config, Node, Page, Property, PropertyType, PropertyValue, TITLE, Workspace};
use crate::refusal::{Outcome, Refusal};
use crate::view::{self, Rolled};

/// `GET /v1/pages/{page_id}/properties/{property_id}`. Properties with several values are lists of items, others are
/// one item (documentation of the property item object).
pub(super) fn item(workspace: &Workspace, call: &Call<'_>, page: &str, property: &str) -> Outcome {
    let id = path_id("page_id", page)?;
    call.query.only(&["start_cursor", "page_size"])?;
    let size = paging::size(&call.query.get("page_size"))?;
    let start = start(call)?;
    let (node, page) = pages::find(workspace, id)?;
    let title = Property {
        id: TITLE.to_owned(),
        name: TITLE.to_owned(),
        config: Config::Plain(PropertyType::Title),
    };
    let found = match workspace.database_of(id) {
        Some((_, database)) => database.properties.iter().find(|it| it.id == property),
        None => Some(&title).filter(|title| title.id == property),
    };
    let property = found.ok_or_else(|| {
        Refusal::invalid(format!(
            "Could not find property with name or id: {property}"
        ))
    })?;
    let kind = property.config.kind();
    let Some((items, summary)) = items(workspace, node, page, property) else {
        let value = view::value(workspace, node, page, property);
        return Ok(json!({
            "object": "property_item",
            "type": kind.name(),
            "id": property.id,
            kind.name(): value,
        }));
    };
    if start > 0 && start >= items.len() {
        return Err(Refusal::invalid(format!(
            "The start_cursor provided is invalid: {start:032x}"
        )));
    }
    let next = start.saturating_add(size);
    let next = (next < items.len()).then(|| format!("{next:032x}"));
    let next_url = next.as_ref().map(|next| {
        format!(
            "https://api.notion.com/v1/pages/{id}/properties/{}?start_cursor={next}",
            property.id
        )
    });
    let results: Vec<Value> = items.into_iter().skip(start).take(size).collect();
    let mut list = view::list(results, next, "property_item");
    list["property_item"] = json!({
        "id": property.id,
        "next_url": next_url,
        "type": kind.name(),
        kind.name(): summary,
    });
    Ok(list)
}

/// Parses the cursor, which is the index of the first item. Its form is chosen.
fn start(call: &Call<'_>) -> Outcome<usize> {
    let cursor = call.query.get("start_cursor");
    match cursor.opt_string()? {
        None => Ok(0),
        Some(text) => {
            let index = usize::from_str_radix(text, 16)
                .ok()
                .filter(|_| text.len() == 32);
            index.ok_or_else(|| {
                Refusal::invalid(format!("The start_cursor provided is invalid: {text}"))
            })
        }
    }
}

/// Returns the items of a property with several values, and the object of the whole list.
fn items(
    workspace: &Workspace,
    node: &Node,
    page: &Page,
    property: &Property,
) -> Option<(Vec<Value>, Value)> {
    let kind = property.config.kind();
    let item = |value: Value| json!({"object": "property_item", "type": kind.name(), "id": property.id, kind.name(): value});
    let stored = page.values.get(&property.id);
    let values: Vec<Value> = match kind {
        PropertyType::Title | PropertyType::RichText => match stored {
            Some(PropertyValue::Text(text)) => text
                .iter()
                .map(|piece| view::rich_text_piece(workspace, piece))
                .collect(),
            _ => Vec::new(),
        },
        PropertyType::People => match stored {
            Some(PropertyValue::People(ids)) => {
                ids.iter().map(|id| view::person(workspace, *id)).collect()
            }
            _ => Vec::new(),
        },
        PropertyType::Relation => {
            let pages = view::live_relation(workspace, page, property);
            pages.map(|id| json!({"id": id.to_string()})).collect()
        }
        PropertyType::Rollup => return rollup(workspace, node, page, property),
        _ => return None,
    };
    let items = values.into_iter().map(item).collect();
    Some((items, Value::Object(Map::new())))
}

/// Returns the values of a rollup as items. The summary is the value of the rollup, without the values of an array.
fn rollup(
    workspace: &Workspace,
    node: &Node,
    page: &Page,
    property: &Property,
) -> Option<(Vec<Value>, Value)> {
    let Config::Rollup(settings) = &property.config else {
        return None;
    };
    let mut summary = view::value(workspace, node, page, property);
    if !matches!(view::roll_up(workspace, node, settings), Rolled::Array(_)) {
        return Some((Vec::new(), summary));
    }
    let values = summary["array"].take();
    summary["array"] = json!([]);
    let item = |mut value: Value| {
        let mut item = json!({"object": "property_item", "id": settings.property});
        if let (Some(item), Some(value)) = (item.as_object_mut(), value.as_object_mut()) {
            item.append(value);
        }
        item
    };
    let values = values.as_array().cloned().unwrap_or_default();
    Some((values.into_iter().map(item).collect(), summary))
}
