//! Error messages of providers, shortened to one line.

use serde_json::Value;

/// Maximum number of characters of a message. The journal has the complete reply. A server that validates requests with
/// a schema repeats the request in its message.
const MAX_CHARACTERS: usize = 600;

/// Maximum number of errors of a list in a message.
const MAX_ERRORS: usize = 3;

/// Returns the message in an error document of a provider, or the document if no message is found.
pub(crate) fn message(body: &str) -> String {
    let document: Option<Value> = serde_json::from_str(body).ok();
    let message = document.as_ref().and_then(|document| {
        let places = [
            "/error/message",
            "/message",
            "/error",
            "/detail",
            "/0/error/message",
        ];
        let found = places.iter().filter_map(|place| document.pointer(place));
        let mut texts = found.filter_map(|found| match found {
            Value::String(text) => Some(text.clone()),
            Value::Array(errors) => list(errors),
            _ => None,
        });
        texts.next()
    });
    message.as_deref().unwrap_or(body).trim().to_owned()
}

/// Formats a list of errors in the form of FastAPI, each with a location and a message.
fn list(errors: &[Value]) -> Option<String> {
    let error = |error: &Value| {
        let message = error["msg"].as_str()?;
        let place: Vec<String> = error["loc"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|part| {
                part.as_str()
                    .map_or_else(|| part.to_string(), str::to_owned)
            })
            .collect();
        Some(if place.is_empty() {
            message.to_owned()
        } else {
            format!("{}: {message}", place.join("."))
        })
    };
    let told: Option<Vec<String>> = errors.iter().take(MAX_ERRORS).map(error).collect();
    let mut told = told.filter(|told| !told.is_empty())?.join("; ");
    if errors.len() > MAX_ERRORS {
        told.push_str(&format!("; and {} more", errors.len() - MAX_ERRORS));
    }
    Some(told)
}

/// Returns a message as one line of limited length.
pub(crate) fn brief(message: &str) -> String {
    let line = message.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(MAX_CHARACTERS) {
        Some((end, _)) => {
            let left_out = line[end..].chars().count();
            format!("{}… ({left_out} more characters)", &line[..end])
        }
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_message_is_found_wherever_it_stands() {
        for (body, said) in [
            (r#"{"error":{"message":" slow down "}}"#, "slow down"),
            (r#"{"error":"no such model"}"#, "no such model"),
            (r#"[{"error":{"message":"quota"}}]"#, "quota"),
            (r#"{"detail":"Not Found"}"#, "Not Found"),
            (
                r#"{"detail":[{"type":"string_type","loc":["body","messages",0,"content"],
                "msg":"Input should be a valid string","input":[]},{"msg":"b"},{"msg":"c"},{"msg":"d"}]}"#,
                "body.messages.0.content: Input should be a valid string; b; c; and 1 more",
            ),
            (r#"{"detail":[]}"#, r#"{"detail":[]}"#),
            ("busy", "busy"),
        ] {
            assert_eq!(message(body), said, "{body}");
        }
    }

    #[test]
    fn a_long_message_becomes_one_short_line() {
        assert_eq!(brief("2 errors:\r\n  a\n\n\tb\n"), "2 errors: a b");
        let long = brief(&"é ".repeat(1000));
        assert!(long.ends_with("… (1399 more characters)"), "{long}");
        assert_eq!(long.chars().filter(|c| *c == 'é').count(), 300);
    }
}
