//! Mistakes in the properties of databases.

use super::MutationKind as K;
use super::changes::Changes;
use super::types::{retyped, set_values, values};
use super::{Edits, places, text};
use crate::api::schema::{Change, change};
use crate::formula::Formula;
use crate::input::NewConfig;
use crate::model::{
    Color, Config, Database, Id, Node, Property, PropertyType, PropertyValue, RollupFunction,
    TITLE, Workspace,
};

/// Maximum number of unchanged databases that are changed.
const INPUTS: usize = 3;

pub(super) fn edits<'a>(changes: &Changes<'a>, edits: &mut Edits<'a>) {
    let mut inputs = 0;
    for (node, database) in changes.databases() {
        let before = changes.start.database(node.id).map(|(_, before)| before);
        let is_changed = before.is_none_or(|before| before.properties != database.properties);
        if !is_changed {
            inputs += 1;
            let property = database.properties.last();
            if let Some(property) = property.filter(|_| inputs <= INPUTS) {
                renamed(changes, node.id, (database, property), K::EditInput, edits);
            }
            continue;
        }
        for property in &database.properties {
            let old = before.and_then(|before| by_id(before, &property.id));
            if old != Some(property) {
                mistakes(changes, node, (database, property), edits);
                if let Some(old) = old {
                    stale(changes, node.id, property, old, edits);
                }
            }
        }
        let (id, place) = (node.id, places::page(changes.end, node.id));
        edits.add(
            K::StrayProperty,
            place,
            "a property \"Stray\" added",
            move |workspace| {
                let text = NewConfig::Plain(PropertyType::RichText);
                change(workspace, id, vec![Change::Add("Stray".to_owned(), text)]);
            },
        );
        for old in before.map_or(&[][..], |before| &before.properties) {
            if by_id(database, &old.id).is_none() {
                restored(changes, node.id, old, edits);
            }
        }
    }
}

pub(super) fn by_id<'a>(database: &'a Database, id: &str) -> Option<&'a Property> {
    database
        .properties
        .iter()
        .find(|property| property.id == id)
}

/// Changes the settings of a property.
fn configure(workspace: &mut Workspace, database: Id, id: &str, to: impl FnOnce(&mut Property)) {
    if let Some(database) = workspace.database_mut(database)
        && let Some(property) = database.properties.iter_mut().find(|it| it.id == id)
    {
        to(property);
    }
}

pub(super) fn altered(id: &str, config: NewConfig) -> Vec<Change> {
    vec![Change::Alter {
        id: id.to_owned(),
        name: None,
        config: Some(config),
    }]
}

fn renamed<'a>(
    changes: &Changes<'a>,
    id: Id,
    (database, property): (&Database, &'a Property),
    kind: K,
    edits: &mut Edits<'a>,
) {
    let name = text::without_letter(&property.name);
    let is_free = |name: &String| database.properties.iter().all(|it| it.name != *name);
    if let Some(name) = name.filter(is_free) {
        let place = places::property(changes.end, id, property);
        edits.add(kind, place, format!("named {name:?}"), move |workspace| {
            configure(workspace, id, &property.id, |it| it.name.clone_from(&name));
        });
    }
}

fn mistakes<'a>(
    changes: &Changes<'a>,
    node: &Node,
    (database, property): (&'a Database, &'a Property),
    edits: &mut Edits<'a>,
) {
    let id = node.id;
    let place = places::property(changes.end, id, property);
    renamed(changes, id, (database, property), K::Name, edits);
    if property.id != TITLE {
        edits.add(
            K::LostProperty,
            place.as_str(),
            "missing",
            move |workspace| {
                change(workspace, id, vec![Change::Remove(property.id.clone())]);
            },
        );
        retyped(id, property, &place, edits);
    }
    match &property.config {
        Config::Number(format) => {
            let other = if *format == "number" {
                "percent"
            } else {
                "number"
            };
            edits.add(
                K::PropertySetting,
                place,
                format!("format {other}"),
                move |workspace| {
                    configure(workspace, id, &property.id, |it| {
                        it.config = Config::Number(other)
                    });
                },
            );
        }
        Config::Select(_) | Config::MultiSelect(_) | Config::Status { .. } => {
            options(changes, node, property, &place, edits);
        }
        Config::Relation { database, synced } => {
            let related = (*database, synced.as_deref());
            relation(changes, id, property, related, &place, edits);
        }
        Config::Rollup(rollup) => {
            let other = match rollup.function {
                RollupFunction::ShowOriginal => RollupFunction::ShowUnique,
                RollupFunction::Sum => RollupFunction::Average,
                RollupFunction::Count => RollupFunction::UniqueValues,
                RollupFunction::EarliestDate => RollupFunction::LatestDate,
                RollupFunction::LatestDate => RollupFunction::EarliestDate,
                RollupFunction::PercentChecked => RollupFunction::Checked,
                _ => RollupFunction::Count,
            };
            let what = format!("function {}", other.name());
            edits.add(K::PropertySetting, place, what, move |workspace| {
                configure(workspace, id, &property.id, |it| {
                    if let Config::Rollup(rollup) = &mut it.config {
                        rollup.function = other;
                    }
                });
            });
        }
        Config::UniqueId { prefix } => {
            let other = prefix.is_none().then(|| "X".to_owned());
            edits.add(
                K::PropertySetting,
                place,
                "another prefix",
                move |workspace| {
                    configure(workspace, id, &property.id, |it| {
                        it.config = Config::UniqueId {
                            prefix: other.clone(),
                        };
                    });
                },
            );
        }
        Config::Formula(formula) => {
            let other = text::other_number(formula.expression());
            if let Some((found, other, expression)) = other
                && let Ok(formula) = Formula::parse(&expression)
            {
                let what = format!("{found} is {other} in the formula");
                edits.add(K::PropertySetting, place, what, move |workspace| {
                    configure(workspace, id, &property.id, |it| {
                        it.config = Config::Formula(formula.clone());
                    });
                });
            }
        }
        Config::Plain(_) => {}
    }
}

