//! Types and parsers of option values.

use serde::Deserialize;

/// Limit on the text of a tool result, in bytes; `None` means no limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(try_from = "NumberOrText")]
pub(crate) struct ResultBytes(pub(crate) Option<u64>);

#[derive(Debug, Deserialize)]
#[serde(untagged, expecting = "expected a number of bytes, or \"none\"")]
enum NumberOrText {
    Number(i64),
    Text(String),
}

impl TryFrom<NumberOrText> for ResultBytes {
    type Error = String;

    fn try_from(value: NumberOrText) -> Result<Self, String> {
        match value {
            NumberOrText::Number(number) => result_bytes(&number.to_string()),
            NumberOrText::Text(text) => result_bytes(&text),
        }
    }
}

/// Parses a limit on tool results: a positive number of bytes, or `none`.
pub(crate) fn result_bytes(text: &str) -> Result<ResultBytes, String> {
    if text == "none" {
        return Ok(ResultBytes(None));
    }
    let number = text.parse().ok().filter(|number| *number > 0);
    let number = number.ok_or("expected a number of bytes from 1, or `none` for no limit")?;
    Ok(ResultBytes(Some(number)))
}

/// JSON object given on the command line.
pub(crate) type JsonObject = serde_json::Map<String, serde_json::Value>;

/// Parses a JSON object.
pub(crate) fn json_object(text: &str) -> Result<JsonObject, String> {
    serde_json::from_str(text).map_err(|error| format!("expected a JSON object: {error}"))
}

/// Parses `NAME=VARIABLE`: the name of a header and the environment variable with its value.
pub(crate) fn header(text: &str) -> Result<(String, String), String> {
    // Errors do not quote the text, because it may be a secret that was given by mistake.
    let parts = text.split_once('=');
    let (name, variable) = parts.ok_or("expected NAME=VARIABLE, as in X-Team=TEAM_NAME")?;
    Ok((name.trim().to_owned(), variable.trim().to_owned()))
}

/// Parses an environment variable of a script, `NAME=VALUE`.
pub(crate) fn variable(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() && !text.contains('\0') => {
            Ok((name.to_owned(), value.to_owned()))
        }
        _ => Err("must be of the form NAME=VALUE".to_owned()),
    }
}
