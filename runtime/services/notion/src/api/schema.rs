//! Changes of the properties of databases.

use super::apply::new_option_id;
use crate::input::{NewConfig, NewOption, SchemaChange};
use crate::model::{
    Color, Config, Database, Id, Kind, Property, PropertyType, PropertyValue, Rollup, SelectOption,
    TITLE, Workspace,
};
use crate::refusal::{Noun, Outcome, Refusal};

/// Change of one property that was checked.
#[derive(Debug, Clone)]
pub(super) enum Change {
    /// New property.
    Add(String, NewConfig),
    /// Removal of the property with this id.
    Remove(String),
    /// Change of the name or type of the property with this id.
    Alter {
        id: String,
        name: Option<String>,
        config: Option<NewConfig>,
    },
}

/// Checks the properties of a new database.
pub(super) fn check_new(workspace: &Workspace, properties: &[(String, NewConfig)]) -> Outcome<()> {
    let relation = |key: &str| {
        properties.iter().find_map(|(name, config)| match config {
            NewConfig::Relation { database, .. } if name == key => Some(*database),
            _ => None,
        })
    };
    for (_, config) in properties {
        check_config(workspace, config, relation)?;
    }
    Ok(())
}

/// Checks what a type refers to. `relation` returns the related database of the relation with a name or id.
fn check_config(
    workspace: &Workspace,
    config: &NewConfig,
    relation: impl Fn(&str) -> Option<Id>,
) -> Outcome<()> {
    match config {
        NewConfig::Relation { database, .. } => {
            if workspace.database(*database).is_none() {
                return Err(Refusal::not_found(Noun::Database, *database));
            }
        }
        NewConfig::Rollup {
            relation: key,
            property,
            ..
        } => {
            let related = relation(key).and_then(|id| workspace.database(id));
            let Some((_, related)) = related else {
                return Err(Refusal::invalid(format!(
                    "Could not find relation property with name or id: {key}"
                )));
            };
            match related.property(property).map(|it| &it.config) {
                None => {
                    return Err(Refusal::invalid(format!(
                        "Could not find rollup property with name or id: {property}"
                    )));
                }
                Some(Config::Rollup(_)) => {
                    return Err(Refusal::invalid("Rollups of rollups are not supported."));
                }
                Some(_) => {}
            }
        }
        NewConfig::Plain(_)
        | NewConfig::Number(_)
        | NewConfig::Options(..)
        | NewConfig::UniqueId(_) => {}
    }
    Ok(())
}

/// Adds properties to a database. Rollups come last, because they may refer to relations of the same request.
pub(super) fn add(workspace: &mut Workspace, database: Id, properties: Vec<(String, NewConfig)>) {
    let names: Vec<String> = properties.iter().map(|(name, _)| name.clone()).collect();
    let is_rollup = |config: &NewConfig| matches!(config, NewConfig::Rollup { .. });
    let (rollups, others): (Vec<_>, Vec<_>) = properties
        .into_iter()
        .partition(|(_, config)| is_rollup(config));
    for (name, config) in others.into_iter().chain(rollups) {
        add_one(workspace, database, name, config);
    }
    if let Some(database) = workspace.database_mut(database) {
        // The order of the request.
        let position = |property: &Property| names.iter().position(|name| *name == property.name);
        database
            .properties
            .sort_by_key(|property| position(property).unwrap_or(usize::MAX));
    }
}

fn add_one(workspace: &mut Workspace, database: Id, name: String, config: NewConfig) {
    let id = match config {
        NewConfig::Plain(PropertyType::Title) => TITLE.to_owned(),
        _ => new_property_id(workspace, database),
    };
    let config = resolve(workspace, database, (&id, &name), config, &[]);
    let numbers = matches!(config, Config::UniqueId { .. });
    if let Some(database) = workspace.database_mut(database) {
        let name = free_name(database, name);
        database.properties.push(Property {
            id: id.clone(),
            name,
            config,
        });
    }
    if numbers {
        number_rows(workspace, database, &id);
    }
}

