//! The hours at which people work, and times in words.

use mcpmark_guest::jiff::Timestamp;

/// The first Monday since 1970, midnight in UTC.
const MONDAY: i64 = 4 * DAY;
pub const HOUR: i64 = 3_600;
pub const DAY: i64 = 24 * HOUR;

/// Midnight of a day, counted from a Monday.
fn day(number: i64) -> i64 {
    MONDAY + number * DAY
}

/// The first moment from this one on at which somebody works.
pub fn working(time: i64) -> i64 {
    let days = (time - MONDAY).div_euclid(DAY);
    let hour = (time - MONDAY).rem_euclid(DAY) / HOUR;
    match (days.rem_euclid(7), hour) {
        (5, _) => day(days + 2) + 8 * HOUR + (time - MONDAY).rem_euclid(HOUR),
        (6, _) | (_, 19..) => working(day(days + 1) + 8 * HOUR + (time - MONDAY).rem_euclid(HOUR)),
        (_, 0..7) => day(days) + 7 * HOUR + (time - MONDAY).rem_euclid(2 * HOUR),
        _ => time,
    }
}

/// `2024-03-01T12:00:00Z`
pub fn iso(time: i64) -> String {
    match Timestamp::from_second(time) {
        Ok(time) => time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
        Err(error) => panic!("{time} is no time: {error}"),
    }
}

/// `2024-03-01`
pub fn date(time: i64) -> String {
    iso(time)[..10].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_works_at_night_or_on_sundays() {
        assert_eq!(iso(working(day(0) + 3 * HOUR)), "1970-01-05T08:00:00Z");
        assert_eq!(iso(working(day(0) + 9 * HOUR)), "1970-01-05T09:00:00Z");
        assert_eq!(iso(working(day(4) + 20 * HOUR)), "1970-01-12T08:00:00Z");
        assert_eq!(iso(working(day(6) + 60)), "1970-01-12T08:01:00Z");
        for minute in 0..(15 * 24 * 60) {
            let time = day(100) + minute * 60;
            assert!(working(time) >= time);
            assert_eq!(working(working(time)), working(time));
        }
    }
}
