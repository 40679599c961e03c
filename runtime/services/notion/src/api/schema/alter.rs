//! Changes and removals of properties of databases, with the values of their rows.

use super::Change;
use super::add::{add_one, free_name, resolve};
use crate::formula::Formula;
use crate::input::NewConfig;
use crate::model::{Config, Database, Id, Kind, PropertyType, PropertyValue, Workspace};

/// Makes checked changes.
pub(crate) fn change(workspace: &mut Workspace, database: Id, changes: Vec<Change>) {
    for change in changes {
        match change {
            Change::Add(name, config) => add_one(workspace, database, name, config),
            Change::Remove(id) => remove(workspace, database, &id),
            Change::Alter { id, name, config } => {
                if let Some(name) = name {
                    let database = workspace.database_mut(database);
                    let index = database.as_ref().and_then(|it| it.index_of(&id));
                    if let (Some(database), Some(index)) = (database, index)
                        && database.properties[index].name != name
                    {
                        let name = free_name(database, name);
                        rename_in_formulas(database, index, &name);
                        database.properties[index].name = name;
                    }
                }
                if let Some(config) = config {
                    alter(workspace, database, &id, config);
                }
            }
        }
    }
    prune_rollups(workspace);
}

/// Replaces the name of a property in the formulas of its database.
fn rename_in_formulas(database: &mut Database, index: usize, name: &str) {
    let quoted = |name: &str| {
        let escaped = name.replace('\\', "\\\\").replace('"', "\\\"");
        format!("prop(\"{escaped}\")")
    };
    let (old, new) = (quoted(&database.properties[index].name), quoted(name));
    for property in &mut database.properties {
        if let Config::Formula(formula) = &mut property.config
            && let Ok(renamed) = Formula::parse(&formula.expression().replace(&old, &new))
        {
            *formula = renamed;
        }
    }
}

/// Changes the type of a property. Values are kept if the type stays, or changes between select and multi-select.
fn alter(workspace: &mut Workspace, database: Id, id: &str, config: NewConfig) {
    let Some(before) = workspace
        .database(database)
        .and_then(|(_, it)| it.property(id))
        .cloned()
    else {
        return;
    };
    let known = before.config.options().to_vec();
    let keeps_relation = matches!(
        (&before.config, &config),
        (Config::Relation { database: a, synced }, NewConfig::Relation { database: b, is_two_way })
            if a == b && synced.is_some() == *is_two_way
    );
    if keeps_relation || before.config.kind() == PropertyType::Title {
        return;
    }
    if matches!(before.config, Config::Relation { .. }) {
        unlink(workspace, database, id);
    }
    let own = (before.id.as_str(), before.name.as_str());
    let after = resolve(workspace, database, own, config, &known);
    let rows = rows(workspace, database);
    for row in rows {
        let Some(page) = workspace.page_mut(row) else {
            continue;
        };
        if let Some(value) = page.values.remove(id)
            && let Some(value) = converted(value, &before.config, &after)
        {
            page.values.insert(id.to_owned(), value);
        }
    }
    if after.kind() == PropertyType::UniqueId {
        number_rows(workspace, database, id);
    }
    if let Some(database) = workspace.database_mut(database)
        && let Some(index) = database.index_of(id)
    {
        database.properties[index].config = after;
    }
}

pub(super) fn number_rows(workspace: &mut Workspace, database: Id, id: &str) {
    for (row, number) in rows(workspace, database).into_iter().zip(1..) {
        if let Some(page) = workspace.page_mut(row) {
            page.values
                .insert(id.to_owned(), PropertyValue::Serial(number));
        }
    }
}

fn rows(workspace: &Workspace, database: Id) -> Vec<Id> {
    workspace
        .database(database)
        .map_or(Vec::new(), |(node, _)| node.children.clone())
}

fn converted(value: PropertyValue, before: &Config, after: &Config) -> Option<PropertyValue> {
    let exists = |id: &String| after.option(id).is_some();
    match (value, after.kind()) {
        (PropertyValue::Option(id), PropertyType::Select) if exists(&id) => {
            Some(PropertyValue::Option(id))
        }
        (PropertyValue::Option(id), PropertyType::MultiSelect) if exists(&id) => {
            Some(PropertyValue::Options(vec![id]))
        }
        (PropertyValue::Options(ids), PropertyType::MultiSelect) => {
            let ids: Vec<String> = ids.into_iter().filter(exists).collect();
            (!ids.is_empty()).then_some(PropertyValue::Options(ids))
        }
        (PropertyValue::Options(ids), PropertyType::Select) => {
            ids.into_iter().find(exists).map(PropertyValue::Option)
        }
        (PropertyValue::Option(_) | PropertyValue::Options(_) | PropertyValue::Relation(_), _) => {
            None
        }
        (value, kind) => (before.kind() == kind).then_some(value),
    }
}

/// Removes a property with its values.
fn remove(workspace: &mut Workspace, database: Id, id: &str) {
    unlink(workspace, database, id);
    if let Some(database) = workspace.database_mut(database) {
        database.properties.retain(|property| property.id != id);
    }
    for row in rows(workspace, database) {
        if let Some(page) = workspace.page_mut(row) {
            page.values.remove(id);
        }
    }
}

/// Makes the other side of a two-way relation one-way.
fn unlink(workspace: &mut Workspace, database: Id, id: &str) {
    let property = workspace
        .database(database)
        .and_then(|(_, it)| it.property(id))
        .cloned();
    if let Some(Config::Relation {
        database: other,
        synced: Some(synced),
    }) = property.map(|it| it.config)
        && let Some(other) = workspace.database_mut(other)
        && let Some(index) = other.index_of(&synced)
        && let Config::Relation { synced, .. } = &mut other.properties[index].config
    {
        *synced = None;
    }
}

/// Removes rollups whose relation or summarised property is gone, or has become a rollup.
fn prune_rollups(workspace: &mut Workspace) {
    let databases: Vec<Id> = workspace
        .nodes
        .values()
        .filter(|node| matches!(node.kind, Kind::Database(_)))
        .map(|node| node.id)
        .collect();
    let mut broken: Vec<(Id, String)> = Vec::new();
    for id in databases {
        let Some((_, database)) = workspace.database(id) else {
            continue;
        };
        for property in &database.properties {
            let Config::Rollup(rollup) = &property.config else {
                continue;
            };
            let related = match database.property(&rollup.relation).map(|it| &it.config) {
                Some(Config::Relation { database, .. }) => workspace.database(*database),
                _ => None,
            };
            let target = related.and_then(|(_, related)| related.property(&rollup.property));
            if target.is_none_or(|it| it.config.kind() == PropertyType::Rollup) {
                broken.push((id, property.id.clone()));
            }
        }
    }
    for (id, property) in broken {
        if let Some(database) = workspace.database_mut(id) {
            database.properties.retain(|it| it.id != property);
        }
    }
}
