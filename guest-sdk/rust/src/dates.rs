//! Calendar dates in common written formats.

use jiff::civil::Date;

use crate::condition::show;

/// ISO 8601: `2025-03-01`.
pub const ISO: &str = "%Y-%m-%d";
/// Day first, with slashes: `01/03/2025`, also `1/3/2025`.
pub const DAY_FIRST: &str = "%d/%m/%Y";
/// Month first, with slashes: `03/01/2025`, also `3/1/2025`.
pub const MONTH_FIRST: &str = "%m/%d/%Y";
/// Day, short month name and year: `1 Mar 2025`.
pub const SHORT_MONTH: &str = "%d %b %Y";
/// Day, month name and year: `1 March 2025`.
pub const LONG_MONTH: &str = "%d %B %Y";
/// Day first, with points: `01.03.2025`, also `1.3.2025`.
pub const POINTS: &str = "%d.%m.%Y";

/// Reads a date in the first of the formats (syntax of strptime) that matches the whole text.
///
/// # Errors
/// Returns a message with the text if no format matches.
pub fn parse(text: &str, formats: &[&str]) -> Result<Date, String> {
    formats
        .iter()
        .find_map(|format| Date::strptime(format, text).ok())
        .ok_or_else(|| {
            format!(
                "expected a date like {}, found {}",
                formats.join(" or "),
                show(text)
            )
        })
}

/// Formats a date as ISO 8601.
pub fn iso(date: Date) -> String {
    date.strftime(ISO).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_form_is_read() {
        for (text, format) in [
            ("2025-03-01", ISO),
            ("1/3/2025", DAY_FIRST),
            ("01/03/2025", DAY_FIRST),
            ("3/1/2025", MONTH_FIRST),
            ("1 Mar 2025", SHORT_MONTH),
            ("01 March 2025", LONG_MONTH),
            ("1.3.2025", POINTS),
        ] {
            assert_eq!(
                parse(text, &[format]).map(iso),
                Ok("2025-03-01".into()),
                "{text}"
            );
        }
    }

    #[test]
    fn what_is_no_date_is_refused() {
        for text in [
            "",
            "2025-13-01",
            "2025-02-30",
            "2025-03-01 ",
            "2025-03-01x",
            "yesterday",
        ] {
            assert!(parse(text, &[ISO, DAY_FIRST]).is_err(), "{text:?}");
        }
    }
}
