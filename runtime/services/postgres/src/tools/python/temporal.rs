//! `repr` of dates, times and intervals of the module `datetime`.

use std::fmt::Write as _;

use jiff::Timestamp;
use jiff::civil;
use jiff::tz::{AmbiguousOffset, Offset, TimeZone};

use super::{Kind, Refusal, Settings};

/// Time zone of a session as Python sees it.
#[derive(Debug, Clone)]
pub(super) enum Zone {
    /// `datetime.timezone.utc`, for `UTC` and for names that are unknown to Python.
    Utc,
    Named(String, TimeZone),
}

impl Zone {
    pub(super) fn named(name: &str) -> Self {
        match TimeZone::get(name) {
            Ok(zone) if name != "UTC" => Self::Named(name.to_owned(), zone),
            _ => Self::Utc,
        }
    }
}

/// Date and time of day without a zone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Clock {
    year: i32,
    month: u32,
    day: u32,
    hour: u32,
    minute: u32,
    second: u32,
    micros: u32,
}

/// Appends the `repr` of a value of a temporal type.
pub(super) fn value(
    kind: &Kind,
    text: &str,
    settings: &Settings,
    out: &mut String,
) -> Result<(), Refusal> {
    match kind {
        Kind::Date => date(text, settings, out),
        Kind::Time => time(text, out),
        Kind::TimeTz => time_with_zone(text, out),
        Kind::Timestamp => {
            let clock = timestamp(text, settings)?;
            out.push_str("datetime.datetime(");
            push_clock(&clock, out);
            out.push(')');
            Ok(())
        }
        Kind::TimestampTz => timestamp_with_zone(text, settings, out),
        _ => interval(text, settings, out),
    }
}

fn date(text: &str, settings: &Settings, out: &mut String) -> Result<(), Refusal> {
    let style = settings.date_style.as_str();
    let parts = text.as_bytes();
    let numbers = |year: std::ops::Range<usize>,
                   month: std::ops::Range<usize>,
                   day: std::ops::Range<usize>| {
        let number = |range: std::ops::Range<usize>| {
            std::str::from_utf8(parts.get(range)?)
                .ok()?
                .parse::<u32>()
                .ok()
        };
        Some((number(year)?, number(month)?, number(day)?))
    };
    let end = parts.len();
    let found = if style.starts_with('I') {
        numbers(0..4, 5..7, 8..end)
    } else if style.starts_with('G') || style.ends_with("DMY") {
        numbers(6..end, 3..5, 0..2)
    } else {
        numbers(6..end, 0..2, 3..5)
    };
    if let Some((year, month, day)) = found.filter(|(year, ..)| (1..=9999).contains(year)) {
        let _ = write!(out, "datetime.date({year}, {month}, {day})");
        return Ok(());
    }
    let first = text.split_whitespace().next().unwrap_or_default();
    Err(if text == "infinity" || first.len() > 10 {
        format!("date too large (after year 10K): '{text}'")
    } else if text == "-infinity" || text.contains("BC") {
        format!("date too small (before year 1): '{text}'")
    } else {
        format!("can't parse date '{text}'")
    })
}

/// Parses `hh:mm:ss` with an optional fraction.
fn time_of_day(text: &str) -> Option<(u32, u32, u32, u32)> {
    let (clock, fraction) = text.split_once('.').unwrap_or((text, ""));
    let mut parts = clock.split(':').map(str::parse);
    let mut next = || parts.next()?.ok();
    let (hour, minute, second) = (next()?, next()?, next()?);
    let micros = format!("{fraction:0<6}").parse().ok()?;
    Some((hour, minute, second, micros))
}

/// Appends hour and minute, and what follows of them that is not zero.
fn push_time(hour: u32, minute: u32, second: u32, micros: u32, out: &mut String) {
    // Writing to a string does not fail.
    let _ = write!(out, "{hour}, {minute}");
    if second > 0 || micros > 0 {
        let _ = write!(out, ", {second}");
    }
    if micros > 0 {
        let _ = write!(out, ", {micros}");
    }
}

fn time(text: &str, out: &mut String) -> Result<(), Refusal> {
    let parsed = time_of_day(text);
    let (hour, minute, second, micros) =
        parsed.ok_or_else(|| format!("can't parse time '{text}'"))?;
    if hour > 23 {
        return Err(format!("can't parse time '{text}': hour must be in 0..23"));
    }
    out.push_str("datetime.time(");
    push_time(hour, minute, second, micros, out);
    out.push(')');
    Ok(())
}

