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
/// Month name, day and year: `March 1, 2025`.
pub const MONTH_DAY: &str = "%B %d, %Y";
/// Short month name, day and year: `Mar 1, 2025`.
pub const SHORT_MONTH_DAY: &str = "%b %d, %Y";
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

/// Forms in which a date may be written. By default those that have one reading: `2025-03-01`, `1 March 2025`,
/// `1 Mar 2025`, `March 1, 2025` and `Mar 1, 2025`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dates {
    formats: Vec<String>,
}

impl Default for Dates {
    fn default() -> Self {
        Self::only([ISO, SHORT_MONTH, LONG_MONTH, MONTH_DAY, SHORT_MONTH_DAY])
    }
}

impl Dates {
    /// Returns the default forms.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns these forms alone (syntax of strptime), such as [`ISO`].
    pub fn only<S: AsRef<str>>(formats: impl AsRef<[S]>) -> Self {
        let formats = formats.as_ref().iter();
        Self {
            formats: formats.map(|it| it.as_ref().to_owned()).collect(),
        }
    }

    /// Accepts another form, such as [`DAY_FIRST`].
    #[must_use]
    pub fn or(mut self, format: impl Into<String>) -> Self {
        self.formats.push(format.into());
        self
    }

    /// Reads a date. Blanks around it are ignored.
    ///
    /// # Errors
    /// Returns a message with the text if it has none of the forms.
    pub fn read(&self, text: &str) -> Result<Date, String> {
        let trimmed = text.trim();
        // No form of a date is long.
        let formats = self.formats.iter().filter(|_| trimmed.len() <= 100);
        let mut dates = formats.filter_map(|format| {
            let date = Date::strptime(format, trimmed).ok()?;
            // The parser also reads `2025-3-1` and `+2025-03- 01`, which are not ISO 8601.
            (format != ISO || iso(date) == trimmed).then_some(date)
        });
        dates
            .next()
            .ok_or_else(|| format!("expected a date, found {}", show(text)))
    }
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

    #[test]
    fn usual_forms_of_a_date_have_one_reading() {
        let date = Date::constant(2025, 3, 1);
        for text in [
            "2025-03-01",
            " 1 March 2025",
            "01 Mar 2025",
            "March 1, 2025",
            "Mar 1, 2025\n",
        ] {
            assert_eq!(Dates::new().read(text), Ok(date), "{text}");
        }
        for text in [
            "01/03/2025",
            "1.3.2025",
            "2025-3",
            "2025-3-1",
            "2025-03- 01",
            "+2025-03-01",
            "March 2025",
            "",
        ] {
            assert!(Dates::new().read(text).is_err(), "{text}");
        }
        assert_eq!(Dates::new().or(DAY_FIRST).read("01/03/2025"), Ok(date));
        assert!(Dates::only([ISO]).read("1 March 2025").is_err());
    }
}
