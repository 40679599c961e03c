//! Evaluation of expressions.

use super::functions::Function as F;
use super::{Budget, Expression, Formula, FormulaError, Value, dates, lists, numbers, texts};
use crate::cell::Cell;
use crate::model::{Node, Page, Workspace};

pub(super) type Evaluated = Result<Value, FormulaError>;

/// Evaluates the formula of a row.
pub(crate) fn evaluate(
    workspace: &Workspace,
    node: &Node,
    page: &Page,
    formula: &Formula,
    budget: &Budget,
) -> Evaluated {
    let mut evaluation = Evaluation {
        workspace,
        node,
        page,
        budget,
        variables: Vec::new(),
    };
    evaluation.value(&formula.root)
}

/// Evaluation of the formula of a row.
pub(super) struct Evaluation<'a> {
    pub(super) workspace: &'a Workspace,
    pub(super) budget: &'a Budget,
    node: &'a Node,
    page: &'a Page,
    /// Variables with their values, from the outermost.
    variables: Vec<(String, Value)>,
}

impl Evaluation<'_> {
    pub(super) fn value(&mut self, expression: &Expression) -> Evaluated {
        let budget = self.budget;
        budget.step(1)?;
        budget.nested(|| self.nested_value(expression))
    }

    fn nested_value(&mut self, expression: &Expression) -> Evaluated {
        match expression {
            Expression::Empty => Ok(Value::Empty),
            Expression::Number(number) => Ok(Value::Number(*number)),
            Expression::Text(text) => self.text(text.clone()),
            Expression::Boolean(boolean) => Ok(Value::Boolean(*boolean)),
            Expression::Property(name) => self.property(self.node, self.page, name),
            Expression::PropertyOf(page, name) => {
                let page = self.value(page)?;
                self.property_of(&page, name)
            }
            Expression::Variable(name) => {
                let mut known = self.variables.iter().rev();
                match known.find(|(known, _)| known == name) {
                    Some((_, value)) => Ok(value.clone()),
                    None => Err(FormulaError::Variable(name.clone())),
                }
            }
            Expression::List(items) => {
                let items = items.iter().map(|item| self.value(item));
                Ok(Value::List(items.collect::<Result<_, _>>()?))
            }
            Expression::Let { name, value, body } => {
                let value = self.value(value)?;
                self.with(name, value, |evaluation| evaluation.value(body))
            }
            Expression::Call(function, arguments) => self.call(*function, arguments),
        }
    }

    /// Evaluates something with one more variable.
    fn with<T>(
        &mut self,
        name: &str,
        value: Value,
        evaluate: impl FnOnce(&mut Self) -> Result<T, FormulaError>,
    ) -> Result<T, FormulaError> {
        self.variables.push((name.to_owned(), value));
        let result = evaluate(self);
        self.variables.pop();
        result
    }

    /// Evaluates an expression for an item of a list.
    pub(super) fn each(
        &mut self,
        item: &Value,
        index: usize,
        expression: &Expression,
    ) -> Evaluated {
        self.with("current", item.clone(), |evaluation| {
            let index = Value::Number(index as f64);
            evaluation.with("index", index, |evaluation| evaluation.value(expression))
        })
    }

    /// Returns a text that counts as created.
    pub(super) fn text(&self, text: String) -> Evaluated {
        self.budget.text(text.len())?;
        Ok(Value::Text(text))
    }

    fn property(&self, node: &Node, page: &Page, name: &str) -> Evaluated {
        let database = self.workspace.database_of(node.id);
        let property = database.and_then(|(_, database)| database.property(name));
        let property = property.ok_or_else(|| FormulaError::Property(name.to_owned()))?;
        let cell = Cell::within(self.workspace, node, page, property, self.budget)?;
        Ok(self.of_cell(cell, property))
    }

    fn property_of(&self, page: &Value, name: &str) -> Evaluated {
        let id = match page {
            Value::Page(id) => *id,
            Value::Empty => return Ok(Value::Empty),
            // The property of a relation with one page.
            Value::List(items) => match items.as_slice() {
                [] => return Ok(Value::Empty),
                [Value::Page(id)] => *id,
                _ => return Err(wrong("prop", page)),
            },
            other => return Err(wrong("prop", other)),
        };
        match self.workspace.page(id) {
            Some((node, page)) => self.property(node, page, name),
            None => Ok(Value::Empty),
        }
    }

    fn of_cell(&self, cell: Cell, property: &crate::model::Property) -> Value {
        use crate::model::{Config, PropertyType};
        match cell {
            Cell::Empty => Value::Empty,
            Cell::Text(text) => Value::Text(text),
            Cell::Number(number) => match &property.config {
                Config::UniqueId {
                    prefix: Some(prefix),
                } => Value::Text(format!("{prefix}-{number}")),
                _ => Value::Number(number),
            },
            Cell::Option { name, .. } => Value::Text(name),
            Cell::Options(names) => Value::List(names.into_iter().map(Value::Text).collect()),
            Cell::Date(date) => Value::Date(date),
            Cell::Time(time) => dates::of_time(time),
            Cell::Ids(ids) => {
                let of = |id| match self.workspace.user(id) {
                    Some(_) => Value::Person(id),
                    None => Value::Page(id),
                };
                let single = matches!(
                    property.config.kind(),
                    PropertyType::CreatedBy | PropertyType::LastEditedBy
                );
                let mut items: Vec<Value> = ids.into_iter().map(of).collect();
                match items.pop() {
                    Some(item) if single => item,
                    last => {
                        items.extend(last);
                        Value::List(items)
                    }
                }
            }
            Cell::Files(count) => Value::List(vec![Value::Text(String::new()); count]),
            Cell::Checkbox(checked) => Value::Boolean(checked),
            Cell::Array(cells) => {
                let items = cells.into_iter().map(|cell| self.of_cell(cell, property));
                Value::List(items.collect())
            }
        }
    }

    /// Calls a function. Functions that do not evaluate all arguments come first.
    fn call(&mut self, function: F, arguments: &[Expression]) -> Evaluated {
        match function {
            F::If => {
                let branch = if self.holds(&arguments[0])? { 1 } else { 2 };
                self.value(&arguments[branch])
            }
            F::Ifs => {
                for pair in arguments.chunks(2) {
                    let [condition, value] = pair else {
                        // The last value applies if no condition holds.
                        return self.value(&pair[0]);
                    };
                    if self.holds(condition)? {
                        return self.value(value);
                    }
                }
                Ok(Value::Empty)
            }
            F::And | F::Or => {
                let is_or = function == F::Or;
                for argument in arguments {
                    if self.holds(argument)? == is_or {
                        return Ok(Value::Boolean(is_or));
                    }
                }
                Ok(Value::Boolean(!is_or))
            }
            F::Find | F::FindIndex | F::Filter | F::Some | F::Every | F::Map => {
                lists::iterate(self, function, arguments)
            }
            F::Sort | F::Count if arguments.len() == 2 => lists::iterate(self, function, arguments),
            _ => {
                let values = arguments.iter().map(|argument| self.value(argument));
                let values = values.collect::<Result<Vec<_>, _>>()?;
                self.apply(function, &values)
            }
        }
    }

    /// Reports whether a condition holds: it is a checkbox, or a value that is not empty.
    pub(super) fn holds(&mut self, condition: &Expression) -> Result<bool, FormulaError> {
        Ok(!self.value(condition)?.is_empty())
    }

    fn apply(&mut self, function: F, values: &[Value]) -> Evaluated {
        // Work on values is paid by their size.
        self.budget.step(values.iter().map(size).sum())?;
        let boolean = |boolean| Ok(Value::Boolean(boolean));
        let first = values.first().unwrap_or(&Value::Empty);
        let compared = |is: fn(std::cmp::Ordering) -> bool| {
            boolean(is(first.order(&values[1], self.workspace)))
        };
        match function {
            F::Not => boolean(first.is_empty()),
            F::Empty => boolean(first.is_empty()),
            F::Equal => boolean(is_equal(first, &values[1])),
            F::Unequal => boolean(!is_equal(first, &values[1])),
            F::Larger => compared(std::cmp::Ordering::is_gt),
            F::LargerEq => compared(std::cmp::Ordering::is_ge),
            F::Smaller => compared(std::cmp::Ordering::is_lt),
            F::SmallerEq => compared(std::cmp::Ordering::is_le),
            F::Add
                if values
                    .iter()
                    .any(|it| matches!(it, Value::Text(_) | Value::List(_))) =>
            {
                texts::apply(self, F::Concat, values)
            }
            F::Now
            | F::Today
            | F::Minute
            | F::Hour
            | F::Day
            | F::Date
            | F::Week
            | F::Month
            | F::Year
            | F::DateAdd
            | F::DateSubtract
            | F::DateBetween
            | F::DateRange
            | F::DateStart
            | F::DateEnd
            | F::Start
            | F::End
            | F::Timestamp
            | F::FromTimestamp
            | F::FormatDate
            | F::ParseDate => dates::apply(self, function, values),
            F::At
            | F::First
            | F::Last
            | F::Sort
            | F::Reverse
            | F::Unique
            | F::Includes
            | F::Flat
            | F::Count => lists::apply(self, function, values),
            F::Slice | F::Concat if values.iter().any(|it| matches!(it, Value::List(_))) => {
                lists::apply(self, function, values)
            }
            F::Name | F::Email | F::Id => self.identity(function, values),
            _ => match numbers::apply(self, function, values) {
                Some(result) => result,
                None => texts::apply(self, function, values),
            },
        }
    }

    /// Returns the name or address of a person, or the id of a page.
    fn identity(&self, function: F, values: &[Value]) -> Evaluated {
        let text = match (function, values) {
            (F::Id, []) => self.node.id.simple(),
            (F::Id, [Value::Page(id) | Value::Person(id)]) => id.simple(),
            (F::Name, [Value::Page(id)]) => self.workspace.title(*id),
            (F::Name | F::Email, [Value::Person(id)]) => match self.workspace.user(*id) {
                None => String::new(),
                Some(user) if function == F::Name => user.name.clone(),
                Some(user) => match &user.kind {
                    crate::model::UserKind::Person(email) => email.clone(),
                    crate::model::UserKind::Bot => String::new(),
                },
            },
            (_, [Value::Empty]) => return Ok(Value::Empty),
            (_, [other, ..]) => return Err(wrong(function.name(), other)),
            (_, []) => return Ok(Value::Empty),
        };
        self.text(text)
    }
}

/// Compares two values. No value equals an empty text, as for an empty property of that type.
pub(super) fn is_equal(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Empty, Value::Text(text)) | (Value::Text(text), Value::Empty) => text.is_empty(),
        (Value::Empty, Value::List(items)) | (Value::List(items), Value::Empty) => items.is_empty(),
        (a, b) => a == b,
    }
}

/// Returns the error of a value of the wrong type.
pub(super) fn wrong(function: &'static str, value: &Value) -> FormulaError {
    FormulaError::Type {
        function,
        found: value.kind(),
    }
}

/// Returns the size of a value, in steps.
fn size(value: &Value) -> usize {
    match value {
        Value::Text(text) => 1 + text.len() / 16,
        Value::List(items) => 1 + items.iter().map(size).sum::<usize>(),
        _ => 1,
    }
}
