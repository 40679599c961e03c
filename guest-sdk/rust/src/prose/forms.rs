//! Forms of a single run of characters: numbers, dates, times, versions, commits and paths.

use jiff::civil::Date;
use rust_decimal::Decimal;

use super::lex::{Day, Kind, Number};
use super::words;

pub(super) fn reference(text: &str) -> Option<u64> {
    let is_number =
        !text.is_empty() && text.len() <= 9 && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().ok()).flatten()
}

/// Reads a date written in digits, and returns what follows a `T` after it.
pub(super) fn date(text: &str) -> Option<(Kind, Option<&str>)> {
    let (text, rest) = match text.split_once('T') {
        Some((day, rest)) if day.len() == 10 => (day, Some(rest)),
        _ => (text, None),
    };
    let sign = text.chars().find(|char| matches!(char, '-' | '/' | '.'))?;
    let parts: Vec<&str> = text.split(sign).take(4).collect();
    let numbers: Option<Vec<i16>> = parts
        .iter()
        .map(|part| {
            let is_number = part.len() <= 4 && part.bytes().all(|byte| byte.is_ascii_digit());
            is_number.then(|| part.parse().ok()).flatten()
        })
        .collect();
    let lengths: Vec<usize> = parts.iter().map(|part| part.len()).collect();
    let day = |year: i16, month: i16, day: i16| {
        Date::new(year, i8::try_from(month).ok()?, i8::try_from(day).ok()?)
            .ok()
            .map(|date| Day {
                year: Some(year),
                month: Some(date.month()),
                day: Some(date.day()),
                weekday: None,
            })
    };
    let readings: Vec<Day> = match (numbers.as_deref(), lengths.as_slice()) {
        (Some([year, month]), [4, 2])
            if sign == '-' && (1..=12).contains(month) && (1900..2200).contains(year) =>
        {
            vec![Day {
                year: Some(*year),
                month: i8::try_from(*month).ok(),
                ..Day::default()
            }]
        }
        (Some([a, b, c]), [4, ..]) if sign != '.' => day(*a, *b, *c).into_iter().collect(),
        (Some([a, b, c]), [1 | 2, 1 | 2, 2 | 4]) if sign != '-' => {
            let year = if lengths[2] == 2 { 2000 + c } else { *c };
            let month_first = if sign == '/' { day(year, *a, *b) } else { None };
            day(year, *b, *a).into_iter().chain(month_first).collect()
        }
        (None, [1 | 2, _, 4]) => {
            let month = words::month(&parts[1].to_lowercase()).map(i16::from);
            let written = parts[2].parse().ok().zip(parts[0].parse().ok()).zip(month);
            written
                .and_then(|((year, at), month)| day(year, month, at))
                .into_iter()
                .collect()
        }
        _ => Vec::new(),
    };
    (!readings.is_empty()).then_some((Kind::Date(readings), rest))
}

/// Reads a time such as `14:30`, `2:30pm`, `6pm` and `14h30`.
pub(super) fn time(text: &str) -> Option<Kind> {
    let lower = text.to_ascii_lowercase();
    let lower = lower.trim_end_matches('z');
    let (body, half) = match (lower.strip_suffix("am"), lower.strip_suffix("pm")) {
        (Some(body), _) => (body, Some(0)),
        (_, Some(body)) => (body, Some(12)),
        _ => (
            lower
                .strip_suffix('h')
                .filter(|body| body.contains(':'))
                .unwrap_or(lower),
            None,
        ),
    };
    let is_number = |part: &str| {
        (1..=2).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit())
    };
    let sign = body.chars().find(|char| !char.is_ascii_digit());
    let parts: Vec<&str> = body.split([':', '.', 'h']).take(4).collect();
    if !parts.iter().all(|part| is_number(part)) || parts.len() > 3 {
        return None;
    }
    let (hour, minute) = match (parts.as_slice(), sign) {
        ([hour], None) if half.is_some() => (hour.parse().ok()?, 0),
        ([hour, minute], Some('.')) if half.is_some() && minute.len() == 2 => {
            (hour.parse().ok()?, minute.parse().ok()?)
        }
        ([hour, minute, ..], Some(':' | 'h')) if minute.len() == 2 => {
            (hour.parse().ok()?, minute.parse().ok()?)
        }
        _ => return None,
    };
    clock(hour, minute, half, parts[0].starts_with('0')).map(Kind::Time)
}

