//! Reader of JSON for comparisons.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

use super::data::{Data, Node, NodeContent, Number, repeated_key};
use crate::condition::show;

/// Expects this JSON value, in any layout and with its keys in any order.
pub fn json(expected: impl Into<Value>) -> Data {
    Data::of_value(&expected.into(), read, false)
}

/// Expects the same value as that of a JSON text.
///
/// # Panics
/// Panics if the expected text is not JSON.
#[track_caller]
pub fn json_text(expected: &str) -> Data {
    Data::of_text(expected, read, false)
}

fn read(text: &str) -> Result<Vec<Node>, String> {
    match serde_json::from_str(text) {
        Ok(node) => Ok(vec![node]),
        Err(error) => Err(format!("expected JSON, found an error: {error}")),
    }
}

// A `Value` keeps the last of two values with one key, so that readers of one text would see different values.
impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let content = deserializer.deserialize_any(Reader)?;
        Ok(Self { line: 0, content })
    }
}

struct Reader;

impl<'de> Visitor<'de> for Reader {
    type Value = NodeContent;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E: Error>(self) -> Result<NodeContent, E> {
        Ok(NodeContent::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<NodeContent, E> {
        Ok(NodeContent::Bool(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<NodeContent, E> {
        Ok(NodeContent::Integer(Number::plain(value.to_string())))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<NodeContent, E> {
        Ok(NodeContent::Integer(Number::plain(value.to_string())))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<NodeContent, E> {
        // The form of `Value`, so that `1.0` has one spelling.
        Ok(NodeContent::Float(Number::plain(
            Value::from(value).to_string(),
        )))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<NodeContent, E> {
        Ok(NodeContent::Text(value.to_owned()))
    }

    fn visit_string<E: Error>(self, value: String) -> Result<NodeContent, E> {
        Ok(NodeContent::Text(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<NodeContent, A::Error> {
        let mut nodes = Vec::new();
        while let Some(node) = items.next_element()? {
            nodes.push(node);
        }
        Ok(NodeContent::List(nodes))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<NodeContent, A::Error> {
        let mut entries: Vec<(String, Node)> = Vec::new();
        while let Some(entry) = members.next_entry()? {
            entries.push(entry);
        }
        match repeated_key(&entries) {
            Some((key, _)) => Err(A::Error::custom(format_args!(
                "the key {} twice",
                show(key)
            ))),
            None => Ok(NodeContent::Map(entries)),
        }
    }
}
