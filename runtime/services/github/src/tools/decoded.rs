//! Arguments of the tools that stand on GraphQL.

use serde_json::Value;

use super::Failure;
use super::arguments::{Arguments, go_type};
use crate::api::Named;

/// Arguments that are decoded at once: what is absent is empty, and only wrong types are refused.
pub(super) struct Decoded<'a>(pub(super) &'a Arguments);

impl Decoded<'_> {
    fn wrong(field: &str, wanted: &str, given: &Value) -> Failure {
        let kind = go_type(given);
        Failure::Said(format!(
            "1 error(s) decoding:\n\n* '{field}' expected type '{wanted}', got unconvertible type '{kind}'"
        ))
    }

    pub(super) fn text(&self, name: &str, field: &str) -> Result<Option<String>, Failure> {
        match self.0.0.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(other) => Err(Self::wrong(field, "string", other)),
        }
    }

    pub(super) fn number(&self, name: &str, field: &str) -> Result<Option<u64>, Failure> {
        match self.0.0.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::Number(number)) => Ok(number.as_f64().map(|number| number as u64)),
            Some(other) => Err(Self::wrong(field, "int32", other)),
        }
    }

    pub(super) fn repository(&self) -> Result<Named, Failure> {
        Ok(Named {
            owner: self.text("owner", "Owner")?.unwrap_or_default(),
            repo: self.text("repo", "Repo")?.unwrap_or_default(),
        })
    }
}
