//! The clocks of the laboratory.

use mcpmark_guest::jiff::ToSpan;
use mcpmark_guest::jiff::civil::{Date, DateTime};

pub fn at(month: i8, day: i8, hour: i8, minute: i8) -> DateTime {
    DateTime::constant(2024, month, day, hour, minute, 0, 0)
}

/// Hours by which the wall clock is ahead of UTC, at a time of the wall clock in the first
/// half of 2024.
pub fn ahead(local: DateTime) -> i64 {
    if local < at(3, 31, 3, 0) { 1 } else { 2 }
}

pub fn utc_of(local: DateTime) -> DateTime {
    hours(local, -ahead(local))
}

/// The wall clock at a time of UTC in the first half of 2024.
pub fn local_of(utc: DateTime) -> DateTime {
    hours(utc, if utc < at(3, 31, 1, 0) { 1 } else { 2 })
}

pub fn minutes(time: DateTime, minutes: i64) -> DateTime {
    time.saturating_add(minutes.minutes())
}

pub fn hours(time: DateTime, hours: i64) -> DateTime {
    time.saturating_add(hours.hours())
}

pub fn days(date: Date, days: i64) -> Date {
    date.saturating_add(days.days())
}

pub fn seconds(utc: DateTime) -> i64 {
    let epoch = DateTime::constant(1970, 1, 1, 0, 0, 0, 0);
    utc.duration_since(epoch).as_secs()
}

/// `04.03.2024 09:12`
pub fn points(time: DateTime) -> String {
    time.strftime("%d.%m.%Y %H:%M").to_string()
}

/// `2024-03-04T09:12`
pub fn iso(time: DateTime) -> String {
    time.strftime("%Y-%m-%dT%H:%M").to_string()
}
