//! Mistakes in the values of rows.

use super::MutationKind as K;
use super::changes::{ChangedValue, Changes};
use super::{Edits, places, text};
use crate::model::{
    Config, Id, Property, PropertyType, PropertyValue, RichText, UserKind, Workspace,
};

/// Mistake in a value: its kind, a description, and the value with the mistake.
pub(super) type Mistake = (K, String, Option<PropertyValue>);

pub(super) fn edits<'a>(changes: &Changes<'a>, edits: &mut Edits<'a>) {
    let values = changes.values();
    for value in &values {
        let ChangedValue {
            row,
            property,
            before,
            after,
        } = *value;
        if property.config.kind() == PropertyType::UniqueId {
            continue;
        }
        let place = places::property(changes.end, row, property);
        let mut add = |kind, what: String, other: Option<PropertyValue>| {
            edits.add(kind, place.as_str(), what, move |workspace| {
                workspace.set_value(row, property, other.clone());
            });
        };
        for (kind, what, other) in mistakes(changes.end, row, property, after) {
            add(kind, what, other);
        }
        if !changes.is_new(row) && is_valid(changes.end, property, before) {
            add(
                K::Stale,
                "as it was at the start".to_owned(),
                before.cloned(),
            );
        }
    }
    swapped(changes, &values, edits);
}

/// Returns the mistakes that a value can have.
pub(super) fn mistakes(
    workspace: &Workspace,
    row: Id,
    property: &Property,
    value: Option<&PropertyValue>,
) -> Vec<Mistake> {
    let kind = property.config.kind();
    let Some(value) = value else {
        // A box without a check has no value.
        return match kind {
            PropertyType::Checkbox => {
                vec![(
                    K::Checkbox,
                    "checked".to_owned(),
                    Some(PropertyValue::Checked),
                )]
            }
            _ => Vec::new(),
        };
    };
    let mut mistakes: Vec<Mistake> = match value {
        PropertyValue::Text(text) => texts(workspace, kind, text),
        PropertyValue::Number(number) => {
            let other = text::other_value(*number);
            vec![(
                K::Number,
                format!("{number} is {other}"),
                Some(PropertyValue::Number(other)),
            )]
        }
        PropertyValue::Option(id) => options(property, std::slice::from_ref(id), |ids| {
            PropertyValue::Option(ids[0].clone())
        }),
        PropertyValue::Options(ids) => several_options(property, ids),
        PropertyValue::Date(date) => dates(date),
        PropertyValue::People(people) => self::people(workspace, people),
        PropertyValue::Checked => {
            return vec![(K::Checkbox, "not checked".to_owned(), None)];
        }
        PropertyValue::Line(line) => lines(line),
        PropertyValue::Relation(rows) => relations(workspace, row, property, rows),
        PropertyValue::Files(_) | PropertyValue::Serial(_) | PropertyValue::Verification(_) => {
            Vec::new()
        }
    };
    let is_single = !matches!(
        value,
        PropertyValue::Relation(_) | PropertyValue::People(_) | PropertyValue::Serial(_)
    );
    if is_single {
        mistakes.push((K::EmptyValue, "no value".to_owned(), None));
    }
    mistakes
}

fn texts(workspace: &Workspace, kind: PropertyType, text: &[RichText]) -> Vec<Mistake> {
    let all = match kind {
        PropertyType::Title => text::title_mistakes(text),
        _ => text::text_mistakes(workspace, text),
    };
    all.into_iter()
        .map(|(kind, what, text)| {
            let value = (!text.is_empty()).then_some(PropertyValue::Text(text));
            (kind, what, value)
        })
        .collect()
}

/// Returns the option after the last of those given instead of it.
fn options(
    property: &Property,
    ids: &[String],
    value: impl Fn(&[String]) -> PropertyValue,
) -> Vec<Mistake> {
    let all = property.config.options();
    let at = ids
        .last()
        .and_then(|id| all.iter().position(|option| option.id == *id));
    let Some(at) = at else {
        return Vec::new();
    };
    let after = all.iter().cycle().skip(at + 1).take(all.len());
    let other = after.into_iter().find(|option| !ids.contains(&option.id));
    let Some(other) = other else {
        return Vec::new();
    };
    let what = format!("{:?} is {:?}", all[at].name, other.name);
    let rest = &ids[..ids.len() - 1];
    let mut replaced = rest.to_vec();
    replaced.push(other.id.clone());
    vec![(K::Option, what, Some(value(&replaced)))]
}

fn several_options(property: &Property, ids: &[String]) -> Vec<Mistake> {
    let value = |ids: &[String]| PropertyValue::Options(ids.to_vec());
    let mut mistakes = options(property, ids, value);
    let name = |id: &String| {
        let option = property.config.option(id);
        option.map_or(String::new(), |option| option.name.clone())
    };
    if let [rest @ .., last] = ids
        && !rest.is_empty()
    {
        let what = format!("without {:?}", name(last));
        mistakes.push((K::Option, what, Some(value(rest))));
    }
    let all = property.config.options();
    if let Some(other) = all.iter().find(|option| !ids.contains(&option.id)) {
        let mut more = ids.to_vec();
        more.push(other.id.clone());
        let what = format!("{:?} as well", other.name);
        mistakes.push((K::Option, what, Some(value(&more))));
    }
    mistakes
}

