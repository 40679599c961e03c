use std::fmt;

/// Stands where a secret stood.
pub(crate) const REDACTED: &str = "[redacted]";

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
    }
}