/// Splits the offset from UTC, such as `+02` or `-03:30`, off a text. Returns the offset in seconds.
fn split_offset(text: &str) -> Option<(&str, i64)> {
    let at = text.rfind(['+', '-'])?;
    let (clock, offset) = text.split_at(at);
    let mut seconds = 0;
    for (index, part) in offset[1..].split(':').enumerate() {
        seconds += part.parse::<i64>().ok()? * [3600, 60, 1].get(index)?;
    }
    Some((
        clock,
        if offset.starts_with('-') {
            -seconds
        } else {
            seconds
        },
    ))
}

fn time_with_zone(text: &str, out: &mut String) -> Result<(), Refusal> {
    let parsed = split_offset(text).and_then(|(clock, offset)| Some((time_of_day(clock)?, offset)));
    let ((hour, minute, second, micros), offset) =
        parsed.ok_or_else(|| format!("can't parse timetz '{text}'"))?;
    if hour > 23 {
        return Err(format!(
            "can't parse timetz '{text}': hour must be in 0..23"
        ));
    }
    out.push_str("datetime.time(");
    push_time(hour, minute, second, micros, out);
    out.push_str(", tzinfo=");
    push_fixed_zone(offset, out);
    out.push(')');
    Ok(())
}

/// Appends the `repr` of a `datetime.timezone`.
fn push_fixed_zone(offset: i64, out: &mut String) {
    if offset == 0 {
        out.push_str("datetime.timezone.utc");
    } else {
        out.push_str("datetime.timezone(");
        push_delta(offset.div_euclid(86400), offset.rem_euclid(86400), 0, out);
        out.push(')');
    }
}

const MONTHS: [&str; 12] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
];

/// Parses a timestamp in the style of the session.
fn timestamp(text: &str, settings: &Settings) -> Result<Clock, Refusal> {
    let style = settings.date_style.as_str();
    let day_first = style.ends_with("DMY");
    let words: Vec<&str> = text.split(' ').collect();
    let parsed = if style.starts_with('P') {
        match words.as_slice() {
            [_, first, second, clock, year] => {
                let (day, month) = if day_first {
                    (first, second)
                } else {
                    (second, first)
                };
                let month = MONTHS.iter().position(|name| name == month);
                month.and_then(|month| clock_of(year, &(month + 1).to_string(), day, clock))
            }
            _ => None,
        }
    } else {
        match words.as_slice() {
            [date, clock] => {
                let parts: Vec<&str> = date.split(['-', '/', '.']).collect();
                match parts.as_slice() {
                    [year, month, day] if style.starts_with('I') => {
                        clock_of(year, month, day, clock)
                    }
                    [day, month, year] if style.starts_with('G') || day_first => {
                        clock_of(year, month, day, clock)
                    }
                    [month, day, year] => clock_of(year, month, day, clock),
                    _ => None,
                }
            }
            _ => None,
        }
    };
    parsed.ok_or_else(|| timestamp_refusal(text, style))
}

fn clock_of(year: &str, month: &str, day: &str, clock: &str) -> Option<Clock> {
    let (hour, minute, second, micros) = time_of_day(clock)?;
    let year = year.parse().ok().filter(|year| (1..=9999).contains(year))?;
    Some(Clock {
        year,
        month: month.parse().ok()?,
        day: day.parse().ok()?,
        hour,
        minute,
        second,
        micros,
    })
}

fn timestamp_refusal(text: &str, style: &str) -> Refusal {
    let words: Vec<&str> = text.split_whitespace().collect();
    let is_overflow = if style.starts_with('P') {
        words.last().is_some_and(|year| year.len() > 4)
    } else {
        words.first().is_some_and(|date| date.len() > 10)
    };
    if text == "-infinity" || text.ends_with("BC") {
        format!("timestamp too small (before year 1): '{text}'")
    } else if text == "infinity" || is_overflow {
        format!("timestamp too large (after year 10K): '{text}'")
    } else {
        format!("can't parse timestamp '{text}': (unknown)")
    }
}

