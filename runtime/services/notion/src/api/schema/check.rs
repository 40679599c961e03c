//! Checks of new properties and of changes of properties.

use super::Change;
use crate::formula::FormulaError;
use crate::input::{NewConfig, SchemaChange};
use crate::model::{Config, Id, Property, PropertyType, TITLE, Workspace};
use crate::refusal::{Noun, Outcome, Refusal};

/// Checks the properties of a new database.
pub(in crate::api) fn check_new(
    workspace: &Workspace,
    properties: &[(String, NewConfig)],
) -> Outcome<()> {
    let relation = |key: &str| {
        properties.iter().find_map(|(name, config)| match config {
            NewConfig::Relation { database, .. } if name == key => Some(*database),
            _ => None,
        })
    };
    for (_, config) in properties {
        check_config(workspace, config, relation)?;
        check_formula(config, |name| {
            properties.iter().any(|(known, _)| known == name)
        })?;
    }
    Ok(())
}

/// Checks that the properties exist to which a formula refers.
fn check_formula(config: &NewConfig, is_known: impl Fn(&str) -> bool) -> Outcome<()> {
    let NewConfig::Formula(formula) = config else {
        return Ok(());
    };
    match formula
        .properties()
        .into_iter()
        .find(|name| !is_known(name))
    {
        None => Ok(()),
        Some(name) => Err(Refusal::invalid(format!(
            "Type error with formula: {}.",
            FormulaError::Property(name.to_owned())
        ))),
    }
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
        | NewConfig::Formula(_)
        | NewConfig::Number(_)
        | NewConfig::Options(..)
        | NewConfig::UniqueId(_) => {}
    }
    Ok(())
}

/// Checks changes of the properties of a database.
pub(in crate::api) fn check_changes(
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
    let added: Vec<String> = changes.iter().map(|change| change.key.clone()).collect();
    let mut checked = Vec::new();
    for change in changes {
        if let Some(config) = &change.config {
            check_config(workspace, config, relation)?;
            check_formula(config, |name| {
                database.property(name).is_some() || added.iter().any(|added| added == name)
            })?;
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
