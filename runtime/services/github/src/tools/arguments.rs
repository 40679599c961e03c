//! Arguments, read and refused as the real server does it.

use rmcp::model::JsonObject;
use serde_json::Value;

use super::Failure;
use crate::api::{Named, Page};

/// The arguments of a call.
pub(super) struct Arguments(pub(super) JsonObject);

type Read<T> = Result<T, Failure>;

impl Arguments {
    /// Whether an argument is there, be it null.
    pub(super) fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// A text that must be there and not be empty.
    pub(super) fn text(&self, name: &str) -> Read<String> {
        match self.0.get(name) {
            None => Err(missing(name)),
            Some(Value::String(text)) if text.is_empty() => Err(missing(name)),
            Some(Value::String(text)) => Ok(text.clone()),
            Some(_) => Err(Failure::said(format!(
                "parameter {name} is not of type string"
            ))),
        }
    }

    /// A number that must be there and not be zero; fractions are cut off.
    pub(super) fn number(&self, name: &str) -> Read<i64> {
        match self.0.get(name) {
            None => Err(missing(name)),
            Some(Value::Number(number)) => match whole(number) {
                0 if number.as_f64() == Some(0.0) => Err(missing(name)),
                whole => Ok(whole),
            },
            Some(_) => Err(Failure::said(format!(
                "parameter {name} is not of type float64"
            ))),
        }
    }

    /// The number of an issue or a pull request; none has a negative one.
    pub(super) fn issue(&self, name: &str) -> Read<u64> {
        Ok(u64::try_from(self.number(name)?).unwrap_or(0))
    }

    /// A text; empty where it is absent.
    pub(super) fn optional_text(&self, name: &str) -> Read<String> {
        Ok(self.given_text(name)?.unwrap_or_default())
    }

    /// A text, where it is there.
    pub(super) fn given_text(&self, name: &str) -> Read<Option<String>> {
        match self.0.get(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(other) => Err(wrong(name, "string", other)),
        }
    }

    /// A number; zero where it is absent.
    pub(super) fn optional_number(&self, name: &str) -> Read<i64> {
        match self.0.get(name) {
            None => Ok(0),
            Some(Value::Number(number)) => Ok(whole(number)),
            Some(other) => Err(wrong(name, "float64", other)),
        }
    }

    /// A truth value, where it is there.
    pub(super) fn given_bool(&self, name: &str) -> Read<Option<bool>> {
        match self.0.get(name) {
            None => Ok(None),
            Some(Value::Bool(value)) => Ok(Some(*value)),
            Some(other) => Err(wrong(name, "bool", other)),
        }
    }

    /// A list of texts; empty where it is absent.
    pub(super) fn texts(&self, name: &str) -> Read<Vec<String>> {
        let texts = match self.0.get(name) {
            None | Some(Value::Null) => return Ok(Vec::new()),
            Some(Value::Array(texts)) => texts,
            Some(other) => {
                let kind = go_type(other);
                return Err(Failure::said(format!(
                    "parameter {name} could not be coerced to []string, is {kind}"
                )));
            }
        };
        let text = |value: &Value| match value {
            Value::String(text) => Ok(text.clone()),
            other => {
                let kind = go_type(other);
                Err(Failure::said(format!(
                    "parameter {name} is not of type string, is {kind}"
                )))
            }
        };
        texts.iter().map(text).collect()
    }

    /// `owner` and `repo`.
    pub(super) fn repository(&self) -> Read<Named> {
        Ok(Named {
            owner: self.text("owner")?,
            repo: self.text("repo")?,
        })
    }

    /// `page` and `perPage`.
    pub(super) fn page(&self) -> Read<Page> {
        self.page_sized("perPage")
    }

    /// `page` and a size by another name.
    pub(super) fn page_sized(&self, size: &str) -> Read<Page> {
        Ok(Page::asked(
            self.optional_number("page")?,
            self.optional_number(size)?,
        ))
    }
}

fn missing(name: &str) -> Failure {
    Failure::said(format!("missing required parameter: {name}"))
}

fn wrong(name: &str, wanted: &str, given: &Value) -> Failure {
    let given = go_type(given);
    Failure::said(format!(
        "parameter {name} is not of type {wanted}, is {given}"
    ))
}

/// How Go calls the type of a JSON value.
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
