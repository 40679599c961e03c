//! Validation of arguments against the input schema of a tool, with the messages of the published server's validator
//! (Zod).

use std::fmt;

use mcpmark_service::checkpoint;
use rmcp::model::JsonObject;
use serde_json::Value;

use crate::bounded::Bounded;
use crate::failure::Failure;

/// Returns all problems of the arguments, one per line, or `None` if there are none. Fails if the text exceeds `limit`
/// bytes.
///
/// Supports the keywords that the tool surface uses: `type`, `properties`, `required`, `items`, `minItems`, `enum`.
/// Arguments that are absent from the schema are ignored.
pub(crate) fn problems(
    schema: &JsonObject,
    arguments: &JsonObject,
    limit: u64,
) -> Result<Option<String>, Failure> {
    let mut found = Bounded::new(limit);
    check_properties(schema, arguments, &Place::Arguments, &mut found)?;
    Ok((!found.is_empty()).then(|| found.into_text()))
}

/// Position of a value in the arguments. It is formatted only if the value has a problem.
enum Place<'a> {
    Arguments,
    Property(&'a Place<'a>, &'a str),
    Item(&'a Place<'a>, usize),
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Arguments => Ok(()),
            Self::Property(Self::Arguments, name) => f.write_str(name),
            Self::Property(object, name) => write!(f, "{object}.{name}"),
            Self::Item(array, index) => write!(f, "{array}[{index}]"),
        }
    }
}

fn check_properties(
    schema: &JsonObject,
    object: &JsonObject,
    at: &Place<'_>,
    found: &mut Bounded,
) -> Result<(), Failure> {
    let Some(Value::Object(properties)) = schema.get("properties") else {
        return Ok(());
    };
    let required = schema.get("required").and_then(Value::as_array);
    for (name, property) in properties {
        let Value::Object(property) = property else {
            continue;
        };
        let place = Place::Property(at, name);
        match object.get(name) {
            Some(value) => check(property, value, &place, found)?,
            None if required.is_some_and(|names| names.iter().any(|it| it == name)) => {
                found.push_line(&[&wrong_type(property, "undefined", &place)])?;
            }
            None => {}
        }
    }
    Ok(())
}

fn check(
    schema: &JsonObject,
    value: &Value,
    at: &Place<'_>,
    found: &mut Bounded,
) -> Result<(), Failure> {
    let kind = kind(value);
    if let Some(Value::Array(options)) = schema.get("enum") {
        if !options.contains(value) {
            let options: Vec<String> = options.iter().map(Value::to_string).collect();
            let options = options.join("|");
            found.push_line(&[&format!(
                "Invalid option: expected one of {options} at {at}"
            )])?;
        }
        return Ok(());
    }
    let least = schema.get("minItems").and_then(Value::as_u64).unwrap_or(0);
    if schema.get("type").and_then(Value::as_str) != Some(kind) {
        found.push_line(&[&wrong_type(schema, kind, at)])?;
        // The validator applies `minItems` also to strings, because they have a length.
        if value
            .as_str()
            .is_some_and(|text| (text.encode_utf16().count() as u64) < least)
        {
            found.push_line(&[&format!(
                "Too small: expected string to have >={least} characters at {at}"
            )])?;
        }
        return Ok(());
    }
    match value {
        Value::Object(object) => check_properties(schema, object, at, found)?,
        Value::Array(items) => {
            if (items.len() as u64) < least {
                found.push_line(&[&format!(
                    "Too small: expected array to have >={least} items at {at}"
                )])?;
            }
            if let Some(Value::Object(schema)) = schema.get("items") {
                for (index, item) in items.iter().enumerate() {
                    checkpoint()?;
                    check(schema, item, &Place::Item(at, index), found)?;
                }
            }
        }
        _ => {}
    }
    Ok(())
}

fn wrong_type(schema: &JsonObject, received: &str, at: &Place<'_>) -> String {
    if let (Some(Value::Array(options)), "undefined") = (schema.get("enum"), received) {
        let options: Vec<String> = options.iter().map(Value::to_string).collect();
        return format!(
            "Invalid option: expected one of {} at {at}",
            options.join("|")
        );
    }
    let expected = schema
        .get("type")
        .and_then(Value::as_str)
        .unwrap_or("value");
    format!("Invalid input: expected {expected}, received {received} at {at}")
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}
