//! Sorts of rows.

use std::cmp::Ordering;

use crate::cell::Cell;
use crate::input::Field;
use crate::model::{Database, Node, Page, Property, Workspace};
use crate::refusal::{Outcome, Refusal};

/// Maximum number of sorts (documentation of request limits).
const MAX_SORTS: usize = 100;

/// Sorts of the rows of a database. Earlier ones take precedence.
#[derive(Debug, Clone, Default)]
pub(crate) struct Sorts<'a>(Vec<Sort<'a>>);

#[derive(Debug, Clone)]
struct Sort<'a> {
    key: Key<'a>,
    is_descending: bool,
}

#[derive(Debug, Clone)]
enum Key<'a> {
    Property(&'a Property),
    CreatedTime,
    LastEditedTime,
}

impl<'a> Sorts<'a> {
    /// Parses the sorts of the rows of a database.
    pub(crate) fn parse(field: &Field<'_>, database: &'a Database) -> Outcome<Self> {
        if field.is_absent() {
            return Ok(Self::default());
        }
        let mut sorts = Vec::new();
        for item in field.items_within(MAX_SORTS)? {
            item.only(&["property", "timestamp", "direction"])?;
            let directions = ["ascending", "descending"];
            let direction = item.get("direction");
            let is_descending = match direction.value {
                None => return Err(direction.should("defined")),
                Some(_) => direction.one_of(&directions, |name| name)? == "descending",
            };
            let key = match (
                item.get("timestamp").present(),
                item.get("property").present(),
            ) {
                (Some(timestamp), _) => {
                    match timestamp.one_of(&["created_time", "last_edited_time"], |name| name)? {
                        "created_time" => Key::CreatedTime,
                        _ => Key::LastEditedTime,
                    }
                }
                (None, Some(key)) => {
                    let key = key.string()?;
                    Key::Property(database.property(key).ok_or_else(|| {
                        Refusal::invalid(format!(
                            "Could not find sort property with name or id: {key}"
                        ))
                    })?)
                }
                (None, None) => {
                    let keys = ["property", "timestamp"];
                    let complaints = keys.map(|key| item.get(key).complaint("defined"));
                    return Err(item.should_one(&complaints));
                }
            };
            sorts.push(Sort { key, is_descending });
        }
        Ok(Self(sorts))
    }

    /// Sorts rows. Rows that are equal keep their order.
    pub(crate) fn apply(&self, workspace: &Workspace, rows: &mut [(&Node, &Page)]) {
        if self.0.is_empty() {
            return;
        }
        let cells = |row: &(&Node, &Page)| -> Vec<Cell> {
            let (node, page) = *row;
            let cell = |sort: &Sort<'_>| match sort.key {
                Key::Property(property) => Cell::of(workspace, node, page, property),
                Key::CreatedTime => Cell::Time(node.created.time),
                Key::LastEditedTime => Cell::Time(node.edited.time),
            };
            self.0.iter().map(cell).map(folded).collect()
        };
        let mut keyed: Vec<(Vec<Cell>, (&Node, &Page))> =
            rows.iter().map(|row| (cells(row), *row)).collect();
        keyed.sort_by(|(a, _), (b, _)| {
            let orders = self.0.iter().zip(a.iter().zip(b));
            let mut orders = orders.map(|(sort, (a, b))| compare(a, b, sort.is_descending));
            orders
                .find(|order| order.is_ne())
                .unwrap_or(Ordering::Equal)
        });
        for (row, (_, sorted)) in rows.iter_mut().zip(keyed) {
            *row = sorted;
        }
    }
}

fn folded(cell: Cell) -> Cell {
    match cell {
        Cell::Text(text) => Cell::Text(text.to_lowercase()),
        other => other,
    }
}

/// Compares two values of one property. Rows without a value come last in both directions (chosen). Options are in the
/// order of the schema.
fn compare(a: &Cell, b: &Cell, is_descending: bool) -> Ordering {
    match (a.is_empty(), b.is_empty()) {
        (true, true) => return Ordering::Equal,
        (true, false) => return Ordering::Greater,
        (false, true) => return Ordering::Less,
        (false, false) => {}
    }
    let order = match (a, b) {
        (Cell::Text(a), Cell::Text(b)) => a.cmp(b),
        (Cell::Number(a), Cell::Number(b)) => a.total_cmp(b),
        (Cell::Option { position: a, .. }, Cell::Option { position: b, .. }) => a.cmp(b),
        (Cell::Options(a), Cell::Options(b)) => a.cmp(b),
        (Cell::Date(a), Cell::Date(b)) => a.start.time.cmp(&b.start.time),
        (Cell::Time(a), Cell::Time(b)) => a.cmp(b),
        (Cell::Ids(a), Cell::Ids(b)) => a.cmp(b),
        (Cell::Files(a), Cell::Files(b)) => a.cmp(b),
        (Cell::Checkbox(a), Cell::Checkbox(b)) => a.cmp(b),
        (Cell::Array(a), Cell::Array(b)) => a.len().cmp(&b.len()),
        _ => Ordering::Equal,
    };
    if is_descending {
        order.reverse()
    } else {
        order
    }
}