fn new_property_id(workspace: &mut Workspace, database: Id) -> String {
    let properties = match workspace.database(database) {
        Some((_, database)) => database.properties.iter().map(|it| it.id.clone()).collect(),
        None => Vec::new(),
    };
    workspace
        .ids
        .next_short(|id| properties.iter().any(|known: &String| known == id))
}

/// Returns the settings of a type, with new ids, and the other side of a two-way relation. `own` is the id and name of
/// the property.
fn resolve(
    workspace: &mut Workspace,
    database: Id,
    own: (&str, &str),
    config: NewConfig,
    known: &[SelectOption],
) -> Config {
    match config {
        NewConfig::Plain(kind) => Config::Plain(kind),
        NewConfig::Number(format) => Config::Number(format),
        NewConfig::UniqueId(prefix) => Config::UniqueId { prefix },
        NewConfig::Options(kind, given) => {
            let options = match given {
                Some(given) => options(workspace, given, known),
                None => known.to_vec(),
            };
            match kind {
                PropertyType::MultiSelect => Config::MultiSelect(options),
                _ => Config::Select(options),
            }
        }
        NewConfig::Relation {
            database: other,
            is_two_way,
        } => {
            let synced = is_two_way.then(|| other_side(workspace, database, other, own));
            Config::Relation {
                database: other,
                synced,
            }
        }
        NewConfig::Rollup {
            relation,
            property,
            function,
        } => {
            let own = workspace.database(database).map(|(_, database)| database);
            let relation = own.and_then(|own| own.property(&relation));
            let related = relation.and_then(|relation| match relation.config {
                Config::Relation { database, .. } => workspace.database(database),
                _ => None,
            });
            let target = related.and_then(|(_, related)| related.property(&property));
            Config::Rollup(Rollup {
                relation: relation.map(|it| it.id.clone()).unwrap_or_default(),
                property: target.map(|it| it.id.clone()).unwrap_or_default(),
                function,
            })
        }
    }
}

fn options(
    workspace: &mut Workspace,
    given: Vec<NewOption>,
    known: &[SelectOption],
) -> Vec<SelectOption> {
    let mut options: Vec<SelectOption> = Vec::with_capacity(given.len());
    for new in given {
        let same = known.iter().find(|it| {
            new.id.as_ref().is_some_and(|id| *id == it.id) || new.name.as_ref() == Some(&it.name)
        });
        let option = match same {
            Some(known) => SelectOption {
                name: new.name.unwrap_or_else(|| known.name.clone()),
                ..known.clone()
            },
            None => {
                let taken = known
                    .iter()
                    .chain(&options)
                    .map(|it| it.id.clone())
                    .collect();
                SelectOption {
                    id: new_option_id(workspace, taken),
                    name: new.name.unwrap_or_default(),
                    color: new.color.unwrap_or_else(|| Color::of_option(options.len())),
                }
            }
        };
        options.push(option);
    }
    options
}

/// Adds the other side of a two-way relation, and returns its id. Its name is the one that the service gives.
fn other_side(workspace: &mut Workspace, database: Id, other: Id, own: (&str, &str)) -> String {
    let (own_id, own_name) = own;
    let title = workspace.title(database);
    let id = new_property_id(workspace, other);
    let config = Config::Relation {
        database,
        synced: Some(own_id.to_owned()),
    };
    if let Some(other) = workspace.database_mut(other) {
        let wanted = format!("Related to {title} ({own_name})");
        let name = free_name(other, wanted);
        let id = id.clone();
        other.properties.push(Property { id, name, config });
    }
    id
}

fn free_name(database: &Database, wanted: String) -> String {
    let is_taken = |name: &str| database.properties.iter().any(|it| it.name == name);
    if !is_taken(&wanted) {
        return wanted;
    }
    let mut numbers = 1_u64..;
    let name = numbers.find_map(|number| {
        let name = format!("{wanted} {number}");
        (!is_taken(&name)).then_some(name)
    });
    name.unwrap_or(wanted)
}

