//! Values of properties as filters, sorts and rollups see them, with those that are computed.

use crate::formula::{Budget, FormulaError, Value, evaluate};
use crate::model::{
    Config, DateValue, Id, Node, Page, Property, PropertyType, PropertyValue, Time, Workspace,
};
use crate::view::{Rolled, roll_up_within};

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
    /// Returns the value of a property of a row. A formula with an error has no value.
    pub(crate) fn of(workspace: &Workspace, node: &Node, page: &Page, property: &Property) -> Self {
        Self::within(workspace, node, page, property, &Budget::default()).unwrap_or(Self::Empty)
    }

    /// Returns the value of a property of a row. Formulas and rollups take their work from the budget.
    ///
    /// # Errors
    ///
    /// Returns an error if a formula has one, or if the budget is exhausted.
    pub(crate) fn within(
        workspace: &Workspace,
        node: &Node,
        page: &Page,
        property: &Property,
        budget: &Budget,
    ) -> Result<Self, FormulaError> {
        budget.step(1)?;
        Ok(match (&property.config, page.values.get(&property.id)) {
            (Config::Formula(formula), _) => {
                let value = budget.nested(|| evaluate(workspace, node, page, formula, budget))?;
                Self::of_result(workspace, value)
            }
            (Config::Rollup(rollup), _) => {
                let rolled = budget.nested(|| roll_up_within(workspace, node, rollup, budget))?;
                match rolled {
                    Rolled::Number(None) | Rolled::Date(None) => Self::Empty,
                    Rolled::Number(Some(number)) => Self::Number(number),
                    Rolled::Date(Some(date)) => Self::Date(date),
                    Rolled::Array(values) => {
                        Self::Array(values.into_iter().map(|(_, cell)| cell).collect())
                    }
                }
            }
            (config, value) => match (config.kind(), value) {
                (PropertyType::CreatedTime, _) => Self::Time(node.created.time),
                (PropertyType::LastEditedTime, _) => Self::Time(node.edited.time),
                (PropertyType::CreatedBy, _) => Self::Ids(vec![node.created.by]),
                (PropertyType::LastEditedBy, _) => Self::Ids(vec![node.edited.by]),
                (PropertyType::Checkbox, value) => Self::Checkbox(value.is_some()),
                (_, None) => Self::Empty,
                (_, Some(value)) => Self::of_value(workspace, property, value),
            },
        })
    }

    /// Returns the result of a formula. Pages, people and lists are text, as in the API.
    fn of_result(workspace: &Workspace, value: Value) -> Self {
        match value {
            Value::Empty => Self::Empty,
            Value::Text(text) => Self::Text(text),
            Value::Number(number) => Self::Number(number),
            Value::Boolean(checked) => Self::Checkbox(checked),
            Value::Date(date) => Self::Date(date),
            other => Self::Text(other.format(workspace)),
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
            PropertyValue::Verification(it) => Self::Text(it.state(workspace.now).to_owned()),
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
