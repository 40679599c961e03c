//! Values of expressions.

use std::cmp::Ordering;

use crate::model::{DateValue, Id, Workspace};

/// Value of an expression.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value {
    Empty,
    Text(String),
    Number(f64),
    Boolean(bool),
    Date(DateValue),
    Person(Id),
    Page(Id),
    List(Vec<Value>),
}

impl Value {
    /// Returns the name of the type.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Empty => "an empty value",
            Self::Text(_) => "a text",
            Self::Number(_) => "a number",
            Self::Boolean(_) => "a checkbox",
            Self::Date(_) => "a date",
            Self::Person(_) => "a person",
            Self::Page(_) => "a page",
            Self::List(_) => "a list",
        }
    }

    /// Reports whether there is no value. Zero and false are values that count as empty, as in formulas 2.0.
    pub(super) fn is_empty(&self) -> bool {
        match self {
            Self::Empty => true,
            Self::Text(text) => text.is_empty(),
            Self::Number(number) => *number == 0.0,
            Self::Boolean(boolean) => !boolean,
            Self::List(items) => items.is_empty(),
            Self::Date(_) | Self::Person(_) | Self::Page(_) => false,
        }
    }

    /// Returns the value as text.
    pub(crate) fn format(&self, workspace: &Workspace) -> String {
        match self {
            Self::Empty => String::new(),
            Self::Text(text) => text.clone(),
            Self::Number(number) => format_number(*number),
            Self::Boolean(boolean) => boolean.to_string(),
            Self::Date(date) => super::dates::readable(date),
            Self::Person(id) => workspace
                .user(*id)
                .map_or(String::new(), |user| user.name.clone()),
            Self::Page(id) => workspace.title(*id),
            Self::List(items) => {
                let items: Vec<String> = items.iter().map(|item| item.format(workspace)).collect();
                items.join(", ")
            }
        }
    }

    /// Compares two values of the same type. Values of different types are in the order of the types.
    pub(super) fn order(&self, other: &Self, workspace: &Workspace) -> Ordering {
        match (self, other) {
            (Self::Number(a), Self::Number(b)) => a.total_cmp(b),
            (Self::Boolean(a), Self::Boolean(b)) => a.cmp(b),
            (Self::Date(a), Self::Date(b)) => a.start.time.cmp(&b.start.time),
            (Self::Text(a), Self::Text(b)) => a.cmp(b),
            (a, b) => {
                let rank = |value: &Self| match value {
                    Self::Empty => 0,
                    Self::Boolean(_) => 1,
                    Self::Number(_) => 2,
                    Self::Date(_) => 3,
                    _ => 4,
                };
                let ranks = rank(a).cmp(&rank(b));
                ranks.then_with(|| a.format(workspace).cmp(&b.format(workspace)))
            }
        }
    }
}

/// Returns a number as JavaScript writes it, with a dot and without trailing zeros.
pub(super) fn format_number(number: f64) -> String {
    if number.is_infinite() {
        let text = if number < 0.0 {
            "-Infinity"
        } else {
            "Infinity"
        };
        return text.to_owned();
    }
    if number == 0.0 {
        return "0".to_owned();
    }
    let magnitude = number.abs();
    if (1e-6..1e21).contains(&magnitude) || number.is_nan() {
        return number.to_string();
    }
    let text = format!("{number:e}");
    match text.split_once('e') {
        Some((digits, exponent)) if !exponent.starts_with('-') => format!("{digits}e+{exponent}"),
        _ => text,
    }
}