/// Appends the arguments of `datetime.datetime` without a zone.
fn push_clock(clock: &Clock, out: &mut String) {
    let _ = write!(out, "{}, {}, {}, ", clock.year, clock.month, clock.day);
    push_time(clock.hour, clock.minute, clock.second, clock.micros, out);
}

fn timestamp_with_zone(text: &str, settings: &Settings, out: &mut String) -> Result<(), Refusal> {
    let style = settings.date_style.as_str();
    if !style.starts_with('I') {
        return Err(format!(
            "can't parse timestamptz with DateStyle '{style}': '{text}'"
        ));
    }
    let refusal = || timestamp_refusal(text, style);
    let (local, offset) = split_offset(text).ok_or_else(refusal)?;
    let clock = timestamp(local, settings).map_err(|_| refusal())?;
    out.push_str("datetime.datetime(");
    match in_zone(&clock, offset, &settings.zone) {
        Some((shown, is_second)) => {
            push_clock(&shown, out);
            if is_second {
                out.push_str(", fold=1");
            }
            out.push_str(", tzinfo=");
            match &settings.zone {
                Zone::Utc => out.push_str("datetime.timezone.utc"),
                Zone::Named(name, _) => {
                    let _ = write!(out, "zoneinfo.ZoneInfo(key='{name}')");
                }
            }
        }
        // Python keeps the offset of a time whose conversion leaves the range of years.
        None => {
            push_clock(&clock, out);
            out.push_str(", tzinfo=");
            push_fixed_zone(offset, out);
        }
    }
    out.push(')');
    Ok(())
}

/// Converts a time with an offset into a zone. Also returns true for the second of two equal local times. Returns
/// `None` if the result is out of range.
fn in_zone(clock: &Clock, offset: i64, zone: &Zone) -> Option<(Clock, bool)> {
    let local = civil::datetime(
        i16::try_from(clock.year).ok()?,
        i8::try_from(clock.month).ok()?,
        i8::try_from(clock.day).ok()?,
        i8::try_from(clock.hour).ok()?,
        i8::try_from(clock.minute).ok()?,
        i8::try_from(clock.second).ok()?,
        i32::try_from(clock.micros).ok()? * 1000,
    );
    let utc = local
        .checked_sub(jiff::SignedDuration::from_secs(offset))
        .ok()?;
    let in_range = |time: &civil::DateTime| (1..=9999).contains(&time.year());
    if !in_range(&utc) {
        return None;
    }
    let Zone::Named(_, zone) = zone else {
        return Some((clock_from(&utc), false));
    };
    // The last hours of the year 9999 are no instants of jiff. No zone changes its offset in them.
    let instant = Offset::UTC.to_timestamp(utc).unwrap_or(Timestamp::MAX);
    let used = zone.to_offset(instant);
    let since_utc = jiff::SignedDuration::from_secs(used.seconds().into());
    let shown = utc.checked_add(since_utc).ok()?;
    if !in_range(&shown) {
        return None;
    }
    let is_second = match zone.to_ambiguous_timestamp(shown).offset() {
        AmbiguousOffset::Fold { before, after } => before != after && used == after,
        _ => false,
    };
    Some((clock_from(&shown), is_second))
}

fn clock_from(time: &civil::DateTime) -> Clock {
    let unsigned = |number: i8| u32::from(number.unsigned_abs());
    Clock {
        year: time.year().into(),
        month: unsigned(time.month()),
        day: unsigned(time.day()),
        hour: unsigned(time.hour()),
        minute: unsigned(time.minute()),
        second: unsigned(time.second()),
        micros: time.subsec_nanosecond().unsigned_abs() / 1000,
    }
}

/// Maximum days of a `datetime.timedelta`.
const MAX_DAYS: i64 = 999_999_999;

/// Appends the `repr` of a `datetime.timedelta`.
fn push_delta(days: i64, seconds: i64, micros: i64, out: &mut String) {
    let parts: Vec<String> = [
        ("days", days),
        ("seconds", seconds),
        ("microseconds", micros),
    ]
    .iter()
    .filter(|(_, number)| *number != 0)
    .map(|(name, number)| format!("{name}={number}"))
    .collect();
    out.push_str("datetime.timedelta(");
    out.push_str(if parts.is_empty() { "0" } else { "" });
    out.push_str(&parts.join(", "));
    out.push(')');
}

