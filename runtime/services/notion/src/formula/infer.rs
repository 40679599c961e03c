//! Types of results of formulas that have no value.

use super::functions::Function as F;
use super::{Expression, Formula, Value};
use crate::model::{Config, Database, PropertyType};

/// Type of a result in the API.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ResultType {
    /// `string`.
    String,
    /// `number`.
    Number,
    /// `boolean`.
    Boolean,
    /// `date`.
    Date,
}

impl ResultType {
    /// Returns the name in the API.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::String => "string",
            Self::Number => "number",
            Self::Boolean => "boolean",
            Self::Date => "date",
        }
    }
}

impl Formula {
    /// Returns the type of a result. A result without a value has the type that the expression has for other rows, as
    /// far as it can be told without values.
    pub(crate) fn result_type(&self, database: &Database, value: &Value) -> ResultType {
        match value {
            Value::Number(_) => ResultType::Number,
            Value::Boolean(_) => ResultType::Boolean,
            Value::Date(_) => ResultType::Date,
            Value::Empty => of(&self.root, database).unwrap_or(ResultType::String),
            Value::Text(_) | Value::Person(_) | Value::Page(_) | Value::List(_) => {
                ResultType::String
            }
        }
    }
}

/// Returns the type of an expression, or `None` if it depends on values.
fn of(expression: &Expression, database: &Database) -> Option<ResultType> {
    match expression {
        Expression::Number(_) => Some(ResultType::Number),
        Expression::Text(_) => Some(ResultType::String),
        Expression::Boolean(_) => Some(ResultType::Boolean),
        Expression::Property(name) => match &database.property(name)?.config {
            Config::Number(_) => Some(ResultType::Number),
            Config::Formula(_) | Config::Rollup(_) => None,
            config => match config.kind() {
                PropertyType::Checkbox => Some(ResultType::Boolean),
                PropertyType::Date | PropertyType::CreatedTime | PropertyType::LastEditedTime => {
                    Some(ResultType::Date)
                }
                _ => Some(ResultType::String),
            },
        },
        Expression::Let { body, .. } => of(body, database),
        Expression::Call(function, arguments) => of_call(*function, arguments, database),
        Expression::Empty
        | Expression::PropertyOf(..)
        | Expression::Variable(_)
        | Expression::List(_) => None,
    }
}

fn of_call(function: F, arguments: &[Expression], database: &Database) -> Option<ResultType> {
    match function {
        F::If => arguments[1..]
            .iter()
            .find_map(|branch| of(branch, database)),
        F::Ifs => {
            let values = arguments.iter().enumerate();
            let values = values.filter(|(index, _)| index % 2 == 1 || index + 1 == arguments.len());
            values
                .map(|(_, value)| value)
                .find_map(|it| of(it, database))
        }
        F::Add => {
            let types: Vec<_> = arguments.iter().map(|it| of(it, database)).collect();
            if types.contains(&Some(ResultType::String)) {
                return Some(ResultType::String);
            }
            types.into_iter().flatten().next()
        }
        F::And
        | F::Or
        | F::Not
        | F::Empty
        | F::Equal
        | F::Unequal
        | F::Larger
        | F::LargerEq
        | F::Smaller
        | F::SmallerEq
        | F::Test
        | F::Contains
        | F::Includes
        | F::Some
        | F::Every => Some(ResultType::Boolean),
        F::Now
        | F::Today
        | F::DateAdd
        | F::DateSubtract
        | F::DateRange
        | F::DateStart
        | F::DateEnd
        | F::Start
        | F::End
        | F::FromTimestamp
        | F::ParseDate => Some(ResultType::Date),
        F::Find
        | F::Filter
        | F::Map
        | F::At
        | F::First
        | F::Last
        | F::Slice
        | F::Sort
        | F::Reverse
        | F::Unique
        | F::Flat => None,
        F::Subtract
        | F::Multiply
        | F::Divide
        | F::Mod
        | F::Pow
        | F::UnaryMinus
        | F::UnaryPlus
        | F::Abs
        | F::Round
        | F::Ceil
        | F::Floor
        | F::Sqrt
        | F::Cbrt
        | F::Exp
        | F::Ln
        | F::Log10
        | F::Log2
        | F::Sign
        | F::Pi
        | F::E
        | F::Min
        | F::Max
        | F::Sum
        | F::Mean
        | F::Median
        | F::ToNumber
        | F::Length
        | F::Count
        | F::FindIndex
        | F::Minute
        | F::Hour
        | F::Day
        | F::Date
        | F::Week
        | F::Month
        | F::Year
        | F::DateBetween
        | F::Timestamp => Some(ResultType::Number),
        _ => Some(ResultType::String),
    }
}
