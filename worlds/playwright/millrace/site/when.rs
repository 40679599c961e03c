//! Dates and times as pages show them.

use jiff::Timestamp;
use jiff::civil::{Date, DateTime, Weekday};
use jiff::tz::Offset;

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

fn civil(seconds: i64) -> DateTime {
    Offset::UTC.to_datetime(Timestamp::from_second(seconds).unwrap_or(Timestamp::UNIX_EPOCH))
}

/// Returns the date of a time.
pub fn date(seconds: i64) -> Date {
    civil(seconds).date()
}

/// Returns a time such as `12 January 2026, 08:30`.
pub fn time(seconds: i64) -> String {
    let time = civil(seconds);
    format!(
        "{}, {:02}:{:02}",
        plain(time.date()),
        time.hour(),
        time.minute()
    )
}

/// Returns a day such as `Monday, 12 January 2026` of `2026-01-12`.
pub fn day(day: &str) -> String {
    match day.parse::<Date>() {
        Ok(date) => format!("{}, {}", weekday(date.weekday()), plain(date)),
        Err(_) => day.to_owned(),
    }
}

fn plain(date: Date) -> String {
    let month = MONTHS[usize::from(date.month().unsigned_abs()) - 1];
    format!("{} {month} {}", date.day(), date.year())
}

fn weekday(day: Weekday) -> &'static str {
    match day {
        Weekday::Monday => "Monday",
        Weekday::Tuesday => "Tuesday",
        Weekday::Wednesday => "Wednesday",
        Weekday::Thursday => "Thursday",
        Weekday::Friday => "Friday",
        Weekday::Saturday => "Saturday",
        Weekday::Sunday => "Sunday",
    }
}

/// Returns the working days after a time, at most `count` of them.
pub fn working_days(now: i64, count: usize) -> Vec<Date> {
    let mut days = Vec::new();
    let mut day = date(now);
    while days.len() < count {
        let Ok(next) = day.tomorrow() else {
            break;
        };
        day = next;
        if !matches!(day.weekday(), Weekday::Saturday | Weekday::Sunday) {
            days.push(day);
        }
    }
    days
}
