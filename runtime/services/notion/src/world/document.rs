//! Fields of a document of a world, with errors that name the file and the field.

use serde_json::{Map, Value};

use super::WorldError;
use crate::model::{Id, Time};

/// Value in a document.
#[derive(Debug, Clone)]
pub(super) struct Entry<'a> {
    pub(super) value: &'a Value,
    file: &'a str,
    path: String,
}

type Read<T> = Result<T, WorldError>;

impl<'a> Entry<'a> {
    /// Creates the root of a document.
    pub(super) fn root(file: &'a str, value: &'a Value) -> Self {
        Self {
            value,
            file,
            path: String::new(),
        }
    }

    /// Returns the error of this value.
    pub(super) fn error(&self, problem: impl Into<String>) -> WorldError {
        let place = match self.path.as_str() {
            "" => String::new(),
            path => format!("{path}: "),
        };
        WorldError::Invalid {
            file: self.file.to_owned(),
            place,
            problem: problem.into(),
        }
    }

    fn expected(&self, what: &str) -> WorldError {
        let found = match self.value {
            Value::Null => "null",
            Value::Bool(_) => "a boolean",
            Value::Number(_) => "a number",
            Value::String(_) => "a string",
            Value::Array(_) => "an array",
            Value::Object(_) => "an object",
        };
        self.error(format!("expected {what}, found {found}"))
    }

    /// Returns the value as an object with no other keys than these.
    pub(super) fn object(&self, keys: &[&str]) -> Read<&'a Map<String, Value>> {
        let Value::Object(object) = self.value else {
            return Err(self.expected("an object"));
        };
        match object.keys().find(|key| !keys.contains(&key.as_str())) {
            Some(key) => {
                Err(self.error(format!("unknown key {key:?}; expected {}", keys.join(", "))))
            }
            None => Ok(object),
        }
    }

    /// Returns the keys of an object.
    pub(super) fn keys(&self) -> Read<Vec<&'a str>> {
        match self.value {
            Value::Object(object) => Ok(object.keys().map(String::as_str).collect()),
            _ => Err(self.expected("an object")),
        }
    }

    /// Returns the value under a key, if there is one.
    pub(super) fn get(&self, key: &str) -> Option<Self> {
        let path = match self.path.as_str() {
            "" => key.to_owned(),
            path => format!("{path}.{key}"),
        };
        Some(Self {
            value: self.value.get(key)?,
            file: self.file,
            path,
        })
    }

    /// Returns the value under a key.
    pub(super) fn need(&self, key: &str) -> Read<Self> {
        self.get(key)
            .ok_or_else(|| self.error(format!("the key {key:?} is missing")))
    }

    /// Returns the values of an array.
    pub(super) fn items(&self) -> Read<Vec<Self>> {
        let Value::Array(items) = self.value else {
            return Err(self.expected("an array"));
        };
        let entries = items.iter().enumerate().map(|(index, value)| Self {
            value,
            file: self.file,
            path: format!("{}[{index}]", self.path),
        });
        Ok(entries.collect())
    }

    /// Returns the values of the array under a key, or none if there is no such key.
    pub(super) fn list(&self, key: &str) -> Read<Vec<Self>> {
        self.get(key).map_or(Ok(Vec::new()), |list| list.items())
    }

    /// Returns the value as a string.
    pub(super) fn string(&self) -> Read<&'a str> {
        self.value.as_str().ok_or_else(|| self.expected("a string"))
    }

    /// Returns the value as a number.
    pub(super) fn number(&self) -> Read<f64> {
        self.value.as_f64().ok_or_else(|| self.expected("a number"))
    }

    /// Returns the value as a whole number that is not negative.
    pub(super) fn count(&self) -> Read<u64> {
        self.value
            .as_u64()
            .ok_or_else(|| self.expected("a whole number"))
    }

    /// Returns the switch under a key, which is off if there is no such key.
    pub(super) fn switch(&self, key: &str) -> Read<bool> {
        match self.get(key) {
            None => Ok(false),
            Some(entry) => entry
                .value
                .as_bool()
                .ok_or_else(|| entry.expected("a boolean")),
        }
    }

    /// Returns the value as an id.
    pub(super) fn id(&self) -> Read<Id> {
        let text = self.string()?;
        Id::parse(text).ok_or_else(|| self.error(format!("expected a UUID, found {text:?}")))
    }

    /// Returns the value as a time.
    pub(super) fn time(&self) -> Read<Time> {
        let text = self.string()?;
        Time::parse(text).ok_or_else(|| {
            self.error(format!(
                "expected a time such as 2024-05-01T09:30:00Z, found {text:?}"
            ))
        })
    }

    /// Returns the result of parsing a name.
    pub(super) fn named<T>(&self, what: &str, parse: impl Fn(&str) -> Option<T>) -> Read<T> {
        let text = self.string()?;
        parse(text).ok_or_else(|| self.error(format!("expected {what}, found {text:?}")))
    }

    /// Returns the error that the value should be something else.
    pub(super) fn wrong(&self, what: &str) -> WorldError {
        self.expected(what)
    }
}
