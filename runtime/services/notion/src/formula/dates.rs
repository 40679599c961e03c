//! Functions of dates. Times are in UTC, or in the offset that a date has.

use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp, Unit};

use super::eval::{Evaluated, Evaluation, wrong};
use super::functions::Function as F;
use super::numbers::number;
use super::{FormulaError, Value};
use crate::model::{DateValue, Moment, Time};

/// Length of a date without a time in ISO 8601.
const DAY: usize = 10;

/// Applies a function of dates.
pub(super) fn apply(evaluation: &Evaluation<'_>, function: F, values: &[Value]) -> Evaluated {
    let now = evaluation.workspace.now;
    match function {
        F::Now => return Ok(of_time(now)),
        F::Today => return Ok(of_text(&now.date().to_string())),
        F::FromTimestamp => {
            let milliseconds = number(function, &values[0])?;
            let seconds = (milliseconds / 1000.0).floor();
            return Ok(match Timestamp::from_second(seconds as i64) {
                Ok(time) => of_time(Time(time.as_second())),
                Err(_) => Value::Empty,
            });
        }
        F::ParseDate => return Ok(of_text(values[0].format(evaluation.workspace).trim())),
        _ => {}
    }
    if values[0] == Value::Empty {
        return Ok(Value::Empty);
    }
    let date = date(function, &values[0])?;
    let start = &date.start;
    let part = |part: fn(DateTime) -> i64| {
        Ok(local(start).map_or(Value::Empty, |at| Value::Number(part(at) as f64)))
    };
    match function {
        F::Minute => part(|at| i64::from(at.minute())),
        F::Hour => part(|at| i64::from(at.hour())),
        // Monday is 1, Sunday is 7.
        F::Day => part(|at| i64::from(at.weekday().to_monday_one_offset())),
        F::Date => part(|at| i64::from(at.day())),
        F::Week => part(|at| i64::from(at.date().iso_week_date().week())),
        F::Month => part(|at| i64::from(at.month())),
        F::Year => part(|at| i64::from(at.year())),
        F::Timestamp => Ok(Value::Number(start.time.0 as f64 * 1000.0)),
        F::DateStart | F::Start => Ok(single(start.clone())),
        F::DateEnd | F::End => Ok(single(date.end.clone().unwrap_or_else(|| start.clone()))),
        F::DateRange => {
            let end = self::date(function, &values[1])?;
            let end = end.end.clone().unwrap_or_else(|| end.start.clone());
            Ok(Value::Date(DateValue {
                start: start.clone(),
                end: Some(end),
                time_zone: None,
            }))
        }
        F::DateAdd | F::DateSubtract => {
            let amount = number(function, &values[1])?;
            let sign = if function == F::DateSubtract {
                -1.0
            } else {
                1.0
            };
            let unit = unit(evaluation, &values[2])?;
            let moved = moved(start, sign * amount, unit);
            let end = date
                .end
                .as_ref()
                .map(|end| self::moved(end, sign * amount, unit));
            Ok(match (moved, end) {
                (Some(start), None) => single(start),
                (Some(start), Some(Some(end))) => Value::Date(DateValue {
                    start,
                    end: Some(end),
                    time_zone: date.time_zone.clone(),
                }),
                _ => Value::Empty,
            })
        }
        F::DateBetween => {
            if values[1] == Value::Empty {
                return Ok(Value::Empty);
            }
            let other = self::date(function, &values[1])?;
            let unit = unit(evaluation, &values[2])?;
            Ok(between(&other.start, start, unit).map_or(Value::Empty, Value::Number))
        }
        _ => {
            let form = values[1].format(evaluation.workspace);
            evaluation.text(local(start).map_or(String::new(), |at| formatted(at, &form)))
        }
    }
}

fn date(function: F, value: &Value) -> Result<&DateValue, FormulaError> {
    match value {
        Value::Date(date) => Ok(date),
        other => Err(wrong(function.name(), other)),
    }
}

fn single(start: Moment) -> Value {
    Value::Date(DateValue {
        start,
        end: None,
        time_zone: None,
    })
}

fn of_text(text: &str) -> Value {
    Moment::parse(text, None).map_or(Value::Empty, single)
}

/// Returns a time to the minute.
pub(super) fn of_time(time: Time) -> Value {
    of_text(&time.minute())
}

/// Returns the date and time in the offset of the moment.
fn local(moment: &Moment) -> Option<DateTime> {
    match moment.text.len() {
        DAY => Some(moment.text.parse::<Date>().ok()?.at(0, 0, 0, 0)),
        _ => moment.text.get(..19)?.parse().ok(),
    }
}

