use std::fmt;

/// Stands where a key stood.
const REDACTED: &str = "[redacted]";

/// A key. It is shown nowhere: `Debug` and `Display` print a mark instead.
#[derive(Clone)]
pub struct Secret(String);

impl Secret {
    /// Keeps a key.
    pub fn new(key: impl Into<String>) -> Self {
        Self(key.into())
    }

    /// The key itself, for the header of a request and nothing else.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Takes the key out of a text that comes from outside: a server may echo what it was sent.
    pub fn scrub(&self, text: &str) -> String {
        // Shorter ones are no keys, and would tear words apart.
        if self.0.len() < 6 {
            return text.to_owned();
        }
        text.replace(&self.0, REDACTED)
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(REDACTED)
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(REDACTED)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_shown_nowhere() {
        let key = Secret::new("sk-canary-123456");
        assert_eq!(format!("{key} {key:?}"), "[redacted] [redacted]");
        assert_eq!(
            key.scrub("no such key: sk-canary-123456."),
            "no such key: [redacted]."
        );
        assert_eq!(Secret::new("a").scrub("banana"), "banana");
    }
}
