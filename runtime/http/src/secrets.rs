use std::sync::Arc;

use serde_json::Value;

use crate::Secret;

/// The secrets that somebody was given, to be taken out of all that comes back from there.
#[derive(Debug, Clone, Default)]
pub struct Secrets(Arc<[Secret]>);

impl Secrets {
    /// Keeps secrets; one may be a part of another.
    pub fn new(mut secrets: Vec<Secret>) -> Self {
        // The longest first, so that nothing of it is left.
        secrets.sort_by_key(|secret| std::cmp::Reverse(secret.expose().len()));
        Self(secrets.into())
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Takes them out of a text.
    pub fn scrub(&self, text: &str) -> String {
        let scrub = |text: String, secret: &Secret| secret.scrub(&text);
        self.0.iter().fold(text.to_owned(), scrub)
    }

    /// Takes them out of every text and every key of a document, and says whether there were any.
    pub fn scrub_value(&self, value: &mut Value) -> bool {
        match value {
            Value::String(text) => {
                let scrubbed = self.scrub(text);
                let changed = scrubbed != *text;
                *text = scrubbed;
                changed
            }
            Value::Array(values) => {
                let mut changed = false;
                for value in values {
                    changed |= self.scrub_value(value);
                }
                changed
            }
            Value::Object(entries) => {
                let mut changed = false;
                let scrubbed = std::mem::take(entries).into_iter().map(|(key, mut value)| {
                    let clean = self.scrub(&key);
                    changed |= self.scrub_value(&mut value) || clean != key;
                    (clean, value)
                });
                *entries = scrubbed.collect();
                changed
            }
            _ => false,
        }
    }

    /// Takes them out of a text that may be JSON, where they may stand escaped.
    pub fn scrub_json(&self, text: String) -> String {
        if self.is_empty() {
            return text;
        }
        let Ok(mut value) = serde_json::from_str::<Value>(&text) else {
            return self.scrub(&text);
        };
        match self.scrub_value(&mut value) {
            true => value.to_string(),
            false => text,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn no_secret_is_left() {
        let secrets = Secrets::new(vec![
            Secret::new("can\"ary-1"),
            Secret::new("Bearer can\"ary-1"),
        ]);
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
        let none = Secrets::default();
        assert_eq!(none.scrub_json("{ }".to_owned()), "{ }");
    }
}