/// Returns the readings of a time in minutes since midnight. `half` is 0 for am and 12 for pm.
pub(super) fn clock(
    hour: u32,
    minute: u32,
    half: Option<u32>,
    is_whole_day: bool,
) -> Option<Vec<u32>> {
    if minute > 59 || hour > 24 || (hour == 24 && minute > 0) {
        return None;
    }
    let minutes = |hour: u32| (hour % 24) * 60 + minute;
    match half {
        Some(_) if hour == 0 || hour > 12 => None,
        Some(half) => Some(vec![minutes(hour % 12 + half)]),
        None if is_whole_day || hour == 0 || hour > 12 => Some(vec![minutes(hour)]),
        None => Some(vec![minutes(hour), minutes((hour + 12) % 24)]),
    }
}

pub(super) fn is_version(text: &str) -> bool {
    let body = text.strip_prefix(['v', 'V']).unwrap_or(text);
    let core = body.split(['-', '+']).next().unwrap_or_default();
    let parts = core.split('.').take(9).collect::<Vec<_>>();
    let has_digits = parts.iter().all(|part| {
        !part.is_empty()
            && part.len() <= 9
            && part
                .bytes()
                .all(|byte| byte.is_ascii_digit() || byte == b'x')
    });
    // "1.234.567" is a number with separators.
    let is_number = body.len() == text.len() && number(core).is_some();
    let tail = &body[core.len()..];
    has_digits
        && core.starts_with(|char: char| char.is_ascii_digit())
        && (body.len() < text.len() || (parts.len() > 2 && !is_number))
        && tail
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'+'))
}

pub(super) fn is_commit(text: &str) -> bool {
    (7..=40).contains(&text.len())
        && text
            .bytes()
            .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
        && text.bytes().any(|byte| byte.is_ascii_digit())
        && text.bytes().any(|byte| byte.is_ascii_alphabetic())
}

pub(super) fn is_path(text: &str) -> bool {
    let is_name = |char: char| char.is_alphanumeric() || "/._-+~@%,:".contains(char);
    if !text.chars().all(is_name) {
        return false;
    }
    if text.contains('/') {
        return has_extension(text)
            || text.starts_with("./")
            || text.starts_with(['/', '~'])
            || text.ends_with('/')
            || text.starts_with('.')
            || text.matches('/').count() > 1;
    }
    let extension = text.rsplit_once('.').map(|(stem, end)| (stem.len(), end));
    extension.is_some_and(|(stem, end)| stem > 1 && words::EXTENSIONS.contains(&end))
}

pub(super) fn has_extension(text: &str) -> bool {
    let name = text.rsplit('/').next().unwrap_or(text);
    name.rsplit_once('.').is_some_and(|(stem, end)| {
        !stem.is_empty()
            && (1..=6).contains(&end.len())
            && end.bytes().all(|byte| byte.is_ascii_alphanumeric())
            && end.bytes().any(|byte| byte.is_ascii_alphabetic())
    })
}

pub(super) fn is_fraction(text: &str) -> bool {
    text.bytes()
        .all(|byte| byte.is_ascii_digit() || byte == b'/')
}

