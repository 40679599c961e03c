//! Redaction of secrets in texts, JSON documents and event streams.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use serde_json::Value;

use crate::Secret;
use crate::finder::Finder;
use crate::secret::REDACTED;

/// Redaction of the secrets that were given to a server, in everything that it returns.
///
/// Secrets are found in plain form; escaped as in JSON, URLs and HTML, completely or partially and at any nesting
/// depth; and as base64 (both alphabets, at any offset) or hexadecimal of the plain secret. In documents they are also
/// found if they are split over values with the same name, such as the parts of a message or the chunks of a stream.
/// Not covered are secrets of fewer than six bytes, base64 or hexadecimal with line breaks or of escaped text,
/// compression, and any other encoding.
#[derive(Debug, Clone, Default)]
pub struct Secrets(Option<Arc<Finder>>);

impl Secrets {
    /// Creates the redaction of the given secrets. One secret may contain another.
    pub fn new(secrets: &[Secret]) -> Self {
        Self(Finder::of(secrets.iter().map(Secret::expose)).map(Arc::new))
    }

    /// Reports whether there are no secrets to search for.
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// Reports whether these bytes contain a secret.
    pub fn contained_in(&self, bytes: &[u8]) -> bool {
        !self.find(bytes).is_empty()
    }

    /// Redacts a text.
    pub fn scrub(&self, text: &str) -> String {
        redacted(text, &self.find(text.as_bytes()))
    }

    /// Redacts every string and every key of a document. Returns true if any secret was found.
    pub fn scrub_value(&self, value: &mut Value) -> bool {
        if self.is_empty() {
            return false;
        }
        // Strings with the same name are searched as one, so that a secret that is split over several is found.
        let mut texts = HashMap::new();
        gather(value, "", &mut texts);
        let mut places: HashMap<String, Places> = HashMap::new();
        for (name, text) in texts {
            let ranges = self.find(text.as_bytes());
            if !ranges.is_empty() {
                places.insert(name.to_owned(), Places { ranges, at: 0 });
            }
        }
        self.rewrite(value, "", &mut places)
    }

    /// Redacts a text that may be JSON, or JSON lines such as in an event stream.
    pub fn scrub_json(&self, text: String) -> String {
        if self.is_empty() {
            return text;
        }
        if let Ok(document) = self.scrub_document(&text) {
            return document.unwrap_or(text);
        }
        let scrubbed = self.scrub_lines(&text);
        self.scrub(scrubbed.as_deref().unwrap_or(&text))
    }

    /// Returns one JSON document without secrets, or `None` if it contains none. Its lines are not parsed one by one,
    /// which takes many times the memory of the text.
    ///
    /// # Errors
    ///
    /// Returns an error if there are secrets and the text is not one JSON document.
    pub fn scrub_document(&self, text: &str) -> Result<Option<String>, serde_json::Error> {
        if self.is_empty() {
            return Ok(None);
        }
        let mut value = serde_json::from_str::<Value>(text)?;
        // The text is searched as well, because the document keeps only one of two values with the same key.
        let found = self.scrub_value(&mut value) || self.contained_in(text.as_bytes());
        Ok(found.then(|| value.to_string()))
    }

    /// Redacts bytes like [`scrub_json`](Self::scrub_json). Bytes without secrets are returned unchanged.
    pub fn scrub_bytes(&self, bytes: Vec<u8>) -> Vec<u8> {
        if self.is_empty() {
            return bytes;
        }
        match String::from_utf8(bytes) {
            Ok(text) => self.scrub_json(text).into_bytes(),
            Err(error) => {
                let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
                let scrubbed = self.scrub_json(text.clone());
                if scrubbed == text {
                    error.into_bytes()
                } else {
                    scrubbed.into_bytes()
                }
            }
        }
    }

    fn find(&self, text: &[u8]) -> Vec<Range<usize>> {
        let finder = self.0.as_ref();
        finder.map_or_else(Vec::new, |finder| finder.find(text))
    }

    /// Redacts the lines of a text that are JSON documents, together. Returns `None` if no secret was found in them.
    fn scrub_lines(&self, text: &str) -> Option<String> {
        const EVENT: &str = "data:";
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let (mut documents, mut places) = (Vec::new(), Vec::new());
        for (place, line) in lines.iter().enumerate() {
            let document = line.strip_prefix(EVENT).unwrap_or(line);
            if let Ok(document) = serde_json::from_str::<Value>(document) {
                documents.push(document);
                places.push(place);
            }
        }
        let mut documents = Value::Array(documents);
        if !self.scrub_value(&mut documents) {
            return None;
        }
        let mut lines: Vec<String> = lines.into_iter().map(str::to_owned).collect();
        for (place, document) in places.into_iter().zip(documents.as_array()?) {
            let line = &mut lines[place];
            let event = if line.starts_with(EVENT) {
                "data: "
            } else {
                ""
            };
            *line = format!("{event}{document}\n");
        }
        Some(lines.concat())
    }

    fn rewrite(&self, value: &mut Value, name: &str, places: &mut HashMap<String, Places>) -> bool {
        match value {
            Value::String(text) => places.get_mut(name).is_some_and(|places| places.cut(text)),
            Value::Array(values) => {
                let mut changed = false;
                for value in values {
                    changed |= self.rewrite(value, name, places);
                }
                changed
            }
            Value::Object(entries) => {
                let mut changed = false;
                for (key, value) in entries.iter_mut() {
                    changed |= self.rewrite(value, key, places);
                }
                if entries.keys().any(|key| self.contained_in(key.as_bytes())) {
                    let entries_before = std::mem::take(entries).into_iter();
                    *entries = entries_before
                        .map(|(key, value)| (self.scrub(&key), value))
                        .collect();
                    changed = true;
                }
                changed
            }
            _ => false,
        }
    }
}

