//! Additional headers and body fields of each request.

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, header};
use mcpmark_http::Secret;
use serde_json::{Map, Value};

use crate::{ModelSettings, OpenError};

/// Headers that the client or the transport sets.
const OWN_HEADERS: [HeaderName; 7] = [
    header::HOST,
    header::CONTENT_LENGTH,
    header::CONTENT_TYPE,
    header::CONTENT_ENCODING,
    header::TRANSFER_ENCODING,
    header::CONNECTION,
    header::ACCEPT_ENCODING,
];

/// Headers that contain the key of a provider.
const KEY_HEADERS: [&str; 3] = ["authorization", "x-api-key", "x-goog-api-key"];

/// Body fields of all providers that determine the input of the model or the form of the reply. They cannot be added.
const OWN_FIELDS: [&str; 12] = [
    "contents",
    "input",
    "instructions",
    "messages",
    "model",
    "previous_response_id",
    "stream",
    "stream_options",
    "system",
    "systemInstruction",
    "system_instruction",
    "tools",
];

/// Additional headers and body fields of each request.
#[derive(Debug, Clone, Default)]
pub(crate) struct Additions {
    /// Headers, which replace those that the client sets.
    pub(crate) headers: HeaderMap,
    /// Body fields.
    body: Map<String, Value>,
}

/// Validates the additional headers and body fields of settings, without access to environment variables.
pub(crate) fn check(settings: &ModelSettings) -> Result<(), OpenError> {
    for (name, variable) in &settings.headers {
        let wrong = |reason| OpenError::Header {
            header: name.clone(),
            reason,
        };
        let header =
            HeaderName::from_bytes(name.as_bytes()).map_err(|_| wrong("the name is not valid"))?;
        if OWN_HEADERS.contains(&header) {
            return Err(wrong("the client sets this header"));
        }
        if !is_variable(variable) {
            // The text may be the secret itself, so the message does not contain it.
            return Err(wrong(
                "expected the name of an environment variable after the name of the header, not the value itself",
            ));
        }
        let same = |other: &&String| other.eq_ignore_ascii_case(name);
        if settings.headers.keys().filter(same).count() > 1 {
            return Err(wrong("it is given twice"));
        }
    }
    let own = |field: &&String| OWN_FIELDS.contains(&field.as_str());
    match settings.extra_body.keys().find(own) {
        Some(field) => Err(OpenError::ExtraBody(field.clone())),
        None => Ok(()),
    }
}

/// Reports whether a text is a valid name of an environment variable.
pub(crate) fn is_variable(name: &str) -> bool {
    let mut letters = name.bytes();
    let first = letters.next();
    first.is_some_and(|first| first.is_ascii_alphabetic() || first == b'_')
        && letters.all(|letter| letter.is_ascii_alphanumeric() || letter == b'_')
}

/// Reports whether a value can be sent in a header: it has only printable ASCII characters.
pub(crate) fn is_sendable(value: &str) -> bool {
    value.bytes().all(|byte| (b' '..=b'~').contains(&byte))
}

impl Additions {
    /// Reads the additions of a model, with values from environment variables. `has_key` states whether a header with
    /// the provider's key is sent as well. Also returns the secrets among the values.
    pub(crate) fn read(
        model: &str,
        settings: &ModelSettings,
        has_key: bool,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<(Self, Vec<Secret>), OpenError> {
        let mut headers = HeaderMap::new();
        let mut secrets = Vec::new();
        for (name, from) in &settings.headers {
            let header = name.to_ascii_lowercase();
            if has_key && KEY_HEADERS.contains(&header.as_str()) {
                return Err(OpenError::Header {
                    header: name.clone(),
                    reason: "the key of the provider is sent in this header; name the variable of another key with --api-key-env",
                });
            }
            let value = variable(from).filter(|value| !value.trim().is_empty());
            let value = value.ok_or_else(|| OpenError::NoHeaderValue {
                model: model.to_owned(),
                header: name.clone(),
                variable: from.clone(),
            })?;
            let value = value.trim();
            let unsendable = || OpenError::Key {
                model: model.to_owned(),
                variable: from.clone(),
            };
            let sent = Some(value).filter(|value| is_sendable(value));
            let mut sent = sent
                .and_then(|value| HeaderValue::from_str(value).ok())
                .ok_or_else(unsendable)?;
            sent.set_sensitive(true);
            // The text after `Bearer` or `Basic` is a secret by itself.
            if let Some((_, rest)) = value.split_once(' ') {
                secrets.push(Secret::new(rest.trim()));
            }
            secrets.push(Secret::new(value));
            let name = HeaderName::from_bytes(header.as_bytes()).map_err(|_| unsendable())?;
            headers.insert(name, sent);
        }
        let body = settings.extra_body.clone();
        Ok((Self { headers, body }, secrets))
    }

    /// Adds the fields to the body of a request. Objects that both contain are merged.
    ///
    /// # Errors
    ///
    /// Returns the path of the first field that the request already contains.
    pub(crate) fn extend(&self, body: Bytes) -> Result<Bytes, String> {
        if self.body.is_empty() {
            return Ok(body);
        }
        let Ok(Value::Object(mut document)) = serde_json::from_slice(&body) else {
            return Ok(body);
        };
        merge(&mut document, &self.body)?;
        Ok(Value::Object(document).to_string().into())
    }
}

fn merge(into: &mut Map<String, Value>, added: &Map<String, Value>) -> Result<(), String> {
    for (name, value) in added {
        match (into.get_mut(name), value) {
            (None, _) => {
                into.insert(name.clone(), value.clone());
            }
            (Some(Value::Object(into)), Value::Object(added)) => {
                merge(into, added).map_err(|path| format!("{name}.{path}"))?;
            }
            (Some(_), _) => return Err(name.clone()),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn extend(body: &Value, added: &Value) -> Result<Value, String> {
        let additions = Additions {
            body: added.as_object().unwrap().clone(),
            ..Additions::default()
        };
        let body = additions.extend(body.to_string().into())?;
        Ok(serde_json::from_slice(&body).unwrap())
    }

    #[test]
    fn fields_are_added_and_objects_are_merged() {
        let body = json!({"model": "m", "generationConfig": {"temperature": 1.0}});
        let added = json!({"generationConfig": {"topK": 40}, "provider": {"order": ["a"]}});
        assert_eq!(
            extend(&body, &added).unwrap(),
            json!({
                "model": "m", "generationConfig": {"temperature": 1.0, "topK": 40},
                "provider": {"order": ["a"]},
            })
        );
        assert_eq!(extend(&body, &json!({})).unwrap(), body);
    }

    #[test]
    fn a_field_that_is_there_is_named() {
        let body = json!({"temperature": 1.0, "reasoning": {"effort": "low"}});
        let path = |added: Value| extend(&body, &added).unwrap_err();
        assert_eq!(path(json!({"temperature": 2})), "temperature");
        assert_eq!(
            path(json!({"reasoning": {"effort": "high"}})),
            "reasoning.effort"
        );
        assert_eq!(path(json!({"reasoning": null})), "reasoning");
    }
}
