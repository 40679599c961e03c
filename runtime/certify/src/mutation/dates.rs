//! Dates in a text, shifted by one day and written in their original format.

use jiff::civil::Date;

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// Position and format of a date in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) at: usize,
    pub(super) length: usize,
    date: Date,
    form: Form,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// `2024-05-06`.
    Iso,
    /// `06/05/2024` or `6.5.2024`, with the separator and the minimum widths of day and month. Ambiguous dates are read
    /// with the day first.
    Numbers {
        between: char,
        day: usize,
        month: usize,
        is_month_first: bool,
    },
    /// `6 May 2024`, `06 May 2024` or `6 Feb 2024`, with the minimum width of the day. `is_short` is set if the name of
    /// the month is abbreviated to three letters.
    Words { day: usize, is_short: bool },
}

impl Place {
    /// Returns the date one day earlier or later, in the same format.
    pub(super) fn shifted(&self) -> Option<String> {
        let other = if self.at.is_multiple_of(2) {
            self.date.tomorrow()
        } else {
            self.date.yesterday()
        };
        let other = other.ok()?;
        let (year, month, day) = (other.year(), other.month(), other.day());
        Some(match self.form {
            Form::Iso => other.to_string(),
            Form::Numbers {
                between,
                day: day_width,
                month: month_width,
                is_month_first,
            } => {
                let day = format!("{day:0day_width$}");
                let month = format!("{month:0month_width$}");
                let (first, second) = if is_month_first {
                    (month, day)
                } else {
                    (day, month)
                };
                format!("{first}{between}{second}{between}{year:04}")
            }
            Form::Words {
                day: width,
                is_short,
            } => {
                let name = MONTHS.get(usize::try_from(month).ok()?.checked_sub(1)?)?;
                let name = if is_short { &name[..3] } else { name };
                format!("{day:0width$} {name} {year:04}")
            }
        })
    }
}

/// Returns all dates of a text, in order.
pub(super) fn places(text: &str) -> Vec<Place> {
    let mut places = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let is_start = text.is_char_boundary(at)
            && text.as_bytes()[at].is_ascii_digit()
            && !text[..at].ends_with(|c: char| c.is_ascii_digit());
        match is_start.then(|| place(text, at)).flatten() {
            Some(place) => {
                at += place.length;
                places.push(place);
            }
            None => at += 1,
        }
    }
    places
}

/// Parses the date that starts at this position.
fn place(text: &str, at: usize) -> Option<Place> {
    let rest = &text[at..];
    let (first, after) = digits(rest)?;
    let between = after.chars().next()?;
    let after = &after[between.len_utf8()..];
    let (date, form, rest_after) = match (between, first.len()) {
        ('-', 4) => {
            let (month, after) = digits(after)?;
            let (day, after) = digits(after.strip_prefix('-')?)?;
            if (month.len(), day.len()) != (2, 2) {
                return None;
            }
            (date(first, month, day)?, Form::Iso, after)
        }
        ('/' | '.', 1 | 2) => {
            let (second, after) = digits(after)?;
            let (year, after) = digits(after.strip_prefix(between)?)?;
            let form = |day: &str, month: &str, is_month_first| Form::Numbers {
                between,
                day: day.len(),
                month: month.len(),
                is_month_first,
            };
            match date(year, second, first) {
                Some(date) => (date, form(first, second, false), after),
                None => (date(year, first, second)?, form(second, first, true), after),
            }
        }
        (' ', 1 | 2) => {
            let end = after.find(|c: char| !c.is_ascii_alphabetic())?;
            let (name, after) = after.split_at(end);
            let is_short = name.len() == 3 && name != "May";
            let month = 1 + MONTHS
                .iter()
                .position(|month| *month == name || (is_short && month.starts_with(name)))?;
            let (year, after) = digits(after.strip_prefix(' ')?)?;
            // A day with two digits and no leading zero does not show how days with one digit are padded.
            let day = if first.starts_with('0') {
                first.len()
            } else {
                1
            };
            let form = Form::Words { day, is_short };
            (date(year, &month.to_string(), first)?, form, after)
        }
        _ => return None,
    };
    Some(Place {
        at,
        length: rest.len() - rest_after.len(),
        date,
        form,
    })
}

/// Splits the text after its leading digits. Returns `None` if it does not start with a digit.
fn digits(text: &str) -> Option<(&str, &str)> {
    let end = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    (end > 0).then(|| text.split_at(end))
}

fn date(year: &str, month: &str, day: &str) -> Option<Date> {
    if year.len() != 4 {
        return None;
    }
    Date::new(year.parse().ok()?, month.parse().ok()?, day.parse().ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shifted(text: &str) -> Vec<String> {
        places(text)
            .iter()
            .filter_map(|place| {
                let (before, after) = (&text[..place.at], &text[place.at + place.length..]);
                Some([before, &place.shifted()?, after].concat())
            })
            .collect()
    }

    #[test]
    fn dates_move_by_a_day_over_the_ends_of_months() {
        for (text, other) in [
            ("2024-02-29\n", "2024-03-01\n"),
            ("x2025-01-01", "x2024-12-31"),
            ("6 May 2024", "7 May 2024"),
            ("31 December 2024,", "1 January 2025,"),
            (".01 Mar 2025", ".28 Feb 2025"),
            ("30/06/2025", "01/07/2025"),
            ("06/30/2025", "07/01/2025"),
            ("1.3.2024", "2.3.2024"),
        ] {
            assert_eq!(shifted(text), [other]);
        }
        assert_eq!(shifted("2024-01-01 to 9 May 2024").len(), 2);
    }

    #[test]
    fn numbers_that_are_no_dates_stay() {
        for text in [
            "12025-01-01",
            "2025-13-01",
            "31 June 2024",
            "6 Apples 2024",
            "1.2.3",
            "10/12",
            "30/02/2025",
            "7 é",
        ] {
            assert!(shifted(text).is_empty(), "{text}");
        }
    }
}
