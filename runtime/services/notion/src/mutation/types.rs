//! Properties with another type, and the values of a property in all rows.

use super::Edits;
use super::MutationKind as K;
use super::schema::{altered, by_id};
use crate::api::schema::change;
use crate::input::NewConfig;
use crate::model::{Id, Property, PropertyType, PropertyValue, RichText, Workspace};

/// Returns the values of a property in all rows.
pub(super) fn values(
    workspace: &Workspace,
    database: Id,
    property: &str,
) -> Vec<(Id, PropertyValue)> {
    let rows = workspace.database(database).map(|(node, _)| &node.children);
    let rows = rows.into_iter().flatten().copied();
    let value = |row: Id| Some((row, workspace.page(row)?.1.values.get(property)?.clone()));
    rows.filter_map(value).collect()
}

pub(super) fn set_values(
    workspace: &mut Workspace,
    database: Id,
    property: &str,
    values: Vec<(Id, PropertyValue)>,
) {
    let property = workspace
        .database(database)
        .and_then(|(_, database)| by_id(database, property).cloned());
    if let Some(property) = property {
        for (row, value) in values {
            workspace.set_value(row, &property, Some(value));
        }
    }
}

/// Properties with another type, whose values are the same words or options.
pub(super) fn retyped<'a>(id: Id, property: &'a Property, place: &str, edits: &mut Edits<'a>) {
    let kind = property.config.kind();
    let (other, config) = match kind {
        PropertyType::Select | PropertyType::Status => (
            PropertyType::MultiSelect,
            NewConfig::Options(PropertyType::MultiSelect, None),
        ),
        PropertyType::MultiSelect => (
            PropertyType::Select,
            NewConfig::Options(PropertyType::Select, None),
        ),
        PropertyType::RichText => (PropertyType::Url, NewConfig::Plain(PropertyType::Url)),
        PropertyType::Formula
        | PropertyType::Rollup
        | PropertyType::UniqueId
        | PropertyType::Button
        | PropertyType::Verification => return,
        _ => (
            PropertyType::RichText,
            NewConfig::Plain(PropertyType::RichText),
        ),
    };
    let what = format!("type {}", other.name());
    edits.add(K::PropertyType, place, what, move |workspace| {
        let before = values(workspace, id, &property.id);
        change(workspace, id, altered(&property.id, config.clone()));
        let after = before.into_iter().filter_map(|(row, value)| {
            let text = words(workspace, &value)?;
            Some((
                row,
                match other {
                    PropertyType::RichText => PropertyValue::Text(vec![RichText::plain(text)]),
                    PropertyType::Url => PropertyValue::Line(text),
                    _ => return None,
                },
            ))
        });
        let after = after.collect();
        set_values(workspace, id, &property.id, after);
    });
}

/// Returns a value as text.
fn words(workspace: &Workspace, value: &PropertyValue) -> Option<String> {
    let titles = |ids: &[Id]| {
        let titles: Vec<String> = ids.iter().map(|id| workspace.title(*id)).collect();
        titles.join(", ")
    };
    let text = match value {
        PropertyValue::Text(text) => workspace.plain(text),
        PropertyValue::Number(number) => number.to_string(),
        PropertyValue::Date(date) => date.plain(),
        PropertyValue::Checked => "yes".to_owned(),
        PropertyValue::Line(line) => line.clone(),
        PropertyValue::Relation(ids) => titles(ids),
        PropertyValue::People(ids) => {
            let users = ids.iter().filter_map(|id| workspace.user(*id));
            let names: Vec<&str> = users.map(|user| user.name.as_str()).collect();
            names.join(", ")
        }
        _ => return None,
    };
    (!text.is_empty()).then_some(text)
}
