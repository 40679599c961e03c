//! Rollups: summaries of a property of related pages.

use std::collections::HashSet;

use crate::cell::Cell;
use crate::formula::{Budget, FormulaError};
use crate::model::{
    Config, DateValue, Id, Node, Page, Property, PropertyValue, Rollup, RollupFunction, Time,
    Workspace,
};

/// Result of a rollup.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Rolled {
    /// Number.
    Number(Option<f64>),
    /// Date.
    Date(Option<DateValue>),
    /// Values of the related pages, each with the page.
    Array(Vec<(Id, Cell)>),
}

/// Returns the property that a rollup of a database summarises.
pub(crate) fn target<'a>(
    workspace: &'a Workspace,
    node: &Node,
    rollup: &Rollup,
) -> Option<&'a Property> {
    let (_, database) = workspace.database_of(node.id)?;
    match &database.property(&rollup.relation)?.config {
        Config::Relation { database, .. } => {
            workspace.database(*database)?.1.property(&rollup.property)
        }
        _ => None,
    }
}

/// Computes a rollup of a row. A rollup that exceeds the budget of a value has none.
pub(crate) fn roll_up(workspace: &Workspace, node: &Node, rollup: &Rollup) -> Rolled {
    roll_up_within(workspace, node, rollup, &Budget::default()).unwrap_or(Rolled::Number(None))
}

/// Computes a rollup of a row. A rollup does not summarise another rollup, but it may summarise a formula that refers to
/// one, so the budget ends cycles.
///
/// # Errors
///
/// Returns an error if the budget is exhausted. Formulas with other errors count as empty.
pub(crate) fn roll_up_within(
    workspace: &Workspace,
    node: &Node,
    rollup: &Rollup,
    budget: &Budget,
) -> Result<Rolled, FormulaError> {
    let pages = related(workspace, node, rollup);
    let Some(property) = target(workspace, node, rollup) else {
        return Ok(Rolled::Number(None));
    };
    if matches!(property.config, Config::Rollup(_)) {
        return Ok(Rolled::Number(None));
    }
    let mut cells = Vec::with_capacity(pages.len());
    for (node, page) in pages {
        let cell = match Cell::within(workspace, node, page, property, budget) {
            Err(error @ FormulaError::Limit { .. }) => return Err(error),
            cell => cell.unwrap_or(Cell::Empty),
        };
        cells.push((node.id, cell));
    }
    Ok(summarise(rollup.function, cells))
}

fn related<'a>(
    workspace: &'a Workspace,
    node: &Node,
    rollup: &Rollup,
) -> Vec<(&'a Node, &'a Page)> {
    let Some((_, page)) = workspace.page(node.id) else {
        return Vec::new();
    };
    let Some(PropertyValue::Relation(ids)) = page.values.get(&rollup.relation) else {
        return Vec::new();
    };
    let live = ids.iter().filter(|id| !workspace.is_trashed(**id));
    live.filter_map(|id| workspace.page(*id)).collect()
}

