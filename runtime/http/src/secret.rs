//! Secret keys that are never displayed.

use std::fmt;

/// Replacement of a secret.
pub(crate) const REDACTED: &str = "[redacted]";

/// Secret key. `Debug` and `Display` print a placeholder instead of the key.
#[derive(Clone)]
pub struct Secret(String);

impl Secret {
    /// Wraps a key.
    pub fn new(key: impl Into<String>) -> Self {
        Self(key.into())
    }

    /// Returns the key, only for the header of a request.
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
