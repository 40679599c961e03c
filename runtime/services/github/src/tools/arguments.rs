//! Arguments of tools, validated with the errors of the published server.

use rmcp::model::JsonObject;
use serde_json::Value;

use super::Failure;
use crate::api::{Page, RepositoryName};

/// Arguments of a call.
pub(super) struct Arguments(pub(super) JsonObject);

type Read<T> = Result<T, Failure>;

impl Arguments {
    /// Returns true if an argument is present, even if it is null.
    pub(super) fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// Reads a required string, which must not be empty.
    pub(super) fn text(&self, name: &str) -> Read<String> {
        match self.0.get(name) {
            None => Err(missing(name)),
            Some(Value::String(text)) if text.is_empty() => Err(missing(name)),
            Some(Value::String(text)) => Ok(text.clone()),
            Some(_) => Err(Failure::tool_error(format!(
                "parameter {name} is not of type string"
            ))),
        }
    }

    /// Reads a required number, which must not be zero. Fractions are truncated.
    pub(super) fn number(&self, name: &str) -> Read<i64> {
        match self.0.get(name) {
            None => Err(missing(name)),
            Some(Value::Number(number)) => match whole(number) {
                0 if number.as_f64() == Some(0.0) => Err(missing(name)),
                whole => Ok(whole),
            },
            Some(_) => Err(Failure::tool_error(format!(
                "parameter {name} is not of type float64"
            ))),
        }
    }

    /// Reads the number of an issue or a pull request. A negative number becomes 0, which is never found.
    pub(super) fn issue(&self, name: &str) -> Read<u64> {
        Ok(u64::try_from(self.number(name)?).unwrap_or(0))
    }

    /// Reads a string, which defaults to the empty one.
    pub(super) fn optional_text(&self, name: &str) -> Read<String> {
        Ok(self.given_text(name)?.unwrap_or_default())
    }

    /// Reads an optional string.
    pub(super) fn given_text(&self, name: &str) -> Read<Option<String>> {
        match self.0.get(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(other) => Err(wrong(name, "string", other)),
        }
    }

    /// Reads a number, which defaults to zero.
    pub(super) fn optional_number(&self, name: &str) -> Read<i64> {
        match self.0.get(name) {
            None => Ok(0),
            Some(Value::Number(number)) => Ok(whole(number)),
            Some(other) => Err(wrong(name, "float64", other)),
        }
    }

    /// Reads an optional boolean.
    pub(super) fn given_bool(&self, name: &str) -> Read<Option<bool>> {
        match self.0.get(name) {
            None => Ok(None),
            Some(Value::Bool(value)) => Ok(Some(*value)),
            Some(other) => Err(wrong(name, "bool", other)),
        }
    }

    /// Reads a list of strings, which defaults to the empty one.
    pub(super) fn texts(&self, name: &str) -> Read<Vec<String>> {
        let texts = match self.0.get(name) {
            None | Some(Value::Null) => return Ok(Vec::new()),
            Some(Value::Array(texts)) => texts,
            Some(other) => {
                let kind = go_type(other);
                return Err(Failure::tool_error(format!(
                    "parameter {name} could not be coerced to []string, is {kind}"
                )));
            }
        };
        let text = |value: &Value| match value {
            Value::String(text) => Ok(text.clone()),
            other => {
                let kind = go_type(other);
                Err(Failure::tool_error(format!(
                    "parameter {name} is not of type string, is {kind}"
                )))
            }
        };
        texts.iter().map(text).collect()
    }

    /// Reads `owner` and `repo`.
    pub(super) fn repository(&self) -> Read<RepositoryName> {
        Ok(RepositoryName {
            owner: self.text("owner")?,
            repo: self.text("repo")?,
        })
    }

    /// Reads `page` and `perPage`.
    pub(super) fn page(&self) -> Read<Page> {
        self.page_sized("perPage")
    }

    /// Reads `page` and a page size with another name.
    pub(super) fn page_sized(&self, size: &str) -> Read<Page> {
        Ok(Page::asked(
            self.optional_number("page")?,
            self.optional_number(size)?,
        ))
    }
}

fn missing(name: &str) -> Failure {
    Failure::tool_error(format!("missing required parameter: {name}"))
}

fn wrong(name: &str, wanted: &str, given: &Value) -> Failure {
    let given = go_type(given);
    Failure::tool_error(format!(
        "parameter {name} is not of type {wanted}, is {given}"
    ))
}

/// Go's name for the type of a JSON value.
pub(super) fn go_type(value: &Value) -> &'static str {
    match value {
        Value::Null => "<nil>",
        Value::Bool(_) => "bool",
        Value::Number(_) => "float64",
        Value::String(_) => "string",
        Value::Array(_) => "[]interface {}",
        Value::Object(_) => "map[string]interface {}",
    }
}

fn whole(number: &serde_json::Number) -> i64 {
    number
        .as_i64()
        .or_else(|| number.as_f64().map(|number| number as i64))
        .unwrap_or(0)
}