/// Applies a function. What counts as a value of a property with several values is documented in the help of Notion:
/// each option, person or page is one.
fn summarise(function: RollupFunction, cells: Vec<(Id, Cell)>) -> Rolled {
    use RollupFunction as F;
    let total = cells.len() as f64;
    let count =
        |matches: fn(&Cell) -> bool| cells.iter().filter(|(_, cell)| matches(cell)).count() as f64;
    let is_unset = |cell: &Cell| cell.is_empty() || *cell == Cell::Checkbox(false);
    let is_checked = |cell: &Cell| *cell == Cell::Checkbox(true);
    let share = |part: f64| Rolled::Number(Some(if total == 0.0 { 0.0 } else { part / total }));
    let number = |number: f64| Rolled::Number(Some(number));
    match function {
        F::ShowOriginal => Rolled::Array(cells),
        F::ShowUnique => {
            let mut unique: Vec<(Id, Cell)> = Vec::new();
            let mut known = HashSet::new();
            for (id, cell) in cells {
                // The form for debugging differs if and only if the values do.
                if !cell.is_empty() && known.insert(format!("{cell:?}")) {
                    unique.push((id, cell));
                }
            }
            Rolled::Array(unique)
        }
        F::Count => number(total),
        F::CountValues => number(
            cells
                .iter()
                .map(|(_, cell)| parts(cell).len())
                .sum::<usize>() as f64,
        ),
        F::UniqueValues => {
            let mut all: Vec<String> = cells.iter().flat_map(|(_, cell)| parts(cell)).collect();
            all.sort_unstable();
            all.dedup();
            number(all.len() as f64)
        }
        F::Empty => number(count(is_unset)),
        F::NotEmpty => number(total - count(is_unset)),
        F::PercentEmpty => share(count(is_unset)),
        F::PercentNotEmpty => share(total - count(is_unset)),
        F::Checked => number(count(is_checked)),
        F::Unchecked => number(total - count(is_checked)),
        F::PercentChecked => share(count(is_checked)),
        F::PercentUnchecked => share(total - count(is_checked)),
        F::Sum | F::Average | F::Median | F::Min | F::Max | F::Range => {
            Rolled::Number(of_numbers(function, &cells))
        }
        F::EarliestDate | F::LatestDate | F::DateRange => Rolled::Date(of_dates(function, &cells)),
    }
}

/// Returns the values of a cell as texts that are equal if the values are.
fn parts(cell: &Cell) -> Vec<String> {
    match cell {
        _ if cell.is_empty() => Vec::new(),
        Cell::Options(names) => names.clone(),
        Cell::Ids(ids) => ids.iter().map(Id::to_string).collect(),
        Cell::Text(text) => vec![text.clone()],
        other => vec![format!("{other:?}")],
    }
}

fn of_numbers(function: RollupFunction, cells: &[(Id, Cell)]) -> Option<f64> {
    let number = |(_, cell): &(Id, Cell)| match cell {
        Cell::Number(number) => Some(*number),
        _ => None,
    };
    let mut numbers: Vec<f64> = cells.iter().filter_map(number).collect();
    numbers.sort_by(f64::total_cmp);
    // Without numbers, the sum of the iterator is -0.
    let sum = 0.0 + numbers.iter().sum::<f64>();
    if function == RollupFunction::Sum {
        return Some(sum);
    }
    let (first, last) = (*numbers.first()?, *numbers.last()?);
    let middle = numbers.len() / 2;
    Some(match function {
        RollupFunction::Average => sum / numbers.len() as f64,
        RollupFunction::Median if numbers.len() % 2 == 1 => numbers[middle],
        RollupFunction::Median => f64::midpoint(numbers[middle - 1], numbers[middle]),
        RollupFunction::Min => first,
        RollupFunction::Max => last,
        _ => last - first,
    })
}

fn of_dates(function: RollupFunction, cells: &[(Id, Cell)]) -> Option<DateValue> {
    let time = |time: Time| {
        let start = crate::model::Moment::parse(&time.minute(), None)?;
        Some(DateValue {
            start,
            end: None,
            time_zone: None,
        })
    };
    let date = |(_, cell): &(Id, Cell)| match cell {
        Cell::Date(date) => Some(date.clone()),
        Cell::Time(at) => time(*at),
        _ => None,
    };
    let dates: Vec<DateValue> = cells.iter().filter_map(date).collect();
    let moments = |date: &DateValue| [Some(date.start.clone()), date.end.clone()];
    let all = dates.iter().flat_map(moments).flatten();
    let earliest = all.clone().min_by_key(|moment| moment.time)?;
    let latest = all.max_by_key(|moment| moment.time)?;
    Some(match function {
        RollupFunction::EarliestDate => DateValue {
            start: earliest,
            end: None,
            time_zone: None,
        },
        RollupFunction::LatestDate => DateValue {
            start: latest,
            end: None,
            time_zone: None,
        },
        _ => DateValue {
            start: earliest,
            end: Some(latest),
            time_zone: None,
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sum_of_no_numbers_is_positive() {
        let sum = of_numbers(RollupFunction::Sum, &[]).unwrap();
        assert!(sum.is_sign_positive());
        assert_eq!(of_numbers(RollupFunction::Average, &[]), None);
    }
}