fn dates(date: &crate::model::DateValue) -> Vec<Mistake> {
    let mut mistakes = Vec::new();
    for days in [1, -1] {
        if let Some(other) = text::shifted(date, days) {
            let what = format!("{} is {}", date.plain(), other.plain());
            mistakes.push((K::Date, what, Some(PropertyValue::Date(other))));
        }
    }
    if let Some((what, other)) = text::simpler(date) {
        mistakes.push((K::DateForm, what, Some(PropertyValue::Date(other))));
    }
    mistakes
}

fn people(workspace: &Workspace, people: &[Id]) -> Vec<Mistake> {
    let is_person = |kind: &UserKind| matches!(kind, UserKind::Person(_));
    let other = workspace
        .users
        .iter()
        .find(|user| is_person(&user.kind) && !people.contains(&user.id));
    let candidate = other.map(|user| (user.id, user.name.clone()));
    id_mistakes(K::Person, people, candidate, PropertyValue::People)
}

fn relations(workspace: &Workspace, row: Id, property: &Property, rows: &[Id]) -> Vec<Mistake> {
    let Config::Relation { database, .. } = property.config else {
        return Vec::new();
    };
    let Some((node, _)) = workspace.database(database) else {
        return Vec::new();
    };
    // The row after a related one is a likely mistake.
    let all: Vec<Id> = workspace.live_children(node).map(|node| node.id).collect();
    let at = rows
        .last()
        .and_then(|last| all.iter().position(|id| id == last))
        .unwrap_or(0);
    let after = all.iter().cycle().skip(at + 1).take(all.len());
    let other = after
        .copied()
        .find(|id| !rows.contains(id) && *id != row)
        .map(|id| (id, workspace.title(id)));
    id_mistakes(K::Relation, rows, other, PropertyValue::Relation)
}

/// Returns another id instead of the last one, an additional one, and one less.
fn id_mistakes(
    kind: K,
    ids: &[Id],
    other: Option<(Id, String)>,
    value: fn(Vec<Id>) -> PropertyValue,
) -> Vec<Mistake> {
    let mut mistakes = Vec::new();
    let Some((_, rest)) = ids.split_last() else {
        return mistakes;
    };
    if let Some((other, name)) = other {
        let replaced = [rest, &[other]].concat();
        let what = format!("{name:?} instead of the last");
        mistakes.push((kind, what, Some(value(replaced))));
        let more = [ids, &[other]].concat();
        mistakes.push((kind, format!("{name:?} as well"), Some(value(more))));
    }
    let less = (!rest.is_empty()).then(|| value(rest.to_vec()));
    mistakes.push((kind, "without the last".to_owned(), less));
    mistakes
}

fn lines(line: &str) -> Vec<Mistake> {
    let mistakes = text::text_mistakes_of_line(line).into_iter();
    mistakes
        .map(|(kind, what, line)| (kind, what, Some(PropertyValue::Line(line))))
        .collect()
}

/// Reports whether a value of the starting state is possible in the final one: its options and rows still exist.
fn is_valid(workspace: &Workspace, property: &Property, value: Option<&PropertyValue>) -> bool {
    let is_option = |id: &String| property.config.option(id).is_some();
    match (value, &property.config) {
        (None, _) => true,
        (Some(PropertyValue::Option(id)), Config::Select(_) | Config::Status { .. }) => {
            is_option(id)
        }
        (Some(PropertyValue::Options(ids)), Config::MultiSelect(_)) => ids.iter().all(is_option),
        (Some(PropertyValue::Relation(ids)), Config::Relation { database, .. }) => {
            ids.iter().all(|id| {
                let parent = workspace.nodes.get(id).map(|node| node.parent);
                parent == Some(crate::model::Parent::Database(*database))
            })
        }
        (Some(value), Config::Number(_)) => matches!(value, PropertyValue::Number(_)),
        (Some(value), Config::Plain(kind)) => is_of(value, *kind),
        _ => false,
    }
}

fn is_of(value: &PropertyValue, kind: PropertyType) -> bool {
    use PropertyType as T;
    match value {
        PropertyValue::Text(_) => matches!(kind, T::Title | T::RichText),
        PropertyValue::Date(_) => kind == T::Date,
        PropertyValue::People(_) => kind == T::People,
        PropertyValue::Files(_) => kind == T::Files,
        PropertyValue::Checked => kind == T::Checkbox,
        PropertyValue::Line(_) => matches!(kind, T::Url | T::Email | T::PhoneNumber),
        _ => false,
    }
}

/// Swaps the values of consecutive changed rows in one property.
fn swapped<'a>(changes: &Changes<'a>, values: &[ChangedValue<'a>], edits: &mut Edits<'a>) {
    for (index, first) in values.iter().enumerate() {
        let kind = first.property.config.kind();
        if matches!(kind, PropertyType::Title | PropertyType::UniqueId) {
            continue;
        }
        let second = values[index + 1..].iter().find(|second| {
            std::ptr::eq(second.property, first.property) && second.after != first.after
        });
        let (Some(second), Some(_)) = (second, first.after) else {
            continue;
        };
        let what = format!("swapped with {:?}", changes.end.title(second.row));
        let place = places::property(changes.end, first.row, first.property);
        let (property, one, two) = (first.property, first.row, second.row);
        let (of_one, of_two) = (first.after.cloned(), second.after.cloned());
        edits.add(K::SwappedValues, place, what, move |workspace| {
            workspace.set_value(one, property, of_two.clone());
            workspace.set_value(two, property, of_one.clone());
        });
    }
}
