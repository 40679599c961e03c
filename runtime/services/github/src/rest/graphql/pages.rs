//! Pagination of connections.

use std::ops::Range;

use serde_json::{Map, Value, json};

use super::{Failure, query_error, text};
use crate::api::{cursor, position};

/// Maximum number of entries of a page.
const MAX_PAGE_SIZE: u64 = 100;

/// Range of entries that the arguments select from a connection with `total` entries.
pub(super) fn window(
    arguments: &Map<String, Value>,
    name: &str,
    total: usize,
) -> Result<Range<usize>, Failure> {
    let count = |end: &str| match arguments.get(end).and_then(Value::as_u64) {
        Some(asked) if asked > MAX_PAGE_SIZE => Err(query_error(format!(
            "Requesting {asked} records on the `{name}` connection exceeds the `{end}` limit of {MAX_PAGE_SIZE} records."
        ))),
        asked => Ok(asked.and_then(|asked| usize::try_from(asked).ok())),
    };
    let place = |argument: &str| match text(arguments, argument) {
        "" => Ok(None),
        given => match position(given) {
            Some(place) => Ok(Some(place)),
            None => Err(query_error(format!(
                "`{given}` does not appear to be a valid cursor."
            ))),
        },
    };
    let start = place("after")?.unwrap_or(0).min(total);
    let end = place("before")?.map_or(total, |place| place.saturating_sub(1));
    let end = end.clamp(start, total);
    match (count("first")?, count("last")?) {
        (Some(first), None) => Ok(start..end.min(start + first)),
        (None, Some(last)) => Ok(start.max(end.saturating_sub(last))..end),
        (Some(_), Some(_)) => Err(query_error(format!(
            "Passing both `first` and `last` to paginate the `{name}` connection is not supported."
        ))),
        (None, None) => Err(query_error(format!(
            "You must provide a `first` or `last` value to properly paginate the `{name}` connection."
        ))),
    }
}

/// Connection with a page of entries.
pub(super) fn connection(page: &Range<usize>, total: usize, nodes: Vec<Value>) -> Value {
    let place = |at: usize| {
        if page.is_empty() {
            Value::Null
        } else {
            cursor(at).into()
        }
    };
    let edges = nodes.iter().zip(page.clone());
    let edges = edges.map(|(node, at)| json!({"cursor": cursor(at + 1), "node": node}));
    json!({
        "edges": edges.collect::<Vec<Value>>(),
        "nodes": nodes,
        "pageInfo": {
            "hasNextPage": page.end < total,
            "hasPreviousPage": page.start > 0,
            "startCursor": place(page.start + 1),
            "endCursor": place(page.end),
        },
        "totalCount": total,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_choose_a_range() {
        let at = |place| Value::from(cursor(place));
        for (arguments, range) in [
            (json!({"first": 3}), Ok(0..3)),
            (json!({"first": 100}), Ok(0..10)),
            (json!({"last": 3}), Ok(7..10)),
            (json!({"first": 0}), Ok(0..0)),
            (json!({"first": 3, "after": at(4)}), Ok(4..7)),
            (json!({"first": 3, "before": at(3)}), Ok(0..2)),
            (json!({"last": 2, "before": at(5)}), Ok(2..4)),
            (json!({"last": 9, "after": at(8)}), Ok(8..10)),
            (json!({"first": 1, "after": at(99)}), Ok(10..10)),
            (json!({}), Err("You must provide a `first` or `last`")),
            (json!({"first": 1, "last": 1}), Err("Passing both")),
            (
                json!({"last": 101}),
                Err("Requesting 101 records on the `x` connection exceeds the `last` limit"),
            ),
            (
                json!({"first": 1, "after": "x"}),
                Err("`x` does not appear to be a valid cursor"),
            ),
        ] {
            let found = window(arguments.as_object().unwrap(), "x", 10);
            match (found, range) {
                (Ok(found), Ok(range)) => assert_eq!(found, range, "{arguments}"),
                (Err(Failure::Query { message, .. }), Err(words)) => {
                    assert!(message.starts_with(words), "{arguments}: {message}");
                }
                _ => panic!("{arguments}"),
            }
        }
    }

    #[test]
    fn a_page_tells_where_it_is() {
        let view = connection(&(1..3), 3, vec!["b".into(), "c".into()]);
        assert_eq!(
            view["pageInfo"],
            json!({"hasNextPage": false, "hasPreviousPage": true, "startCursor": cursor(2), "endCursor": cursor(3)})
        );
        assert_eq!(view["edges"][1], json!({"cursor": cursor(3), "node": "c"}));
        let none = connection(&(0..0), 0, Vec::new());
        assert_eq!(none["pageInfo"]["endCursor"], Value::Null);
    }
}
