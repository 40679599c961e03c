//! Values of properties as filters, sorts and rollups see them, with those that are computed.

use crate::model::{
    Config, DateValue, Id, Node, Page, Property, PropertyType, PropertyValue, Time, Workspace,
};
use crate::view::{Rolled, roll_up};

/// Value of a property of one row.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Cell {
    /// No value.
    Empty,
    /// Text.
    Text(String),
    /// Number.
    Number(f64),
    /// Option, with its position in the schema.
    Option {
        /// Position.
        position: usize,
        /// Name.
        name: String,
    },
    /// Names of options.
    Options(Vec<String>),
    /// Date.
    Date(DateValue),
    /// Time of a creation or an edit.
    Time(Time),
    /// Users or pages.
    Ids(Vec<Id>),
    /// Number of files.
    Files(usize),
    /// Checkbox.
    Checkbox(bool),
    /// Original values of a rollup.
    Array(Vec<Cell>),
}

impl Cell {
    /// Returns the value of a property of a row.
    pub(crate) fn of(workspace: &Workspace, node: &Node, page: &Page, property: &Property) -> Self {
        match property.config.kind() {
            PropertyType::CreatedTime => return Self::Time(node.created.time),
            PropertyType::LastEditedTime => return Self::Time(node.edited.time),
            PropertyType::CreatedBy => return Self::Ids(vec![node.created.by]),
            PropertyType::LastEditedBy => return Self::Ids(vec![node.edited.by]),
            PropertyType::Checkbox => {
                return Self::Checkbox(page.values.contains_key(&property.id));
            }
            _ => {}
        }
        if let Config::Rollup(rollup) = &property.config {
            return match roll_up(workspace, node, rollup) {
                Rolled::Number(None) | Rolled::Date(None) => Self::Empty,
                Rolled::Number(Some(number)) => Self::Number(number),
                Rolled::Date(Some(date)) => Self::Date(date),
                Rolled::Array(values) => {
                    Self::Array(values.into_iter().map(|(_, cell)| cell).collect())
                }
            };
        }
        match page.values.get(&property.id) {
            None => Self::Empty,
            Some(value) => Self::of_value(workspace, property, value),
        }
    }

    fn of_value(workspace: &Workspace, property: &Property, value: &PropertyValue) -> Self {
        let options = property.config.options();
        match value {
            PropertyValue::Text(text) => Self::Text(workspace.plain(text)),
            PropertyValue::Number(number) => Self::Number(*number),
            PropertyValue::Option(id) => match options.iter().position(|option| option.id == *id) {
                Some(position) => Self::Option {
                    position,
                    name: options[position].name.clone(),
                },
                None => Self::Empty,
            },
            PropertyValue::Options(ids) => {
                let names = ids.iter().filter_map(|id| property.config.option(id));
                Self::Options(names.map(|option| option.name.clone()).collect())
            }
            PropertyValue::Date(date) => Self::Date(date.clone()),
            PropertyValue::People(ids) => Self::Ids(ids.clone()),
            PropertyValue::Relation(ids) => {
                let live = ids.iter().copied().filter(|id| !workspace.is_trashed(*id));
                Self::Ids(live.collect())
            }
            PropertyValue::Files(files) => Self::Files(files.len()),
            PropertyValue::Checked => Self::Checkbox(true),
            PropertyValue::Line(text) => Self::Text(text.clone()),
            PropertyValue::Serial(number) => Self::Number(*number as f64),
        }
    }

    /// Reports whether there is no value.
    pub(crate) fn is_empty(&self) -> bool {
        match self {
            Self::Empty => true,
            Self::Text(text) => text.is_empty(),
            Self::Options(names) => names.is_empty(),
            Self::Ids(ids) => ids.is_empty(),
            Self::Files(count) => *count == 0,
            Self::Array(cells) => cells.is_empty(),
            Self::Number(_)
            | Self::Option { .. }
            | Self::Date(_)
            | Self::Time(_)
            | Self::Checkbox(_) => false,
        }
    }
}
