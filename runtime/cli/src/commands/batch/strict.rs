//! JSON in which no key stands twice: of two values, nobody can say which one was meant.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

/// Reads an object; all objects within it are held to the same.
pub(super) fn object(text: &[u8]) -> Result<Map<String, Value>, serde_json::Error> {
    let Strict(value) = serde_json::from_slice(text)?;
    serde_json::from_value(value)
}

struct Strict(Value);

impl<'de> Deserialize<'de> for Strict {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(StrictVisitor).map(Self)
    }
}

struct StrictVisitor;

impl<'de> Visitor<'de> for StrictVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(Strict(item)) = items.next_element()? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some(key) = entries.next_key::<String>()? {
            if map.contains_key(&key) {
                return Err(A::Error::custom(format!("key {key:?} stands there twice")));
            }
            let Strict(value) = entries.next_value()?;
            map.insert(key, value);
        }
        Ok(Value::Object(map))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_read_is_what_serde_json_reads() {
        for text in [
            r#"{}"#,
            r#"{"a": [null, true, -1, 1, 18446744073709551615, 1.5, "x\n", {"b": {}}], "c": ""}"#,
        ] {
            let value: Value = serde_json::from_str(text).unwrap();
            assert_eq!(Value::Object(object(text.as_bytes()).unwrap()), value);
        }
        for text in ["[1]", "1", "{", "{} {}", ""] {
            assert!(object(text.as_bytes()).is_err(), "{text}");
        }
    }

    #[test]
    fn a_key_stands_once_at_any_depth() {
        for text in [
            r#"{"a": 1, "a": 1}"#,
            r#"{"x": {"a": 1, "b": 2, "a": 3}}"#,
            r#"{"x": [[{"a": 1, "\u0061": 3}]]}"#,
        ] {
            let error = object(text.as_bytes()).unwrap_err().to_string();
            assert!(error.contains("key \"a\" stands there twice"), "{error}");
        }
        object(br#"{"a": {"a": 1}, "b": [{"a": 1}, {"a": 2}]}"#).unwrap();
    }
}
