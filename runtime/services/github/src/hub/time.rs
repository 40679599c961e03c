//! Timestamps with a resolution of one second, in GitHub's format.

use std::borrow::Cow;
use std::fmt;

use jiff::Timestamp;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// Time in seconds since 1970-01-01 UTC, written as `2025-01-31T08:00:00Z`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(pub i64);

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match Timestamp::from_second(self.0) {
            Ok(time) => write!(f, "{}", time.strftime("%Y-%m-%dT%H:%M:%SZ")),
            Err(_) => write!(f, "{}", self.0),
        }
    }
}

impl Time {
    /// Parses a time in the format of RFC 3339. Fractions of a second are dropped.
    pub fn parse(text: &str) -> Option<Self> {
        let time: Timestamp = text.parse().ok()?;
        Some(Self(time.as_second()))
    }

    /// Calendar day in UTC, such as `2025-01-31`.
    pub(crate) fn day(self) -> String {
        self.to_string().chars().take(10).collect()
    }
}

impl Serialize for Time {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Time {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| {
            de::Error::custom(format!(
                "expected a time such as 2025-01-31T08:00:00Z, found {text:?}"
            ))
        })
    }
}

impl JsonSchema for Time {
    fn schema_name() -> Cow<'static, str> {
        "Time".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string", "format": "date-time"})
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_keep_their_form() {
        let time = Time::parse("2025-01-31T08:00:00Z").unwrap();
        assert_eq!(time, Time(1_738_310_400));
        assert_eq!(time.to_string(), "2025-01-31T08:00:00Z");
        assert_eq!(Time::parse("2025-01-31T09:00:00.75+01:00"), Some(time));
        assert_eq!(time.day(), "2025-01-31");
        assert_eq!(Time::parse("yesterday"), None);
    }
}
