//! Properties of a database in responses.

use serde_json::{Value, json};

use crate::model::{Config, Database, Property, SelectOption, StatusGroup, Workspace};

/// Returns a property of a database.
pub(crate) fn property(workspace: &Workspace, database: &Database, property: &Property) -> Value {
    let kind = property.config.kind().name();
    json!({
        "id": property.id,
        "name": property.name,
        "type": kind,
        kind: config(workspace, database, &property.config),
    })
}

fn config(workspace: &Workspace, database: &Database, config: &Config) -> Value {
    match config {
        Config::Plain(_) => json!({}),
        Config::Number(format) => json!({"format": format}),
        Config::Select(all) | Config::MultiSelect(all) => json!({"options": options(all)}),
        Config::Status {
            options: all,
            groups,
        } => {
            let groups: Vec<Value> = groups.iter().map(group).collect();
            json!({"options": options(all), "groups": groups})
        }
        Config::Relation {
            database: other,
            synced,
        } => relation(workspace, *other, synced.as_deref()),
        Config::Formula(formula) => json!({"expression": formula.expression()}),
        Config::Rollup(rollup) => {
            let relation = database.property(&rollup.relation);
            let related = relation.and_then(|relation| match &relation.config {
                Config::Relation { database, .. } => workspace.database(*database),
                _ => None,
            });
            let property = related.and_then(|(_, related)| related.property(&rollup.property));
            json!({
                "relation_property_name": relation.map(|it| &it.name),
                "rollup_property_name": property.map(|it| &it.name),
                "relation_property_id": rollup.relation,
                "rollup_property_id": rollup.property,
                "function": rollup.function.name(),
            })
        }
        Config::UniqueId { prefix } => json!({"prefix": prefix}),
    }
}

fn relation(workspace: &Workspace, other: crate::model::Id, synced: Option<&str>) -> Value {
    let other_database = workspace.database(other).map(|(_, database)| database);
    match synced {
        None => json!({
            "database_id": other.to_string(),
            "type": "single_property",
            "single_property": {},
        }),
        Some(id) => json!({
            "database_id": other.to_string(),
            "type": "dual_property",
            "dual_property": {
                "synced_property_name": other_database
                    .and_then(|database| database.property(id))
                    .map(|property| &property.name),
                "synced_property_id": id,
            },
        }),
    }
}

fn options(options: &[SelectOption]) -> Vec<Value> {
    let option = |it: &SelectOption| json!({"id": it.id, "name": it.name, "color": it.color.name(), "description": null});
    options.iter().map(option).collect()
}

fn group(group: &StatusGroup) -> Value {
    json!({
        "id": group.id,
        "name": group.name,
        "color": group.color.name(),
        "option_ids": group.options,
    })
}
