//! Filters of rows: conditions on properties, combined with `and` and `or`.

use super::condition::Condition;
use crate::cell::Cell;
use crate::input::Field;
use crate::model::{Config, Database, Node, Page, Property, PropertyType, Time, Workspace};
use crate::refusal::{Outcome, Refusal};

/// Levels of `and` and `or` (documentation of compound filters).
const LEVELS: usize = 2;
/// Maximum number of conditions in one group (documentation of request limits).
const MAX_PARTS: usize = 100;

/// Filter of the rows of a database.
#[derive(Debug, Clone)]
pub(crate) enum Filter<'a> {
    /// All parts hold.
    And(Vec<Filter<'a>>),
    /// A part holds.
    Or(Vec<Filter<'a>>),
    /// Condition on a property.
    Property(&'a Property, Test),
    /// Condition on the time of the creation or the last edit.
    Timestamp {
        /// Whether it is the creation.
        is_creation: bool,
        /// Condition.
        condition: Condition,
    },
}

/// Condition on a property.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Test {
    /// Condition on the value.
    Value(Condition),
    /// Condition on the values of a rollup.
    Rollup(Quantity, Condition),
}

/// Number of values of a rollup that meet a condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Quantity {
    /// `any`.
    Any,
    /// `every`.
    Every,
    /// `none`.
    None,
}

const QUANTITIES: [(&str, Quantity); 3] = [
    ("any", Quantity::Any),
    ("every", Quantity::Every),
    ("none", Quantity::None),
];

/// Constructor of a group of filters.
type Group<'a> = fn(Vec<Filter<'a>>) -> Filter<'a>;

impl<'a> Filter<'a> {
    /// Parses a filter of the rows of a database.
    pub(crate) fn parse(
        field: &Field<'_>,
        workspace: &'a Workspace,
        database: &'a Database,
    ) -> Outcome<Self> {
        Self::parse_level(field, workspace, database, LEVELS)
    }

