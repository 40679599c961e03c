//! Strict reading of JSON objects: known keys only, in the order in which the service writes them.

use mcpmark_guest::serde_json::{Map, Value};

/// Object of a document, with its place for messages.
#[derive(Clone, Copy)]
pub(crate) struct Object<'a> {
    pub(crate) map: &'a Map<String, Value>,
    pub(crate) place: &'a str,
}

impl<'a> Object<'a> {
    /// Reads an object that has no other keys than these, in this order.
    pub(crate) fn read(value: &'a Value, place: &'a str, keys: &[&str]) -> Result<Self, String> {
        let object = Self::open(value, place)?;
        let mut last = 0;
        for key in object.map.keys() {
            let Some(at) = keys.iter().position(|known| known == key) else {
                return Err(format!("{place}: unexpected key {key:?}"));
            };
            if at < last {
                return Err(format!("{place}: key {key:?} is not in its place"));
            }
            last = at;
        }
        Ok(object)
    }

    /// Reads an object with any keys.
    pub(crate) fn open(value: &'a Value, place: &'a str) -> Result<Self, String> {
        let map = value.as_object();
        let map = map.ok_or_else(|| format!("{place}: expected an object"))?;
        Ok(Self { map, place })
    }

    /// Returns a string that must be there.
    pub(crate) fn string(&self, key: &str) -> Result<&'a str, String> {
        let value = self.map.get(key).and_then(Value::as_str);
        value.ok_or_else(|| format!("{}: expected a string {key:?}", self.place))
    }

    /// Returns whether a key is there with the value true, which is the only one that is written.
    pub(crate) fn is_set(&self, key: &str) -> Result<bool, String> {
        match self.map.get(key) {
            None => Ok(false),
            Some(Value::Bool(true)) => Ok(true),
            Some(_) => Err(format!("{}: expected true as {key:?}", self.place)),
        }
    }

    /// Returns the items of a list. A missing list is empty, and an empty one is not written.
    pub(crate) fn list(&self, key: &str) -> Result<&'a [Value], String> {
        match self.map.get(key) {
            None => Ok(&[]),
            Some(Value::Array(items)) if !items.is_empty() => Ok(items),
            Some(_) => Err(format!(
                "{}: expected a list {key:?} with items",
                self.place
            )),
        }
    }
}