/// Reads the name of a unit in the singular or plural. Quarters are three months.
fn unit(evaluation: &Evaluation<'_>, value: &Value) -> Result<(Unit, i64), FormulaError> {
    let name = value.format(evaluation.workspace);
    Ok(match name.trim_end_matches('s') {
        "year" => (Unit::Year, 1),
        "quarter" => (Unit::Month, 3),
        "month" => (Unit::Month, 1),
        "week" => (Unit::Week, 1),
        "day" => (Unit::Day, 1),
        "hour" => (Unit::Hour, 1),
        "minute" => (Unit::Minute, 1),
        "second" => (Unit::Second, 1),
        "millisecond" => (Unit::Millisecond, 1),
        _ => {
            return Err(FormulaError::Token {
                expected: "a unit of time such as \"days\"",
                found: format!("{name:?}"),
            });
        }
    })
}

fn span(amount: i64, unit: Unit) -> Option<Span> {
    let span = Span::new();
    match unit {
        Unit::Year => span.try_years(amount),
        Unit::Month => span.try_months(amount),
        Unit::Week => span.try_weeks(amount),
        Unit::Day => span.try_days(amount),
        Unit::Hour => span.try_hours(amount),
        Unit::Minute => span.try_minutes(amount),
        Unit::Second => span.try_seconds(amount),
        _ => span.try_milliseconds(amount),
    }
    .ok()
}

/// Returns a moment moved by an amount, whose fraction is ignored. A date stays one if the unit is at least a day.
fn moved(moment: &Moment, amount: f64, (unit, factor): (Unit, i64)) -> Option<Moment> {
    let amount = (amount.trunc() as i64).checked_mul(factor)?;
    let at = local(moment)?.checked_add(span(amount, unit)?).ok()?;
    let text = if moment.is_date && unit >= Unit::Day {
        at.date().to_string()
    } else {
        let offset = moment.text.get(23..).filter(|offset| !offset.is_empty());
        let offset = offset.unwrap_or("+00:00");
        format!("{}{offset}", at.strftime("%Y-%m-%dT%H:%M:%S"))
    };
    Moment::parse(&text, None)
}

/// Returns the number of whole units from one moment to another.
fn between(from: &Moment, to: &Moment, (unit, factor): (Unit, i64)) -> Option<f64> {
    let at = |moment: &Moment| {
        let time = Timestamp::from_second(moment.time.0).ok()?;
        Some(time.to_zoned(TimeZone::UTC).datetime())
    };
    let between = at(from)?.until((unit, at(to)?)).ok()?;
    let count = match unit {
        Unit::Year => i64::from(between.get_years()),
        Unit::Month => i64::from(between.get_months()),
        Unit::Week => i64::from(between.get_weeks()),
        Unit::Day => i64::from(between.get_days()),
        Unit::Hour => i64::from(between.get_hours()),
        Unit::Minute => between.get_minutes(),
        Unit::Second => between.get_seconds(),
        _ => between.get_milliseconds(),
    };
    Some((count / factor) as f64)
}

/// Formats a date and time with the tokens of Moment.js. Text in brackets is literal.
fn formatted(at: DateTime, form: &str) -> String {
    const TOKENS: [(&str, &str); 21] = [
        ("YYYY", "%Y"),
        ("YY", "%y"),
        ("MMMM", "%B"),
        ("MMM", "%b"),
        ("MM", "%m"),
        ("M", "%-m"),
        ("DD", "%d"),
        ("D", "%-d"),
        ("dddd", "%A"),
        ("ddd", "%a"),
        ("HH", "%H"),
        ("H", "%-H"),
        ("hh", "%I"),
        ("h", "%-I"),
        ("mm", "%M"),
        ("m", "%-M"),
        ("ss", "%S"),
        ("A", "%p"),
        ("WW", "%V"),
        ("W", "%-V"),
        ("E", "%u"),
    ];
    let mut text = String::new();
    let mut rest = form;
    while let Some(first) = rest.chars().next() {
        if let Some((literal, after)) = rest.strip_prefix('[').and_then(|it| it.split_once(']')) {
            text.push_str(literal);
            rest = after;
        } else if let Some((token, code)) = TOKENS.iter().find(|(token, _)| rest.starts_with(token))
        {
            text.push_str(&at.strftime(code).to_string());
            rest = &rest[token.len()..];
        } else {
            text.push(first);
            rest = &rest[first.len_utf8()..];
        }
    }
    text
}

/// Returns a date as a person reads it, such as `February 3, 2025 10:30 AM`.
pub(super) fn readable(date: &DateValue) -> String {
    let one = |moment: &Moment| {
        let form = if moment.is_date {
            "MMMM D, YYYY"
        } else {
            "MMMM D, YYYY h:mm A"
        };
        local(moment).map_or(String::new(), |at| formatted(at, form))
    };
    match &date.end {
        None => one(&date.start),
        Some(end) => format!("{} → {}", one(&date.start), one(end)),
    }
}
