//! Pages of lists. The cursor is the id of the first result of the next page, as in responses of the service.

use serde_json::Value;

use crate::input::Field;
use crate::model::Id;
use crate::refusal::{Outcome, Refusal};

/// Default and maximum number of results (documentation of pagination).
const MAX_PAGE_SIZE: usize = 100;

/// Parameters of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Paging {
    start: Option<Id>,
    size: usize,
}

impl Paging {
    /// Parses the parameters of a body or a query.
    pub(super) fn parse(field: &Field<'_>) -> Outcome<Self> {
        let start = field.get("start_cursor");
        let start = match start.value {
            None => None,
            Some(_) => match start.id() {
                Ok(id) => Some(id),
                Err(_) => return Err(start.should("a valid uuid or `undefined`")),
            },
        };
        let size = size(&field.get("page_size"))?;
        Ok(Self { start, size })
    }

    /// Returns the results of the page and the cursor of the next one.
    pub(super) fn page<T>(
        self,
        items: Vec<T>,
        id: impl Fn(&T) -> Id,
    ) -> Outcome<(Vec<T>, Option<String>)> {
        let from = match self.start {
            None => 0,
            Some(start) => items
                .iter()
                .position(|item| id(item) == start)
                .ok_or_else(|| {
                    Refusal::invalid(format!("The start_cursor provided is invalid: {start}"))
                })?,
        };
        let next = items.get(from + self.size).map(|item| id(item).to_string());
        let page = items.into_iter().skip(from).take(self.size).collect();
        Ok((page, next))
    }
}

/// Parses a size, which is a number in a body and a string in a query.
pub(super) fn size(field: &Field<'_>) -> Outcome<usize> {
    let number = match field.value {
        None => return Ok(MAX_PAGE_SIZE),
        Some(Value::Number(number)) => number.as_f64(),
        Some(Value::String(text)) if is_in_query(field) => text.parse().ok(),
        Some(_) => None,
    };
    let number = number.filter(|number| number.fract() == 0.0);
    let number = number.ok_or_else(|| field.should("a number or `undefined`"))?;
    if number > MAX_PAGE_SIZE as f64 {
        return Err(field.should(&format!("≤ `{MAX_PAGE_SIZE}`")));
    }
    if number < 1.0 {
        return Err(field.should("≥ `1`"));
    }
    // The number is whole and between 1 and the maximum.
    Ok(number as usize)
}

fn is_in_query(field: &Field<'_>) -> bool {
    field.complaint("").starts_with("query.")
}