/// Mistakes in the options of a property.
fn options<'a>(
    changes: &Changes<'a>,
    node: &Node,
    property: &'a Property,
    place: &str,
    edits: &mut Edits<'a>,
) {
    let (end, id) = (changes.end, node.id);
    let options = property.config.options();
    let is_used = |option: &str| {
        let rows = node.children.iter().filter_map(|id| end.page(*id));
        let mut values = rows.filter_map(|(_, page)| page.values.get(&property.id));
        values.any(|value| match value {
            PropertyValue::Option(id) => id == option,
            PropertyValue::Options(ids) => ids.iter().any(|id| id == option),
            _ => false,
        })
    };
    for (index, option) in options.iter().enumerate() {
        let mut configured = |kind, what: String, to: Box<dyn Fn(&mut Property) + 'a>| {
            edits.add(kind, place, what, move |workspace| {
                configure(workspace, id, &property.id, &to);
            });
        };
        let name = text::without_letter(&option.name);
        if let Some(name) = name.filter(|name| options.iter().all(|it| it.name != *name)) {
            let what = format!("option {:?} is {name:?}", option.name);
            configured(
                K::Name,
                what,
                Box::new(move |property| {
                    if let Some(options) = property.config.options_mut() {
                        options[index].name.clone_from(&name);
                    }
                }),
            );
        }
        let names = ["red", "blue"].into_iter().filter_map(Color::parse_option);
        if let Some(color) = names.into_iter().find(|color| *color != option.color) {
            let what = format!("option {:?} is {}", option.name, color.name());
            configured(
                K::PropertySetting,
                what,
                Box::new(move |property| {
                    if let Some(options) = property.config.options_mut() {
                        options[index].color = color;
                    }
                }),
            );
        }
        if !is_used(&option.id) {
            let what = format!("option {:?} is missing", option.name);
            configured(
                K::PropertySetting,
                what,
                Box::new(move |property| {
                    if let Some(options) = property.config.options_mut() {
                        let removed = options.remove(index).id;
                        if let Config::Status { groups, .. } = &mut property.config {
                            for group in groups {
                                group.options.retain(|id| *id != removed);
                            }
                        }
                    }
                }),
            );
        }
    }
}

/// Mistakes in a relation.
fn relation<'a>(
    changes: &Changes<'a>,
    id: Id,
    property: &'a Property,
    (related, synced): (Id, Option<&'a str>),
    place: &str,
    edits: &mut Edits<'a>,
) {
    if let Some(synced) = synced {
        edits.add(K::RelationSetting, place, "one-way", move |workspace| {
            change(workspace, related, vec![Change::Remove(synced.to_owned())]);
        });
    } else {
        edits.add(K::RelationSetting, place, "two-way", move |workspace| {
            let values = values(workspace, id, &property.id);
            let config = NewConfig::Relation {
                database: related,
                is_two_way: true,
            };
            change(workspace, id, altered(&property.id, config));
            set_values(workspace, id, &property.id, values);
        });
    }
    let other = changes.databases().find(|(node, _)| node.id != related);
    if let Some((other, _)) = other {
        let database = other.id;
        let what = format!("to {:?}", changes.end.title(database));
        edits.add(K::RelationSetting, place, what, move |workspace| {
            let config = NewConfig::Relation {
                database,
                is_two_way: synced.is_some(),
            };
            change(workspace, id, altered(&property.id, config));
        });
    }
}

/// A property with the name or the settings of the starting state, if the values of the rows allow it.
fn stale<'a>(
    changes: &Changes<'a>,
    id: Id,
    property: &'a Property,
    old: &'a Property,
    edits: &mut Edits<'a>,
) {
    let place = places::property(changes.end, id, property);
    if old.name != property.name {
        edits.add(K::Stale, place, "name of the start", move |workspace| {
            configure(workspace, id, &property.id, |it| {
                it.name.clone_from(&old.name)
            });
        });
        return;
    }
    let has_options = |id: &String| old.config.option(id).is_some();
    let is_possible = match &old.config {
        Config::Relation { .. } | Config::Rollup(_) => false,
        config if config.kind() != property.config.kind() => false,
        _ => values(changes.end, id, &property.id)
            .iter()
            .all(|(_, value)| match value {
                PropertyValue::Option(id) => has_options(id),
                PropertyValue::Options(ids) => ids.iter().all(has_options),
                _ => true,
            }),
    };
    if is_possible {
        edits.add(K::Stale, place, "settings of the start", move |workspace| {
            configure(workspace, id, &property.id, |it| {
                it.config = old.config.clone()
            });
        });
    }
}

/// A property that the solution removed, with the values of the starting state.
fn restored<'a>(changes: &Changes<'a>, id: Id, old: &'a Property, edits: &mut Edits<'a>) {
    if matches!(old.config, Config::Relation { .. } | Config::Rollup(_)) {
        return;
    }
    let place = places::property(changes.end, id, old);
    let before = values(changes.start, id, &old.id);
    edits.add(K::Stale, place, "still there", move |workspace| {
        let Some(database) = workspace.database_mut(id) else {
            return;
        };
        if database.properties.iter().any(|it| it.name == old.name) {
            return;
        }
        database.properties.push(old.clone());
        set_values(workspace, id, &old.id, before.clone());
    });
}
