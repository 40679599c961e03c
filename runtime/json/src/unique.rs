//! JSON parser that rejects duplicate keys, because it is ambiguous which value is intended.

use std::fmt;

use serde_core::de::{
    Deserialize, DeserializeOwned, Deserializer, Error, MapAccess, SeqAccess, Visitor,
};
use serde_json::{Map, Value};

/// Parses a document without duplicate keys.
///
/// # Errors
///
/// Returns an error if an object has a duplicate key, or if the bytes are not JSON of the expected shape.
pub fn from_unique<T: DeserializeOwned>(bytes: &[u8]) -> serde_json::Result<T> {
    let Unique(value) = serde_json::from_slice(bytes)?;
    serde_json::from_value(value)
}

/// JSON value whose deserialisation fails if an object in it has a duplicate key.
pub struct Unique(pub Value);

impl<'de> Deserialize<'de> for Unique {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(UniqueVisitor).map(Self)
    }
}

struct UniqueVisitor;

impl<'de> Visitor<'de> for UniqueVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
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

    fn visit_seq<A: SeqAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(Unique(value)) = entries.next_element()? {
            list.push(value);
        }
        Ok(list.into())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(key) = entries.next_key::<String>()? {
            if object.contains_key(&key) {
                return Err(A::Error::custom(format_args!("duplicate key {key:?}")));
            }
            let Unique(value) = entries.next_value()?;
            object.insert(key, value);
        }
        Ok(object.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> serde_json::Result<Value> {
        from_unique(text.as_bytes())
    }

    #[test]
    fn the_parser_agrees_with_serde_json() {
        for text in [
            r#"{}"#,
            r#"{"a": [null, true, -1, 1, 18446744073709551615, 1.5, "x\n", {"b": {}}], "c": ""}"#,
        ] {
            let value: Value = serde_json::from_str(text).unwrap();
            assert_eq!(read(text).unwrap(), value);
        }
        for text in ["{", "{} {}", "[1", ""] {
            assert!(read(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_key_stands_once_at_any_depth() {
        for text in [
            r#"{"a": 1, "a": 1}"#,
            r#"{"x": {"a": 1, "b": 2, "a": 3}}"#,
            r#"{"x": [[{"a": 1, "\u0061": 3}]]}"#,
        ] {
            let error = read(text).unwrap_err().to_string();
            assert!(error.contains("duplicate key \"a\""), "{error}");
        }
        read(r#"{"a": {"a": 1}, "b": [{"a": 1}, {"a": 2}]}"#).unwrap();
    }
}
