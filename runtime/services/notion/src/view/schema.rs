//! Properties of a database in responses.

use serde_json::{Map, Value, json};

use crate::model::{Config, Database, Property, SelectOption, StatusGroup, Workspace};

/// Returns a property of a database.
pub(crate) fn property(workspace: &Workspace, database: &Database, property: &Property) -> Value {
    let kind = property.config.kind().name();
    let settings = config(workspace, database, &property.config);
    if workspace.version.has_data_sources() {
        // Worlds do not describe properties.
        return json!({
            "id": property.id,
            "name": property.name,
            "description": null,
            "type": kind,
            kind: settings,
        });
    }
    json!({
        "id": property.id,
        "name": property.name,
        "type": kind,
        kind: settings,
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
    let mut all = Map::new();
    if workspace.version.has_data_sources() {
        let (source, database) = workspace.data_source_ids(other);
        all.insert("database_id".to_owned(), json!(database.to_string()));
        all.insert("data_source_id".to_owned(), json!(source.to_string()));
    } else {
        all.insert("database_id".to_owned(), json!(other.to_string()));
    }
    let (kind, side) = match synced {
        None => ("single_property", json!({})),
        Some(id) => {
            let property = other_database.and_then(|database| database.property(id));
            let side = json!({
                "synced_property_name": property.map(|property| &property.name),
                "synced_property_id": id,
            });
            ("dual_property", side)
        }
    };
    all.insert("type".to_owned(), json!(kind));
    all.insert(kind.to_owned(), side);
    Value::Object(all)
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
