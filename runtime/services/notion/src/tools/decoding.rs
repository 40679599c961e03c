//! Arguments that a client has encoded as JSON in strings, as version 2.5.2 of the published server decodes them.

use serde_json::Value;

use super::javascript::received;

/// Number of times that a string is decoded while the result is a string again.
const PASSES: usize = 3;

/// Decodes the strings of a value that contain an object or an array, at every level.
pub(super) fn decoded(value: Value) -> Value {
    match value {
        Value::String(text) => string(text),
        Value::Array(items) => items.into_iter().map(decoded).collect(),
        Value::Object(object) => {
            let entries = object.into_iter().map(|(key, value)| (key, decoded(value)));
            Value::Object(entries.collect())
        }
        scalar => scalar,
    }
}

/// Returns the object or array that a string contains, or the string.
fn string(text: String) -> Value {
    let mut current = text.clone();
    for _ in 0..PASSES {
        let trimmed = current.trim_matches(is_space);
        let may_be_json = [('{', '}'), ('[', ']'), ('"', '"')]
            .iter()
            .any(|(open, close)| trimmed.starts_with(*open) && trimmed.ends_with(*close));
        if !may_be_json {
            break;
        }
        match serde_json::from_str::<Value>(trimmed) {
            Ok(Value::String(inner)) => current = inner,
            Ok(inner @ (Value::Array(_) | Value::Object(_))) => return decoded(received(inner)),
            Ok(_) | Err(_) => break,
        }
    }
    Value::String(text)
}

/// Reports whether JavaScript regards a character as white space.
fn is_space(c: char) -> bool {
    c == '\u{feff}' || c.is_whitespace() && c != '\u{85}'
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn objects_and_arrays_in_strings_are_decoded_at_every_level() {
        let block = json!({"rich_text": [{"text": {"content": "a"}}]}).to_string();
        let twice = Value::from(json!({"page_id": "p"}).to_string()).to_string();
        let found = decoded(json!({"children": [{"paragraph": block}], "parent": twice}));
        let expected = json!({
            "children": [{"paragraph": {"rich_text": [{"text": {"content": "a"}}]}}],
            "parent": {"page_id": "p"},
        });
        assert_eq!(found, expected);
    }

    #[test]
    fn other_strings_stay() {
        let four_times = (0..4).fold("[1]".to_owned(), |text, _| Value::from(text).to_string());
        for text in ["5", "true", "\"word\"", "{not json}", "[1", &four_times] {
            assert_eq!(decoded(json!(text)), json!(text), "{text}");
        }
    }
}
