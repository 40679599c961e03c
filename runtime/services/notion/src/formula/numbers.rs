//! Functions of numbers.

use super::eval::{Evaluated, Evaluation, wrong};
use super::functions::Function as F;
use super::value::format_number;
use super::{FormulaError, Value};

/// Applies a function of numbers. Returns `None` if the function is another one.
pub(super) fn apply(
    evaluation: &Evaluation<'_>,
    function: F,
    values: &[Value],
) -> Option<Evaluated> {
    let result = match function {
        F::Add | F::Subtract | F::Multiply | F::Divide | F::Mod | F::Pow => {
            binary(function, values)
        }
        F::UnaryMinus
        | F::Abs
        | F::Ceil
        | F::Floor
        | F::Sqrt
        | F::Cbrt
        | F::Exp
        | F::Ln
        | F::Log10
        | F::Log2
        | F::Sign => unary(function, &values[0]),
        F::Round => round(values),
        F::Pi => Ok(std::f64::consts::PI),
        F::E => Ok(std::f64::consts::E),
        F::Min | F::Max | F::Sum | F::Mean | F::Median => return Some(several(function, values)),
        F::UnaryPlus | F::ToNumber => return Some(Ok(to_number(&values[0]))),
        F::FormatNumber => {
            return Some(format(values).and_then(|text| evaluation.text(text)));
        }
        _ => return None,
    };
    Some(result.map(Value::Number))
}

/// Returns a value as a number. No value is zero.
pub(super) fn number(function: F, value: &Value) -> Result<f64, FormulaError> {
    match value {
        Value::Number(number) => Ok(*number),
        Value::Boolean(boolean) => Ok(f64::from(u8::from(*boolean))),
        Value::Empty => Ok(0.0),
        other => Err(wrong(function.name(), other)),
    }
}

fn binary(function: F, values: &[Value]) -> Result<f64, FormulaError> {
    let (a, b) = (number(function, &values[0])?, number(function, &values[1])?);
    Ok(match function {
        F::Add => a + b,
        F::Subtract => a - b,
        F::Multiply => a * b,
        F::Divide => a / b,
        F::Mod => a % b,
        _ => a.powf(b),
    })
}

fn unary(function: F, value: &Value) -> Result<f64, FormulaError> {
    let number = number(function, value)?;
    Ok(match function {
        F::UnaryMinus => -number,
        F::Abs => number.abs(),
        F::Ceil => number.ceil(),
        F::Floor => number.floor(),
        F::Sqrt => number.sqrt(),
        F::Cbrt => number.cbrt(),
        F::Exp => number.exp(),
        F::Ln => number.ln(),
        F::Log10 => number.log10(),
        F::Log2 => number.log2(),
        _ if number == 0.0 => 0.0,
        _ => number.signum(),
    })
}

/// Rounds to an integer, or to a number of decimals. Halves are rounded up, as in JavaScript.
fn round(values: &[Value]) -> Result<f64, FormulaError> {
    let value = number(F::Round, &values[0])?;
    let decimals = match values.get(1) {
        Some(decimals) => number(F::Round, decimals)?.clamp(-15.0, 15.0),
        None => 0.0,
    };
    let scale = 10f64.powi(decimals as i32);
    let rounded = (value * scale + 0.5).floor() / scale;
    Ok(if rounded.is_finite() { rounded } else { value })
}

/// Summarises numbers. Lists count with each of their numbers.
fn several(function: F, values: &[Value]) -> Evaluated {
    let mut numbers = Vec::new();
    for value in values {
        match value {
            Value::List(items) => {
                for item in items.iter().filter(|item| **item != Value::Empty) {
                    numbers.push(number(function, item)?);
                }
            }
            Value::Empty => {}
            value => numbers.push(number(function, value)?),
        }
    }
    if numbers.is_empty() {
        return Ok(match function {
            F::Sum => Value::Number(0.0),
            _ => Value::Empty,
        });
    }
    numbers.sort_by(f64::total_cmp);
    let count = numbers.len();
    let sum: f64 = numbers.iter().sum();
    Ok(Value::Number(match function {
        F::Min => numbers[0],
        F::Max => numbers[count - 1],
        F::Sum => sum,
        F::Mean => sum / count as f64,
        _ if count % 2 == 1 => numbers[count / 2],
        _ => f64::midpoint(numbers[count / 2 - 1], numbers[count / 2]),
    }))
}

fn to_number(value: &Value) -> Value {
    match value {
        Value::Number(number) => Value::Number(*number),
        Value::Boolean(boolean) => Value::Number(f64::from(u8::from(*boolean))),
        Value::Date(date) => Value::Number(date.start.time.0 as f64 * 1000.0),
        Value::Text(text) => {
            let text = text.trim();
            let end = (0..=text.len())
                .rev()
                .filter(|end| text.is_char_boundary(*end) && *end <= 40)
                .find_map(|end| text[..end].parse::<f64>().ok().filter(|it| it.is_finite()));
            end.map_or(Value::Empty, Value::Number)
        }
        _ => Value::Empty,
    }
}

/// Formats a number with groups of thousands, as a percentage or in a currency.
fn format(values: &[Value]) -> Result<String, FormulaError> {
    let value = number(F::FormatNumber, &values[0])?;
    let style = match values.get(1) {
        Some(Value::Text(style)) => style.as_str(),
        _ => "",
    };
    let digits = match values.get(2) {
        Some(digits) => Some(number(F::FormatNumber, digits)?.clamp(0.0, 15.0) as usize),
        None => None,
    };
    let shown = |value: f64| match digits {
        Some(digits) => format!("{value:.digits$}"),
        None => format_number(value),
    };
    let symbol = match style {
        "dollar" | "usd" | "USD" => "$",
        "euro" | "eur" | "EUR" => "€",
        "pound" | "gbp" | "GBP" => "£",
        "yen" | "jpy" | "JPY" => "¥",
        _ => "",
    };
    Ok(match style {
        "percent" => format!("{}%", shown(value * 100.0)),
        "" | "number" => shown(value),
        _ => {
            let text = grouped(&shown(value.abs()));
            let sign = if value < 0.0 { "-" } else { "" };
            format!("{sign}{symbol}{text}")
        }
    })
}

/// Separates groups of three digits with commas.
fn grouped(text: &str) -> String {
    let (whole, rest) = text.split_at(text.find('.').unwrap_or(text.len()));
    let mut grouped = String::new();
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index) % 3 == 0 {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped + rest
}
