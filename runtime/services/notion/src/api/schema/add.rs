//! New properties of databases.

use super::alter::number_rows;
use crate::api::apply::new_option_id;
use crate::input::{NewConfig, NewOption};
use crate::model::{
    Color, Config, Database, Id, Property, PropertyType, Rollup, SelectOption, TITLE, Workspace,
};

/// Adds properties to a database. Rollups come last, because they may refer to relations of the same request.
pub(crate) fn add(workspace: &mut Workspace, database: Id, properties: Vec<(String, NewConfig)>) {
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

pub(super) fn add_one(workspace: &mut Workspace, database: Id, name: String, config: NewConfig) {
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
pub(super) fn resolve(
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
        NewConfig::Formula(formula) => Config::Formula(formula),
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

pub(super) fn free_name(database: &Database, wanted: String) -> String {
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