/// Reads a number with a sign, a currency and a suffix, and returns a unit after it as text.
pub(super) fn number(text: &str) -> Option<(Number, Option<&str>)> {
    let (sign, rest) = match text.strip_prefix('-') {
        Some(rest) => (-Decimal::ONE, rest),
        None => (Decimal::ONE, text.strip_prefix('+').unwrap_or(text)),
    };
    let (mut currency, rest) = words::leading_currency(rest);
    let (sign, rest) = match rest.strip_prefix('-') {
        Some(rest) if currency.is_some() => (-sign, rest),
        _ => (sign, rest),
    };
    let (readings, length) = literal(rest)?;
    let suffix = &rest[length..];
    let lower = suffix.to_lowercase();
    let mut number = Number::default();
    let mut factor = Decimal::ONE;
    let mut unit = None;
    match lower.as_str() {
        "" | "x" | "×" => {}
        "+" => number.is_hedged = true,
        "%" => number.is_percent = true,
        "st" | "nd" | "rd" | "th" => number.is_ordinal = true,
        "k" => factor = Decimal::from(1_000),
        "m" | "mn" if currency.is_some() => factor = Decimal::from(1_000_000),
        "bn" => factor = Decimal::from(1_000_000_000),
        _ => match words::currency_symbol(suffix) {
            Some(code) => currency = Some(code),
            None => {
                let is_unit =
                    words::unit(&lower).is_some() || words::currency_word(&lower).is_some();
                unit = is_unit.then_some(suffix);
                unit?;
            }
        },
    }
    number.currency = currency;
    number.readings = readings
        .iter()
        .filter_map(|value| value.checked_mul(factor)?.checked_mul(sign))
        .collect();
    (!number.readings.is_empty()).then_some((number, unit))
}

/// Reads digits with separators from the start of a text. Returns the values and the length.
pub(super) fn literal(text: &str) -> Option<(Vec<Decimal>, usize)> {
    let mut groups = vec![String::new()];
    let mut signs = Vec::new();
    let mut length = 0;
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        if char.is_ascii_digit() {
            groups.last_mut()?.push(char);
        } else if matches!(char, '.' | ',' | '\'' | ' ' | '\u{a0}')
            && chars.peek().is_some_and(char::is_ascii_digit)
        {
            signs.push(if char == '\u{a0}' { ' ' } else { char });
            groups.push(String::new());
        } else {
            break;
        }
        length += char.len_utf8();
        if length > 60 {
            return None;
        }
    }
    let half = match text[length..].chars().next() {
        Some('½') => Some(Decimal::new(5, 1)),
        Some('¼') => Some(Decimal::new(25, 2)),
        Some('¾') => Some(Decimal::new(75, 2)),
        _ => None,
    };
    if let Some(half) = half.filter(|_| signs.is_empty()) {
        let whole = if groups[0].is_empty() {
            Decimal::ZERO
        } else {
            decimal(&groups[0])?
        };
        return Some((vec![whole.checked_add(half)?], length + '½'.len_utf8()));
    }
    if groups[0].is_empty() {
        return None;
    }
    let is_grouped = |groups: &[String]| {
        (1..=3).contains(&groups[0].len())
            && !groups[0].starts_with('0')
            && groups[1..].iter().all(|group| group.len() == 3)
    };
    let last = signs.last().copied();
    let is_same = signs.iter().all(|sign| Some(*sign) == last);
    let (end, whole) = groups.split_last()?;
    let written = match (last, signs.len()) {
        (None, _) => vec![groups[0].clone()],
        (Some('.'), 1) if is_grouped(&groups) => vec![groups.join("."), groups.concat()],
        (Some('.'), 1) => vec![groups.join(".")],
        (Some(','), 1) if !is_grouped(&groups) => vec![groups.join(".")],
        _ if is_same && is_grouped(&groups) => vec![groups.concat()],
        (Some('.' | ','), _) if !is_same => {
            let first = signs[0];
            let is_outer =
                Some(first) != last && signs[..signs.len() - 1].iter().all(|sign| *sign == first);
            if !is_outer || !is_grouped(whole) {
                return None;
            }
            vec![format!("{}.{end}", whole.concat())]
        }
        _ => return None,
    };
    let values: Vec<Decimal> = written.iter().filter_map(|text| decimal(text)).collect();
    (!values.is_empty()).then_some((values, length))
}

pub(super) fn decimal(text: &str) -> Option<Decimal> {
    Decimal::from_str_exact(text)
        .ok()
        .map(|value| value.normalize())
}
