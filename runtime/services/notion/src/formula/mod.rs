//! Formulas of properties: the language of Notion formulas 2.0, and the functional forms of 1.0.
//!
//! An expression is parsed once and evaluated for each row. An evaluation has a budget of steps, of text and of levels,
//! which all formulas and rollups that it needs share, so a formula that refers to itself has an end.

mod budget;
mod dates;
mod eval;
mod functions;
mod infer;
mod lexer;
mod lists;
mod numbers;
mod parser;
mod texts;
mod value;

#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::Arc;

pub(crate) use self::budget::Budget;
pub(crate) use self::eval::evaluate;
use self::functions::Function;
pub(crate) use self::infer::ResultType;
pub(crate) use self::value::Value;

/// Maximum length of an expression, in bytes.
pub(crate) const MAX_BYTES: usize = 10_000;

/// Formula of a property.
#[derive(Debug, Clone)]
pub struct Formula {
    expression: String,
    root: Arc<Expression>,
}

impl Formula {
    /// Parses an expression.
    ///
    /// # Errors
    ///
    /// Returns an error that names the part that cannot be parsed.
    pub fn parse(expression: &str) -> Result<Self, FormulaError> {
        Ok(Self {
            expression: expression.to_owned(),
            root: Arc::new(parser::parse(expression)?),
        })
    }

    /// Returns the expression.
    #[must_use]
    pub fn expression(&self) -> &str {
        &self.expression
    }

    /// Returns the names or ids of the properties of the same row to which the formula refers.
    pub(crate) fn properties(&self) -> Vec<&str> {
        let mut names = Vec::new();
        self.root.visit(&mut |expression| {
            if let Expression::Property(name) = expression {
                names.push(name.as_str());
            }
        });
        names
    }
}

impl PartialEq for Formula {
    fn eq(&self, other: &Self) -> bool {
        self.expression == other.expression
    }
}

impl Eq for Formula {}

impl fmt::Display for Formula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.expression)
    }
}

/// Error of a formula: of its expression, or of an evaluation.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FormulaError {
    /// A character that begins no token.
    #[error("unexpected character {0:?}")]
    Character(char),
    /// A text or comment without end.
    #[error("the {0} has no end")]
    Unterminated(&'static str),
    /// Another token than expected.
    #[error("expected {expected}, found {found}")]
    Token {
        /// Description of what could stand there.
        expected: &'static str,
        /// Token, or the end of the formula.
        found: String,
    },
    /// A function that does not exist.
    #[error("undefined function {0:?}")]
    Function(String),
    /// A name that is neither a variable nor a constant.
    #[error("undefined variable {0:?}")]
    Variable(String),
    /// A property that does not exist.
    #[error("undefined property {0:?}")]
    Property(String),
    /// Another number of arguments than a function has.
    #[error("{function} has {expected}, found {found}")]
    Arguments {
        /// Name of the function.
        function: &'static str,
        /// Description of the numbers of arguments.
        expected: String,
        /// Number of arguments.
        found: usize,
    },
    /// A value of another type.
    #[error("{function} cannot use {found}")]
    Type {
        /// Name of the function.
        function: &'static str,
        /// Type of the value.
        found: &'static str,
    },
    /// A pattern that is no regular expression.
    #[error("{0:?} is no regular expression")]
    Pattern(String),
    /// A formula, or its evaluation, that exceeds a limit.
    #[error("the formula has more than {limit} {what}")]
    Limit {
        /// Maximum.
        limit: usize,
        /// Limited quantity.
        what: &'static str,
    },
}

/// Expression of a formula.
#[derive(Debug, Clone, PartialEq)]
enum Expression {
    Empty,
    Number(f64),
    Text(String),
    Boolean(bool),
    /// Property of the row, by its name or id.
    Property(String),
    /// Property of a related page.
    PropertyOf(Box<Expression>, String),
    Variable(String),
    List(Vec<Expression>),
    Let {
        name: String,
        value: Box<Expression>,
        body: Box<Expression>,
    },
    Call(Function, Vec<Expression>),
}

impl Expression {
    /// Calls a function with this expression and all below it.
    fn visit<'a>(&'a self, each: &mut impl FnMut(&'a Self)) {
        each(self);
        match self {
            Self::PropertyOf(inner, _) => inner.visit(each),
            Self::List(items) | Self::Call(_, items) => {
                items.iter().for_each(|item| item.visit(each));
            }
            Self::Let { value, body, .. } => {
                value.visit(each);
                body.visit(each);
            }
            _ => {}
        }
    }
}
