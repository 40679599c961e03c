//! Values of properties in responses.

use serde_json::{Value, json};

use super::node::partial_user;
use super::rollup::{Rolled, roll_up, target};
use super::text::{date, named_file, rich_text};
use crate::formula::{Budget, Formula, ResultType, Value as Result, evaluate};
use crate::model::{
    Config, Id, Node, Page, Property, PropertyType, PropertyValue, SelectOption, Workspace,
};

/// Maximum number of users or pages of a property in a page object (documentation of the page object).
pub(crate) const MAX_REFERENCES: usize = 25;

/// Returns a number, without a fraction if it is whole.
pub(crate) fn number(number: f64) -> Value {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if number.fract() == 0.0 && number.abs() < EXACT {
        // The number is whole and within the range.
        json!(number as i64)
    } else {
        json!(number)
    }
}

/// Returns the value of a property of a page with the id of the property.
pub(crate) fn with_id(
    workspace: &Workspace,
    node: &Node,
    page: &Page,
    property: &Property,
) -> Value {
    let kind = property.config.kind();
    let mut all = json!({
        "id": property.id,
        "type": kind.name(),
        kind.name(): value(workspace, node, page, property),
    });
    if kind == PropertyType::Relation {
        let count = live_relation(workspace, page, property).count();
        all["has_more"] = json!(count > MAX_REFERENCES);
    }
    all
}

/// Returns the pages of a relation that are not in the trash.
pub(crate) fn live_relation<'a>(
    workspace: &'a Workspace,
    page: &'a Page,
    property: &Property,
) -> impl Iterator<Item = Id> + 'a {
    let ids = match page.values.get(&property.id) {
        Some(PropertyValue::Relation(ids)) => ids.as_slice(),
        _ => &[],
    };
    ids.iter().copied().filter(|id| !workspace.is_trashed(*id))
}

/// Returns a user of a property, in full if the workspace has it.
pub(crate) fn person(workspace: &Workspace, id: Id) -> Value {
    match workspace.user(id) {
        Some(user) => super::user(workspace, user),
        None => partial_user(id),
    }
}

/// Returns the value of a property of a page, without the type around it.
pub(crate) fn value(workspace: &Workspace, node: &Node, page: &Page, property: &Property) -> Value {
    let stored = page.values.get(&property.id);
    match (property.config.kind(), stored) {
        (PropertyType::CreatedTime, _) => json!(node.created.time.minute()),
        (PropertyType::LastEditedTime, _) => json!(node.edited.time.minute()),
        (PropertyType::CreatedBy, _) => person(workspace, node.created.by),
        (PropertyType::LastEditedBy, _) => person(workspace, node.edited.by),
        (PropertyType::Button, _) => json!({}),
        (PropertyType::Verification, None) => {
            json!({"state": "unverified", "verified_by": null, "date": null})
        }
        (PropertyType::Checkbox, stored) => json!(stored.is_some()),
        (PropertyType::Formula, _) => match &property.config {
            Config::Formula(it) => formula(workspace, node, page, it),
            _ => Value::Null,
        },
        (PropertyType::Rollup, _) => rollup(workspace, node, &property.config),
        (PropertyType::UniqueId, stored) => unique_id(&property.config, stored),
        (PropertyType::Relation, _) => {
            let pages = live_relation(workspace, page, property).take(MAX_REFERENCES);
            pages.map(|id| json!({"id": id.to_string()})).collect()
        }
        (_, Some(stored)) => stored_value(workspace, &property.config, stored),
        (
            PropertyType::Title
            | PropertyType::RichText
            | PropertyType::MultiSelect
            | PropertyType::People
            | PropertyType::Files,
            None,
        ) => json!([]),
        (_, None) => Value::Null,
    }
}

fn stored_value(workspace: &Workspace, config: &Config, value: &PropertyValue) -> Value {
    match value {
        PropertyValue::Text(text) => rich_text(workspace, text),
        PropertyValue::Number(it) => number(*it),
        PropertyValue::Option(id) => config.option(id).map_or(Value::Null, option),
        PropertyValue::Options(ids) => ids
            .iter()
            .filter_map(|id| config.option(id))
            .map(option)
            .collect(),
        PropertyValue::Date(value) => date(value),
        PropertyValue::People(ids) => {
            let shown = ids.iter().take(MAX_REFERENCES);
            shown.map(|id| person(workspace, *id)).collect()
        }
        PropertyValue::Files(files) => files
            .iter()
            .map(|file| named_file(file, workspace.now))
            .collect(),
        PropertyValue::Checked => json!(true),
        PropertyValue::Line(text) => json!(text),
        PropertyValue::Relation(ids) => {
            ids.iter().map(|id| json!({"id": id.to_string()})).collect()
        }
        PropertyValue::Serial(it) => json!(it),
        PropertyValue::Verification(it) => json!({
            "state": it.state(workspace.now),
            "verified_by": person(workspace, it.by),
            "date": date(&it.date),
        }),
    }
}

fn option(option: &SelectOption) -> Value {
    json!({"id": option.id, "name": option.name, "color": option.color.name()})
}

fn unique_id(config: &Config, stored: Option<&PropertyValue>) -> Value {
    let prefix = match config {
        Config::UniqueId { prefix } => prefix.as_deref(),
        _ => None,
    };
    let number = match stored {
        Some(PropertyValue::Serial(number)) => Some(*number),
        _ => None,
    };
    json!({"prefix": prefix, "number": number})
}

/// Returns the result of a formula. A formula with an error has none (chosen).
fn formula(workspace: &Workspace, node: &Node, page: &Page, formula: &Formula) -> Value {
    let result = evaluate(workspace, node, page, formula, &Budget::default());
    let result = result.unwrap_or(Result::Empty);
    let Some((_, database)) = workspace.database_of(node.id) else {
        return Value::Null;
    };
    let kind = formula.result_type(database, &result);
    let value = match (kind, &result) {
        (_, Result::Empty) => Value::Null,
        // JSON has neither infinity nor numbers that are none.
        (ResultType::Number, Result::Number(it)) if it.is_finite() => number(*it),
        (ResultType::Number, _) => Value::Null,
        (ResultType::Boolean, result) => json!(*result == Result::Boolean(true)),
        (ResultType::Date, Result::Date(it)) => date(it),
        (_, result) => json!(result.format(workspace)),
    };
    json!({"type": kind.name(), kind.name(): value})
}

fn rollup(workspace: &Workspace, node: &Node, config: &Config) -> Value {
    let Config::Rollup(settings) = config else {
        return Value::Null;
    };
    let function = settings.function.name();
    match roll_up(workspace, node, settings) {
        Rolled::Number(it) => {
            json!({"type": "number", "number": it.map(number), "function": function})
        }
        Rolled::Date(it) => {
            json!({"type": "date", "date": it.as_ref().map(date), "function": function})
        }
        Rolled::Array(cells) => {
            let property = target(workspace, node, settings);
            let shown = cells.iter().filter_map(|(id, _)| {
                let (node, page) = workspace.page(*id)?;
                let property = property?;
                let kind = property.config.kind().name();
                let value = value(workspace, node, page, property);
                Some(json!({"type": kind, kind: value}))
            });
            let array: Vec<Value> = shown.collect();
            json!({"type": "array", "array": array, "function": function})
        }
    }
}