fn interval(text: &str, settings: &Settings, out: &mut String) -> Result<(), Refusal> {
    let style = settings.interval_style.as_str();
    if style != "postgres" {
        return Err(format!(
            "can't parse interval with IntervalStyle '{style}': '{text}'"
        ));
    }
    // psycopg counts the days in C, in 32 bits, and does not notice an overflow.
    let mut days = 0_i32;
    let mut micros = 0_i64;
    let words: Vec<&str> = text.split(' ').collect();
    let mut rest = words.as_slice();
    // A year has 365 days, and a month 30.
    while let [number, unit, tail @ ..] = rest {
        let unit = match unit.trim_end_matches('s') {
            "year" => 365,
            "mon" => 30,
            _ => 1,
        };
        let number: i32 = number.parse().unwrap_or_default();
        days = days.wrapping_add(number.wrapping_mul(unit));
        rest = tail;
    }
    if let [clock] = rest {
        let unsigned = clock.trim_start_matches(['-', '+']);
        let (hours, minutes, seconds, fraction) =
            interval_clock(unsigned).ok_or_else(|| format!("can't parse interval '{text}'"))?;
        micros = (hours * 3600 + minutes * 60 + seconds)
            .saturating_mul(1_000_000)
            .saturating_add(fraction);
        if clock.starts_with('-') {
            micros = -micros;
        }
    }
    const DAY: i64 = 86_400_000_000;
    let days = i64::from(days) + micros.div_euclid(DAY);
    let micros = micros.rem_euclid(DAY);
    if days.abs() > MAX_DAYS {
        return Err(format!(
            "can't parse interval '{text}': days={days}; must have magnitude <= {MAX_DAYS}"
        ));
    }
    push_delta(days, micros / 1_000_000, micros % 1_000_000, out);
    Ok(())
}