/// Checks changes of the properties of a database.
pub(super) fn check_changes(
    workspace: &Workspace,
    id: Id,
    changes: Vec<SchemaChange>,
) -> Outcome<Vec<Change>> {
    let Some((_, database)) = workspace.database(id) else {
        return Err(Refusal::not_found(Noun::Database, id));
    };
    let mut names: Vec<(&str, String)> = database
        .properties
        .iter()
        .map(|it| (it.id.as_str(), it.name.clone()))
        .collect();
    let relation = |key: &str| match database.property(key).map(|it| &it.config) {
        Some(Config::Relation { database, .. }) => Some(*database),
        _ => None,
    };
    let mut checked = Vec::new();
    for change in changes {
        if let Some(config) = &change.config {
            check_config(workspace, config, relation)?;
        }
        let Some(property) = database.property(&change.key) else {
            let missing = || format!("{} is not a property that exists.", change.key);
            let Some(config) = change.config else {
                return Err(Refusal::invalid(missing()));
            };
            if config == NewConfig::Plain(PropertyType::Title) {
                return Err(Refusal::invalid(
                    "Cannot have more than one title property.",
                ));
            }
            let name = change.name.unwrap_or(change.key);
            names.push(("", name.clone()));
            checked.push(Change::Add(name, config));
            continue;
        };
        if change.is_removed {
            if property.id == TITLE {
                return Err(Refusal::invalid("Cannot delete the title property."));
            }
            names.retain(|(id, _)| *id != property.id);
            checked.push(Change::Remove(property.id.clone()));
            continue;
        }
        if let Some(name) = &change.name
            && let Some(entry) = names.iter_mut().find(|(id, _)| *id == property.id)
        {
            entry.1.clone_from(name);
        }
        if let Some(config) = &change.config {
            check_type(property, config)?;
        }
        checked.push(Change::Alter {
            id: property.id.clone(),
            name: change.name,
            config: change.config,
        });
    }
    let mut sorted: Vec<&String> = names.iter().map(|(_, name)| name).collect();
    sorted.sort_unstable();
    if let Some(pair) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(Refusal::invalid(format!(
            "Cannot create property with name {}, because a property with that name already exists.",
            pair[0]
        )));
    }
    Ok(checked)
}

fn check_type(property: &Property, config: &NewConfig) -> Outcome<()> {
    let is_title = *config == NewConfig::Plain(PropertyType::Title);
    if is_title != (property.id == TITLE) {
        return Err(Refusal::invalid(
            "Cannot change the type of, or to, the title property.",
        ));
    }
    if let NewConfig::Options(_, Some(given)) = config {
        let mut names: Vec<&str> = Vec::new();
        for new in given {
            let known =
                property.config.options().iter().find(|it| {
                    new.id.as_ref() == Some(&it.id) || new.name.as_ref() == Some(&it.name)
                });
            if known.is_some_and(|known| new.color.is_some_and(|color| color != known.color)) {
                let known = known.map(|it| it.name.as_str()).unwrap_or_default();
                return Err(Refusal::invalid(format!(
                    "Cannot update color of select with name: {known}."
                )));
            }
            let name = new.name.as_deref().or(known.map(|it| it.name.as_str()));
            if let Some(name) = name {
                if names.contains(&name) {
                    return Err(Refusal::invalid(format!("Duplicate option name: {name}")));
                }
                names.push(name);
            }
            if known.is_none() && new.name.is_none() {
                return Err(Refusal::invalid(
                    "Options must have the name or the id of an existing option.",
                ));
            }
        }
    }
    Ok(())
}

/// Makes checked changes.
pub(super) fn change(workspace: &mut Workspace, database: Id, changes: Vec<Change>) {
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
                        database.properties[index].name = free_name(database, name);
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

fn number_rows(workspace: &mut Workspace, database: Id, id: &str) {
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