    fn parse_level(
        field: &Field<'_>,
        workspace: &'a Workspace,
        database: &'a Database,
        levels: usize,
    ) -> Outcome<Self> {
        field.object()?;
        let groups: [(&str, Group<'a>); 2] = [("and", Self::And), ("or", Self::Or)];
        for (key, group) in groups {
            let Some(parts) = field.get(key).present() else {
                continue;
            };
            if levels == 0 {
                return Err(parts.should("not present"));
            }
            field.only(&[key])?;
            let parts = parts.items_within(MAX_PARTS)?;
            let parts = parts
                .iter()
                .map(|part| Self::parse_level(part, workspace, database, levels - 1));
            return Ok(group(parts.collect::<Outcome<_>>()?));
        }
        if let Some(timestamp) = field.get("timestamp").present() {
            return Self::timestamp(field, &timestamp, workspace.now);
        }
        let key = field.get("property");
        if key.is_absent() {
            let keys = ["or", "and", "property", "timestamp"];
            return Err(field.should_one(&keys.map(|key| field.get(key).complaint("defined"))));
        }
        let key = key.string()?;
        let property = database.property(key).ok_or_else(|| {
            Refusal::invalid(format!("Could not find property with name or id: {key}"))
        })?;
        let kind = property.config.kind();
        let name = kind.name();
        if field.get(name).is_absent() {
            return Err(mismatch(field, kind));
        }
        field.only(&["property", "type", name])?;
        let condition = field.get(name);
        let test = match &property.config {
            Config::Formula(_) => formula(&condition, workspace.now)?,
            Config::Rollup(_) => rollup(&condition, workspace.now)?,
            _ => Test::Value(Condition::parse(&condition, kind, workspace.now)?),
        };
        Ok(Self::Property(property, test))
    }

    fn timestamp(field: &Field<'_>, timestamp: &Field<'_>, now: Time) -> Outcome<Self> {
        let kinds = [PropertyType::CreatedTime, PropertyType::LastEditedTime];
        let kind = timestamp.one_of(&kinds, PropertyType::name)?;
        field.only(&["timestamp", "type", kind.name()])?;
        Ok(Self::Timestamp {
            is_creation: kind == PropertyType::CreatedTime,
            condition: Condition::parse(&field.get(kind.name()), kind, now)?,
        })
    }

    /// Reports whether a row meets the filter.
    pub(crate) fn holds(&self, workspace: &Workspace, node: &Node, page: &Page) -> bool {
        match self {
            Self::And(parts) => parts.iter().all(|part| part.holds(workspace, node, page)),
            Self::Or(parts) => parts.iter().any(|part| part.holds(workspace, node, page)),
            Self::Property(property, test) => {
                let cell = Cell::of(workspace, node, page, property);
                match test {
                    Test::Value(condition) => condition.holds(&cell),
                    Test::Rollup(quantity, condition) => quantity.holds(&cell, condition),
                }
            }
            Self::Timestamp {
                is_creation,
                condition,
            } => {
                let stamp = if *is_creation {
                    node.created
                } else {
                    node.edited
                };
                condition.holds(&Cell::Time(stamp.time))
            }
        }
    }
}

impl Quantity {
    fn holds(self, cell: &Cell, condition: &Condition) -> bool {
        let single = std::slice::from_ref(cell);
        let cells = match cell {
            Cell::Array(cells) => cells.as_slice(),
            _ => single,
        };
        let mut holding = cells.iter().map(|cell| condition.holds(cell));
        match self {
            Self::Any => holding.any(|holds| holds),
            Self::Every => holding.all(|holds| holds),
            Self::None => !holding.any(|holds| holds),
        }
    }
}

/// Returns the error of a filter for another type than that of its property.
fn mismatch(field: &Field<'_>, kind: PropertyType) -> Refusal {
    let other = PropertyType::ALL
        .iter()
        .find(|kind| !field.get(kind.name()).is_absent());
    match other {
        Some(other) => Refusal::invalid(format!(
            "database property {} does not match filter {}",
            kind.name(),
            other.name()
        )),
        None => field.should_one(&[field.get(kind.name()).complaint("defined")]),
    }
}

/// Parses a condition on the result of a formula, under the name of its type.
fn formula(field: &Field<'_>, now: Time) -> Outcome<Test> {
    field.object()?;
    let kinds = [
        ("string", PropertyType::RichText),
        ("checkbox", PropertyType::Checkbox),
        ("number", PropertyType::Number),
        ("date", PropertyType::Date),
    ];
    for (key, kind) in kinds {
        if let Some(condition) = field.get(key).present() {
            field.only(&[key])?;
            return Ok(Test::Value(Condition::parse(&condition, kind, now)?));
        }
    }
    Err(field.should_one(&kinds.map(|(key, _)| field.get(key).complaint("defined"))))
}

/// Parses a condition on a rollup: on its number or date, or on `any`, `every` or `none` of its values.
fn rollup(field: &Field<'_>, now: Time) -> Outcome<Test> {
    field.object()?;
    for kind in [PropertyType::Number, PropertyType::Date] {
        if let Some(condition) = field.get(kind.name()).present() {
            field.only(&[kind.name()])?;
            return Ok(Test::Value(Condition::parse(&condition, kind, now)?));
        }
    }
    for (key, quantity) in QUANTITIES {
        let Some(inner) = field.get(key).present() else {
            continue;
        };
        field.only(&[key])?;
        let kind = PropertyType::ALL
            .iter()
            .find(|kind| **kind != PropertyType::Rollup && !inner.get(kind.name()).is_absent());
        let Some(kind) = kind else {
            inner.object()?;
            return Err(inner.get("rich_text").should("defined"));
        };
        inner.only(&[kind.name()])?;
        let condition = Condition::parse(&inner.get(kind.name()), *kind, now)?;
        return Ok(Test::Rollup(quantity, condition));
    }
    let keys = ["any", "none", "every", "date", "number"];
    Err(field.should_one(&keys.map(|key| field.get(key).complaint("defined"))))
}