/// Parses the part of an interval below a day. Its hours may exceed 24.
fn interval_clock(text: &str) -> Option<(i64, i64, i64, i64)> {
    let (clock, fraction) = text.split_once('.').unwrap_or((text, ""));
    let mut parts = clock.split(':').map(str::parse);
    let mut next = || parts.next()?.ok();
    let (hours, minutes, seconds) = (next()?, next()?, next()?);
    let micros = format!("{fraction:0<6}").parse().ok()?;
    Some((hours, minutes, seconds, micros))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::wire::Parameters;

    fn with(settings: &[(&str, &str)], kind: &Kind, text: &str) -> Result<String, Refusal> {
        let mut out = String::new();
        let settings = Settings::of(&Parameters::of(settings));
        value(kind, text, &settings, &mut out).map(|()| out)
    }

    fn repr(kind: &Kind, text: &str) -> String {
        with(&[("IntervalStyle", "postgres")], kind, text).unwrap_or_else(|refusal| refusal)
    }

    // The expected values are those of psycopg 3.3 and Python 3.12.
    #[test]
    fn dates_and_times_are_printed_as_in_python() {
        for (kind, text, expected) in [
            (Kind::Date, "2025-01-02", "datetime.date(2025, 1, 2)"),
            (
                Kind::Date,
                "infinity",
                "date too large (after year 10K): 'infinity'",
            ),
            (
                Kind::Date,
                "0044-03-15 BC",
                "date too small (before year 1): '0044-03-15 BC'",
            ),
            (
                Kind::Time,
                "12:34:56.5",
                "datetime.time(12, 34, 56, 500000)",
            ),
            (Kind::Time, "00:00:00", "datetime.time(0, 0)"),
            (
                Kind::Time,
                "24:00:00",
                "can't parse time '24:00:00': hour must be in 0..23",
            ),
            (
                Kind::TimeTz,
                "01:02:03+00",
                "datetime.time(1, 2, 3, tzinfo=datetime.timezone.utc)",
            ),
            (
                Kind::TimeTz,
                "01:02:00-03:30",
                "datetime.time(1, 2, tzinfo=datetime.timezone(datetime.timedelta(days=-1, seconds=73800)))",
            ),
            (
                Kind::Timestamp,
                "2025-01-02 03:04:00",
                "datetime.datetime(2025, 1, 2, 3, 4)",
            ),
            (
                Kind::Timestamp,
                "10000-01-01 00:00:00",
                "timestamp too large (after year 10K): '10000-01-01 00:00:00'",
            ),
            (
                Kind::Interval,
                "1 day 02:00:00",
                "datetime.timedelta(days=1, seconds=7200)",
            ),
            (
                Kind::Interval,
                "1 year 2 mons -3 days",
                "datetime.timedelta(days=422)",
            ),
            (
                Kind::Interval,
                "-00:00:00.5",
                "datetime.timedelta(days=-1, seconds=86399, microseconds=500000)",
            ),
            (Kind::Interval, "00:00:00", "datetime.timedelta(0)"),
            (
                Kind::Interval,
                "178000000 years 11 mons 30 days 12:34:56.5",
                "datetime.timedelta(days=545490920, seconds=45296, microseconds=500000)",
            ),
            (
                Kind::Interval,
                "6000000 years",
                "can't parse interval '6000000 years': days=-2104967296; must have magnitude <= 999999999",
            ),
            (
                Kind::Interval,
                "999999999 days 24:00:00",
                "can't parse interval '999999999 days 24:00:00': days=1000000000; must have magnitude <= 999999999",
            ),
        ] {
            assert_eq!(repr(&kind, text), expected);
        }
    }

    #[test]
    fn times_with_zones_have_the_zone_of_the_session() {
        let zoned =
            |zone: &str, text: &str| with(&[("TimeZone", zone)], &Kind::TimestampTz, text).unwrap();
        assert_eq!(
            zoned("UTC", "2025-01-02 03:04:05+00"),
            "datetime.datetime(2025, 1, 2, 3, 4, 5, tzinfo=datetime.timezone.utc)"
        );
        assert_eq!(
            zoned("Etc/UTC", "2025-01-02 03:04:05+00"),
            "datetime.datetime(2025, 1, 2, 3, 4, 5, tzinfo=zoneinfo.ZoneInfo(key='Etc/UTC'))"
        );
        assert_eq!(
            zoned("America/New_York", "2025-11-02 01:30:00-05"),
            "datetime.datetime(2025, 11, 2, 1, 30, fold=1, tzinfo=zoneinfo.ZoneInfo(key='America/New_York'))"
        );
        assert_eq!(
            zoned("America/New_York", "9999-12-31 18:59:59-05"),
            "datetime.datetime(9999, 12, 31, 18, 59, 59, tzinfo=zoneinfo.ZoneInfo(key='America/New_York'))"
        );
        assert_eq!(
            zoned("<+02>-02", "2025-01-02 03:04:05+02"),
            "datetime.datetime(2025, 1, 2, 1, 4, 5, tzinfo=datetime.timezone.utc)"
        );
        assert_eq!(
            zoned("Asia/Tokyo", "0001-01-01 00:00:00+09"),
            "datetime.datetime(1, 1, 1, 0, 0, tzinfo=datetime.timezone(datetime.timedelta(seconds=32400)))"
        );
    }

    #[test]
    fn the_styles_of_the_session_count() {
        let german = [("DateStyle", "German, DMY")];
        assert_eq!(
            with(&german, &Kind::Date, "02.01.2025").unwrap(),
            "datetime.date(2025, 1, 2)"
        );
        let sql = [("DateStyle", "SQL, MDY")];
        assert_eq!(
            with(&sql, &Kind::Timestamp, "01/02/2025 03:04:05").unwrap(),
            "datetime.datetime(2025, 1, 2, 3, 4, 5)"
        );
        let postgres = [("DateStyle", "Postgres, MDY")];
        assert_eq!(
            with(&postgres, &Kind::Timestamp, "Thu Jan 02 03:04:05 2025").unwrap(),
            "datetime.datetime(2025, 1, 2, 3, 4, 5)"
        );
        assert_eq!(
            with(&postgres, &Kind::Date, "01-02-2025").unwrap(),
            "datetime.date(2025, 1, 2)"
        );
        assert_eq!(
            with(&postgres, &Kind::TimestampTz, "x").unwrap_err(),
            "can't parse timestamptz with DateStyle 'Postgres, MDY': 'x'"
        );
        let verbose = [("IntervalStyle", "postgres_verbose")];
        assert_eq!(
            with(&verbose, &Kind::Interval, "@ 1 day").unwrap_err(),
            "can't parse interval with IntervalStyle 'postgres_verbose': '@ 1 day'"
        );
    }
}
