//! Reading text files and JSON objects with errors that name the file and the key.

use std::fs::OpenOptions;
use std::io::{self, Read};
use std::ops::RangeInclusive;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use crate::Error;

/// `O_NONBLOCK` as the integer that `OpenOptionsExt::custom_flags` expects.
const O_NONBLOCK: i32 = rustix::fs::OFlags::NONBLOCK.bits() as i32;

/// Maximum size of a text file, in bytes. Instructions and metadata are far smaller.
const MAX_TEXT: u64 = 1 << 20;

/// Path of a file or directory, with the shorter path that error messages show.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    pub(crate) path: PathBuf,
    pub(crate) shown: PathBuf,
}

impl Place {
    pub(crate) fn new(root: &Path, path: &Path) -> Self {
        let shown = path.strip_prefix(root).unwrap_or(path);
        Self {
            path: path.to_owned(),
            shown: shown.to_owned(),
        }
    }

    pub(crate) fn join(&self, name: &str) -> Self {
        Self {
            path: self.path.join(name),
            shown: self.shown.join(name),
        }
    }

    pub(crate) fn layout(&self, problem: impl Into<String>) -> Error {
        Error::Layout {
            place: self.shown.clone(),
            problem: problem.into(),
        }
    }

    pub(crate) fn unreadable(&self, source: io::Error) -> Error {
        Error::Read {
            file: self.shown.clone(),
            source,
        }
    }

    /// Returns the content of the file, or `None` if the file does not exist.
    pub(crate) fn text(&self) -> Result<Option<String>, Error> {
        // Non-blocking, because opening a pipe would otherwise wait for a writer.
        let opened = OpenOptions::new()
            .read(true)
            .custom_flags(O_NONBLOCK)
            .open(&self.path);
        let file = match opened {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(self.unreadable(error)),
        };
        let metadata = file.metadata().map_err(|error| self.unreadable(error))?;
        if !metadata.is_file() {
            return Err(self.layout("not a regular file"));
        }
        let mut bytes = Vec::new();
        file.take(MAX_TEXT + 1)
            .read_to_end(&mut bytes)
            .map_err(|error| self.unreadable(error))?;
        if bytes.len() as u64 > MAX_TEXT {
            return Err(Error::TooLarge {
                file: self.shown.clone(),
                limit: MAX_TEXT,
            });
        }
        let text = String::from_utf8(bytes).map_err(|error| Error::NotText {
            file: self.shown.clone(),
            offset: error.utf8_error().valid_up_to(),
        })?;
        Ok(Some(text))
    }
}

/// JSON object from a file, with typed access by key, so that errors name the key.
///
/// `null` counts as absent, because the published format writes it for missing values.
#[derive(Debug)]
pub(crate) struct Document {
    file: PathBuf,
    /// Path of this object inside the file, with a trailing dot if it is nested.
    prefix: String,
    pub(crate) map: Map<String, Value>,
}

impl Document {
    pub(crate) fn parse(file: &Path, text: &str) -> Result<Self, Error> {
        let syntax = |line, column, reason| Error::Syntax {
            file: file.to_owned(),
            line,
            column,
            reason,
        };
        match serde_json::from_str(text) {
            Ok(Value::Object(map)) => Ok(Self {
                file: file.to_owned(),
                prefix: String::new(),
                map,
            }),
            Ok(other) => Err(syntax(
                1,
                1,
                format!("expected an object, found {}", describe(&other)),
            )),
            Err(error) => {
                let whole = error.to_string();
                let reason = whole
                    .rsplit_once(" at line ")
                    .map_or(whole.as_str(), |(reason, _)| reason);
                Err(syntax(error.line(), error.column(), reason.to_owned()))
            }
        }
    }

    pub(crate) fn wrong(&self, key: &str, problem: impl Into<String>) -> Error {
        Error::Key {
            file: self.file.clone(),
            key: format!("{}{key}", self.prefix),
            problem: problem.into(),
        }
    }

    fn expected(&self, key: &str, what: &str, found: &Value) -> Error {
        self.wrong(key, format!("expected {what}, found {}", describe(found)))
    }

    fn get(&self, key: &str) -> Option<&Value> {
        self.map.get(key).filter(|value| !value.is_null())
    }

