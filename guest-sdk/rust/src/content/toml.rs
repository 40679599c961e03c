//! Reader of TOML for comparisons.

use serde_json::Value;
use toml::Spanned;
use toml::de::{DeInteger, DeTable, DeValue};

use super::Lines;
use super::data::{Data, Node, NodeContent, Number};
use crate::condition::cut;

/// Expects a TOML table with these values. A date or time cannot be written as JSON; see [`toml_text`].
///
/// # Panics
/// Panics if the expected value is not an object.
#[track_caller]
pub fn toml(expected: impl Into<Value>) -> Data {
    let expected = expected.into();
    assert!(expected.is_object(), "TOML is a table, not {expected}");
    Data::of_value(&expected, read, true)
}

/// Expects the same values as those of a TOML text.
///
/// # Panics
/// Panics if the expected text is not TOML.
#[track_caller]
pub fn toml_text(expected: &str) -> Data {
    Data::of_text(expected, read, true)
}

fn read(text: &str) -> Result<Vec<Node>, String> {
    let lines = Lines::of(text);
    match DeTable::parse(text) {
        Ok(table) => {
            let content = map(table.get_ref(), &lines).1;
            Ok(vec![Node { line: 0, content }])
        }
        Err(error) => {
            let line = error.span().map_or(1, |span| lines.at(span.start));
            // It may quote a key of any length.
            let message = cut(error.message(), 300);
            Err(format!(
                "expected TOML, found an error in line {line}: {message}"
            ))
        }
    }
}

/// Returns the entries in the order of the text, and the position of the first. The parser bounds the depth.
fn map(table: &DeTable<'_>, lines: &Lines) -> (usize, NodeContent) {
    let mut entries: Vec<(usize, String, Node)> = Vec::new();
    for (key, value) in table {
        let at = key.span().start;
        entries.push((at, key.get_ref().to_string(), node(value, lines)));
    }
    entries.sort_by_key(|(at, ..)| *at);
    let first = entries.first().map_or(0, |(at, ..)| *at);
    let entries = entries.into_iter().map(|(_, key, node)| (key, node));
    (first, NodeContent::Map(entries.collect()))
}

fn node(value: &Spanned<DeValue<'_>>, lines: &Lines) -> Node {
    let content = match value.get_ref() {
        DeValue::String(text) => NodeContent::Text(text.to_string()),
        DeValue::Integer(number) => NodeContent::Integer(integer(number)),
        DeValue::Float(number) => NodeContent::Float(Number {
            written: number.to_string(),
            value: number.as_str().to_owned(),
        }),
        DeValue::Boolean(value) => NodeContent::Bool(*value),
        DeValue::Datetime(time) => {
            let mut time = *time;
            if let Some(clock) = &mut time.time {
                clock.second.get_or_insert(0);
                clock.nanosecond = clock.nanosecond.filter(|fraction| *fraction > 0);
            }
            let text = time.to_string();
            let zero = text.strip_suffix("+00:00").or(text.strip_suffix("-00:00"));
            NodeContent::Time(match zero.filter(|_| time.offset.is_some()) {
                Some(local) => format!("{local}Z"),
                None => text,
            })
        }
        DeValue::Array(items) => {
            NodeContent::List(items.iter().map(|item| node(item, lines)).collect())
        }
        DeValue::Table(table) => map(table, lines).1,
    };
    Node {
        line: lines.at(value.span().start),
        content,
    }
}

fn integer(number: &DeInteger<'_>) -> Number {
    let value = i128::from_str_radix(number.as_str(), number.radix());
    Number {
        written: number.to_string(),
        value: value.map_or_else(|_| number.as_str().to_owned(), |value| value.to_string()),
    }
}
