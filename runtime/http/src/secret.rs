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

    /// The same for bytes; they come back as they are where the key is not in them.
    pub fn scrub_bytes(&self, bytes: Vec<u8>) -> Vec<u8> {
        let key = self.0.as_bytes();
        if key.is_empty() || !bytes.windows(key.len()).any(|window| window == key) {
            return bytes;
        }
        self.scrub(&String::from_utf8_lossy(&bytes)).into_bytes()
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
        let echoed = b"key: sk-canary-123456".to_vec();
        assert_eq!(key.scrub_bytes(echoed), b"key: [redacted]");
        assert_eq!(key.scrub_bytes(vec![0xff, 0xfe]), [0xff, 0xfe]);
        assert_eq!(Secret::new("a").scrub("banana"), "banana");
    }
}