    /// Returns the value found under the key, or an error that the key is missing.
    pub(crate) fn required<T>(&self, key: &str, found: Option<T>, what: &str) -> Result<T, Error> {
        found.ok_or_else(|| self.wrong(key, format!("required; expected {what}")))
    }

    pub(crate) fn string(&self, key: &str) -> Result<Option<String>, Error> {
        match self.get(key) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(other) => Err(self.expected(key, "a string", other)),
        }
    }

    pub(crate) fn strings(&self, key: &str) -> Result<Option<Vec<String>>, Error> {
        let Some(value) = self.get(key) else {
            return Ok(None);
        };
        let Value::Array(items) = value else {
            return Err(self.expected(key, "an array of strings", value));
        };
        let texts = items.iter().map(|item| match item {
            Value::String(text) => Ok(text.clone()),
            other => Err(self.expected(key, "an array of strings", other)),
        });
        texts.collect::<Result<_, _>>().map(Some)
    }

    /// Returns a whole number within `range`, or `None` if the key is absent.
    pub(crate) fn number(
        &self,
        key: &str,
        range: RangeInclusive<u64>,
    ) -> Result<Option<u64>, Error> {
        let Some(value) = self.get(key) else {
            return Ok(None);
        };
        match value.as_u64() {
            Some(number) if range.contains(&number) => Ok(Some(number)),
            _ => Err(self.wrong(
                key,
                format!(
                    "expected a whole number from {} to {}, found {value}",
                    range.start(),
                    range.end()
                ),
            )),
        }
    }

    pub(crate) fn object(&self, key: &str) -> Result<Option<Self>, Error> {
        match self.get(key) {
            None => Ok(None),
            Some(Value::Object(map)) => Ok(Some(Self {
                file: self.file.clone(),
                prefix: format!("{}{key}.", self.prefix),
                map: map.clone(),
            })),
            Some(other) => Err(self.expected(key, "an object", other)),
        }
    }

    /// Returns the objects of an array; empty if the key is absent.
    pub(crate) fn objects(&self, key: &str) -> Result<Vec<Self>, Error> {
        let Some(value) = self.get(key) else {
            return Ok(Vec::new());
        };
        let Value::Array(items) = value else {
            return Err(self.expected(key, "an array of objects", value));
        };
        let objects = items.iter().enumerate().map(|(index, item)| match item {
            Value::Object(map) => Ok(Self {
                file: self.file.clone(),
                prefix: format!("{}{key}[{index}].", self.prefix),
                map: map.clone(),
            }),
            other => Err(self.expected(key, "an array of objects", other)),
        });
        objects.collect()
    }

    /// Returns an error if the object has a key that is not in `known`.
    pub(crate) fn refuse_unknown(&self, known: &[&str]) -> Result<(), Error> {
        match self.unknown(known).next() {
            None => Ok(()),
            Some(key) => Err(self.unknown_key(
                key,
                &format!("{}; expected one of {}", hint(key, known), known.join(", ")),
            )),
        }
    }

    /// Returns a warning for each key that is not in `known`.
    pub(crate) fn warn_unknown(&self, known: &[&str]) -> Vec<String> {
        self.unknown(known)
            .map(|key| {
                self.unknown_key(key, &format!(" has no effect{}", hint(key, known)))
                    .to_string()
            })
            .collect()
    }

    fn unknown_key(&self, key: &str, rest: &str) -> Error {
        let key = format!("{}{key}", self.prefix);
        Error::Layout {
            place: self.file.clone(),
            problem: format!("unknown key {key:?}{rest}"),
        }
    }

    fn unknown<'a>(&'a self, known: &'a [&str]) -> impl Iterator<Item = &'a str> {
        self.map
            .keys()
            .map(String::as_str)
            .filter(|key| !known.contains(key))
    }
}

/// Formats a known key that is similar to an unknown one, for the end of a message.
fn hint(key: &str, known: &[&str]) -> String {
    known
        .iter()
        .find(|name| strsim::osa_distance(name, key) <= 2)
        .map_or_else(String::new, |near| format!(" (did you mean {near:?}?)"))
}

/// Describes a value for an error message, without the content of large values.
fn describe(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(_) | Value::Number(_) => value.to_string(),
        Value::String(text) if text.chars().count() <= 40 => format!("{text:?}"),
        Value::String(_) => "a string".to_owned(),
        Value::Array(_) => "an array".to_owned(),
        Value::Object(_) => "an object".to_owned(),
    }
}