/// Appends each string of a document to the strings with the same name. Elements of an array have the name of the
/// array.
fn gather<'a>(value: &'a Value, name: &'a str, texts: &mut HashMap<&'a str, String>) {
    match value {
        Value::String(text) => texts.entry(name).or_default().push_str(text),
        Value::Array(values) => values.iter().for_each(|value| gather(value, name, texts)),
        Value::Object(entries) => {
            for (key, value) in entries {
                gather(value, key, texts);
            }
        }
        _ => {}
    }
}

/// Ranges of secrets in the concatenated strings of one name.
struct Places {
    /// Ranges, in positions of the concatenation.
    ranges: Vec<Range<usize>>,
    /// Position at which the next string begins.
    at: usize,
}

impl Places {
    /// Redacts the next string. Returns true if any secret was found.
    fn cut(&mut self, text: &mut String) -> bool {
        let (begin, end) = (self.at, self.at + text.len());
        self.at = end;
        let first = self.ranges.partition_point(|range| range.end <= begin);
        let last = self.ranges.partition_point(|range| range.start < end);
        let within: Vec<_> = self.ranges[first..last.max(first)]
            .iter()
            .map(|range| range.start.max(begin) - begin..range.end.min(end) - begin)
            .collect();
        if within.is_empty() {
            return false;
        }
        *text = redacted(text, &within);
        true
    }
}

/// Replaces the given ranges of a text, which are sorted.
fn redacted(text: &str, places: &[Range<usize>]) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut at = 0;
    for place in places {
        // A range begins and ends at character boundaries, because it consists of characters of a secret or their
        // escapes.
        kept.push_str(text.get(at..place.start).unwrap_or_default());
        kept.push_str(REDACTED);
        at = place.end;
    }
    kept.push_str(text.get(at..).unwrap_or_default());
    kept
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn secrets() -> Secrets {
        Secrets::new(&[
            Secret::new("can\"ary-1"),
            Secret::new("Bearer can\"ary-1"),
            Secret::new("sk/can+ary%2"),
        ])
    }

    #[test]
    fn no_secret_is_left() {
        let secrets = secrets();
        let message = json!({"result": [{"can\"ary-1": "Bearer can\"ary-1!"}, "can\\u0022ary", 1]});
        let scrubbed: Value =
            serde_json::from_str(&secrets.scrub_json(message.to_string())).unwrap();
        assert_eq!(
            scrubbed,
            json!({"result": [{"[redacted]": "[redacted]!"}, "can\\u0022ary", 1]})
        );
        let escaped = r#"{"result": "can\u0022ary-1"}"#.to_owned();
        assert_eq!(secrets.scrub_json(escaped), r#"{"result":"[redacted]"}"#);
        assert_eq!(
            secrets.scrub_json("<p>can\"ary-1".to_owned()),
            "<p>[redacted]"
        );
        assert!(!format!("{secrets:?}").contains("ary"));
        let none = Secrets::default();
        assert_eq!(none.scrub_json("{ }".to_owned()), "{ }");
        assert_eq!(secrets.scrub_bytes(vec![0xff, 0xfe]), [0xff, 0xfe]);
        let echoed = b"\xff can\"ary-1".to_vec();
        assert_eq!(
            secrets.scrub_bytes(echoed),
            "\u{fffd} [redacted]".as_bytes()
        );
        assert_eq!(Secrets::new(&[Secret::new("a")]).scrub("banana"), "banana");
    }

    #[test]
    fn documents_in_documents_are_looked_through() {
        let secrets = secrets();
        let mut document = json!({"key": "sk/can+ary%2"});
        for _ in 0..9 {
            document = json!({"arguments": document.to_string().replace('/', "\\/")});
        }
        let mut scrubbed = document;
        assert!(secrets.scrub_value(&mut scrubbed));
        while let Some(text) = scrubbed["arguments"].as_str() {
            scrubbed = serde_json::from_str(text).unwrap();
        }
        assert_eq!(scrubbed, json!({"key": "[redacted]"}));
    }

    #[test]
    fn a_secret_in_parts_is_found() {
        let secrets = secrets();
        let mut parts = json!({"content": [
            {"type": "text", "text": "it is sk/ca"}, {"type": "text", "text": "n+ary"},
            {"type": "tool", "text": "%2."}, {"type": "text", "text": "sk/can"},
        ]});
        assert!(secrets.scrub_value(&mut parts));
        let texts: Vec<_> = parts["content"]
            .as_array()
            .unwrap()
            .iter()
            .map(|part| &part["text"])
            .collect();
        assert_eq!(
            texts,
            ["it is [redacted]", "[redacted]", "[redacted].", "sk/can"]
        );

        let stream = "event: delta\ndata: {\"delta\": \"sk\\/ca\"}\n\ndata: {\"delta\": \"n+ary%2\"}\n\ndata: [DONE]\n";
        assert_eq!(
            secrets.scrub_json(stream.to_owned()),
            "event: delta\ndata: {\"delta\":\"[redacted]\"}\n\ndata: {\"delta\":\"[redacted]\"}\n\ndata: [DONE]\n"
        );
        assert!(secrets.scrub_document(stream).is_err());
        let untouched = "data: {\"a\": 1}\n\ndata: [DONE]\n";
        assert_eq!(secrets.scrub_json(untouched.to_owned()), untouched);
    }

    #[test]
    fn a_secret_beside_an_equal_key_is_not_passed_on() {
        let text = r#"{"a": "sk\/can+ary%2", "a": 1}"#.to_owned();
        assert_eq!(secrets().scrub_json(text), r#"{"a":1}"#);
    }
}
