//! Checks arguments against a tool's input schema, and words what is wrong as the server's
//! validator does.

use rmcp::model::JsonObject;
use serde_json::Value;

/// Everything that is wrong with the arguments, one line each; none when they fit.
///
/// Covers what the surface uses: `type`, `properties`, `required`, `items`, `minItems`, `enum`.
/// Arguments that the schema does not name are ignored.
pub(crate) fn problems(schema: &JsonObject, arguments: &JsonObject) -> Option<String> {
    let mut found = Vec::new();
    check_properties(schema, arguments, "", &mut found);
    (!found.is_empty()).then(|| found.join("\n"))
}

fn check_properties(schema: &JsonObject, object: &JsonObject, at: &str, found: &mut Vec<String>) {
    let Some(Value::Object(properties)) = schema.get("properties") else {
        return;
    };
    let required = schema.get("required").and_then(Value::as_array);
    for (name, property) in properties {
        let Value::Object(property) = property else {
            continue;
        };
        let place = match at {
            "" => name.clone(),
            _ => format!("{at}.{name}"),
        };
        match object.get(name) {
            Some(value) => check(property, value, &place, found),
            None if required.is_some_and(|names| names.iter().any(|it| it == name)) => {
                found.push(wrong_type(property, "undefined", &place));
            }
            None => {}
        }
    }
}

fn check(schema: &JsonObject, value: &Value, at: &str, found: &mut Vec<String>) {
    let kind = kind(value);
    if let Some(Value::Array(options)) = schema.get("enum") {
        if !options.contains(value) {
            let options: Vec<String> = options.iter().map(Value::to_string).collect();
            let options = options.join("|");
            found.push(format!("Invalid option: expected one of {options} at {at}"));
        }
        return;
    }
    let least = schema.get("minItems").and_then(Value::as_u64).unwrap_or(0);
    if schema.get("type").and_then(Value::as_str) != Some(kind) {
        found.push(wrong_type(schema, kind, at));
        // The validator measures whatever has a length.
        if value
            .as_str()
            .is_some_and(|text| (text.encode_utf16().count() as u64) < least)
        {
            found.push(format!(
                "Too small: expected string to have >={least} characters at {at}"
            ));
        }
        return;
    }
    match value {
        Value::Object(object) => check_properties(schema, object, at, found),
        Value::Array(items) => {
            if (items.len() as u64) < least {
                found.push(format!(
                    "Too small: expected array to have >={least} items at {at}"
                ));
            }
            if let Some(Value::Object(schema)) = schema.get("items") {
                for (index, item) in items.iter().enumerate() {
                    check(schema, item, &format!("{at}[{index}]"), found);
                }
            }
        }
        _ => {}
    }
}

fn wrong_type(schema: &JsonObject, received: &str, at: &str) -> String {
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
