//! Times of the workspace, and dates of properties and mentions.

use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;

/// Time in seconds since 1970-01-01T00:00:00Z.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Time(pub i64);

impl Time {
    /// Returns the form of the API. Times of creation and edits have a precision of one minute (documentation of the
    /// page object).
    pub fn minute(self) -> String {
        format_with(self.0 - self.0.rem_euclid(60), "%Y-%m-%dT%H:%M:00.000Z")
    }

    /// Returns the form with seconds.
    pub fn second(self) -> String {
        format_with(self.0, "%Y-%m-%dT%H:%M:%S.000Z")
    }

    /// Parses a time with an offset, such as `2024-05-01T09:30:00Z`.
    pub fn parse(text: &str) -> Option<Self> {
        let time: Timestamp = text.parse().ok()?;
        Some(Self(time.as_second()))
    }

    /// Returns the date in UTC.
    pub fn date(self) -> Date {
        let time = Timestamp::from_second(self.0).unwrap_or_default();
        time.to_zoned(TimeZone::UTC).date()
    }
}

fn format_with(seconds: i64, form: &str) -> String {
    let time = Timestamp::from_second(seconds).unwrap_or_default();
    time.strftime(form).to_string()
}

/// Start or end of a date value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Moment {
    /// Form of the API: a date, or a date and time with an offset, or without one if the value has a time zone.
    pub text: String,
    /// Time in UTC, with which values are compared.
    pub time: Time,
    /// Whether the value is a date without a time.
    pub is_date: bool,
}

impl Moment {
    /// Parses a date or a date and time in ISO 8601. A time without an offset is in `zone`, or in UTC if that is `None`.
    pub fn parse(text: &str, zone: Option<&TimeZone>) -> Option<Self> {
        if text.len() == 10 {
            let date: Date = text.parse().ok()?;
            let time = date.to_zoned(TimeZone::UTC).ok()?.timestamp();
            return Some(Self {
                text: date.to_string(),
                time: Time(time.as_second()),
                is_date: true,
            });
        }
        if text.len() < 16 || text.as_bytes()[10] != b'T' {
            return None;
        }
        let local: DateTime = text
            .get(..19)
            .unwrap_or(text)
            .trim_end_matches(['Z', '+', '-'])
            .parse()
            .ok()?;
        let form = "%Y-%m-%dT%H:%M:%S.000";
        if let Ok(time) = text.parse::<Timestamp>() {
            // The offset of the text is preserved; `Z` becomes `+00:00`.
            let offset =
                local.to_zoned(TimeZone::UTC).ok()?.timestamp().as_second() - time.as_second();
            let sign = if offset < 0 { '-' } else { '+' };
            let (hours, minutes) = (offset.abs() / 3600, offset.abs() / 60 % 60);
            return Some(Self {
                text: format!("{}{sign}{hours:02}:{minutes:02}", local.strftime(form)),
                time: Time(time.as_second()),
                is_date: false,
            });
        }
        let has_offset = text.len() > 19 && !text[19..].starts_with('.');
        if has_offset {
            return None;
        }
        let time = local
            .to_zoned(zone.cloned().unwrap_or(TimeZone::UTC))
            .ok()?
            .timestamp();
        let offset = if zone.is_some() { "" } else { "+00:00" };
        Some(Self {
            text: format!("{}{offset}", local.strftime(form)),
            time: Time(time.as_second()),
            is_date: false,
        })
    }
}

/// Value of a date property, or of a mention of a date.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DateValue {
    /// Start.
    pub start: Moment,
    /// End of a range.
    pub end: Option<Moment>,
    /// Name of the time zone of both.
    pub time_zone: Option<String>,
}

impl DateValue {
    /// Returns the text that stands for a mention of the date.
    pub fn plain(&self) -> String {
        match &self.end {
            None => self.start.text.clone(),
            Some(end) => format!("{} → {}", self.start.text, end.text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_have_one_form() {
        let form = |text: &str| Moment::parse(text, None).map(|it| (it.text, it.time.0));
        let utc = 1_714_555_800;
        assert_eq!(
            form("2024-05-01"),
            Some(("2024-05-01".to_owned(), 1_714_521_600))
        );
        for text in [
            "2024-05-01T09:30:00Z",
            "2024-05-01T09:30:00.000Z",
            "2024-05-01T09:30",
        ] {
            assert_eq!(
                form(text),
                Some(("2024-05-01T09:30:00.000+00:00".to_owned(), utc)),
                "{text}"
            );
        }
        let west = ("2024-05-01T02:30:00.000-07:00".to_owned(), utc);
        assert_eq!(form("2024-05-01T02:30:00-07:00"), Some(west));
        for bad in [
            "2024-13-01",
            "tomorrow",
            "2024-05-01 09:30",
            "2024-05-01T25:00:00Z",
            "",
        ] {
            assert_eq!(form(bad), None, "{bad:?}");
        }
        let zone = TimeZone::fixed(jiff::tz::offset(2));
        let there = Moment::parse("2024-05-01T11:30:00", Some(&zone)).unwrap();
        assert_eq!(
            (there.text.as_str(), there.time.0),
            ("2024-05-01T11:30:00.000", utc)
        );
    }

    #[test]
    fn edits_have_minutes() {
        assert_eq!(Time(1_714_555_859).minute(), "2024-05-01T09:30:00.000Z");
        assert_eq!(Time(1_714_555_859).second(), "2024-05-01T09:30:59.000Z");
        assert_eq!(
            Time::parse("2024-05-01T09:30:59Z"),
            Some(Time(1_714_555_859))
        );
    }
}
