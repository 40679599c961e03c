//! JSON as JavaScript reads and writes it: the published server parses all values and prints them again.

use std::fmt;

use serde_json::{Map, Number, Value};

/// Returns a value as JavaScript has it after parsing: keys that are array indices come first, in ascending order, and
/// numbers have double precision.
pub(super) fn received(value: Value) -> Value {
    match value {
        Value::Array(items) => items.into_iter().map(received).collect(),
        Value::Object(object) => {
            let mut indices: Vec<(u32, String, Value)> = Vec::new();
            let mut others = Map::new();
            for (key, value) in object {
                match index(&key) {
                    Some(index) => indices.push((index, key, received(value))),
                    None => {
                        others.insert(key, received(value));
                    }
                }
            }
            if indices.is_empty() {
                return Value::Object(others);
            }
            indices.sort_unstable_by_key(|(index, ..)| *index);
            let mut all: Map<String, Value> = indices
                .into_iter()
                .map(|(_, key, value)| (key, value))
                .collect();
            all.extend(others);
            Value::Object(all)
        }
        Value::Number(number) => {
            number
                .as_f64()
                .and_then(Number::from_f64)
                .map_or(Value::Null, |double| {
                    // A whole number that is exact keeps its form.
                    match number.as_i64().filter(|whole| {
                        (*whole as f64) as i64 == *whole && whole.unsigned_abs() < 1 << 53
                    }) {
                        Some(_) => Value::Number(number),
                        None => Value::Number(double),
                    }
                })
        }
        other => other,
    }
}

/// Parses an array index: a whole number below 2³² − 1 in its usual form.
fn index(key: &str) -> Option<u32> {
    let has_usual_form =
        key == "0" || !key.starts_with('0') && key.bytes().all(|b| b.is_ascii_digit());
    let number = key.parse().ok().filter(|_| has_usual_form)?;
    (number < u32::MAX).then_some(number)
}

/// Value in the form of `JSON.stringify` without white space.
pub(super) struct Stringified<'a>(pub(super) &'a Value);

impl fmt::Display for Stringified<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Value::Number(number) => match number.as_i64() {
                Some(whole) => write!(f, "{whole}"),
                None => f.write_str(&double(number.as_f64().unwrap_or_default())),
            },
            Value::Array(items) => {
                f.write_str("[")?;
                for (at, item) in items.iter().enumerate() {
                    let comma = if at > 0 { "," } else { "" };
                    write!(f, "{comma}{}", Stringified(item))?;
                }
                f.write_str("]")
            }
            Value::Object(object) => {
                f.write_str("{")?;
                for (at, (key, value)) in object.iter().enumerate() {
                    let comma = if at > 0 { "," } else { "" };
                    write!(f, "{comma}{}:{}", string(key), Stringified(value))?;
                }
                f.write_str("}")
            }
            Value::String(text) => f.write_str(&string(text)),
            other => write!(f, "{other}"),
        }
    }
}

/// Returns a string with the escapes of JavaScript, which are those of the JSON library.
fn string(text: &str) -> String {
    Value::from(text).to_string()
}

/// Returns a number in the form of `Number.prototype.toString`.
pub(super) fn double(number: f64) -> String {
    if number == 0.0 {
        return "0".to_owned();
    }
    let scientific = format!("{number:e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or_default();
    if (-6..21).contains(&exponent) {
        return format!("{number}");
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}e{sign}{}", exponent.unsigned_abs())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_have_the_form_of_javascript() {
        let value = json!({"b": 1, "10": 2, "2": [1.0, 1e21, 1e-7, 0.5], "01": null, "a": "\u{7f}\u{2028}\n"});
        let text = Stringified(&received(value)).to_string();
        assert_eq!(
            text,
            "{\"2\":[1,1e+21,1e-7,0.5],\"10\":2,\"b\":1,\"01\":null,\"a\":\"\u{7f}\u{2028}\\n\"}"
        );
        assert_eq!(double(-1.5e300), "-1.5e+300");
        assert_eq!(
            double(123_456_789_012_345_680_000.0),
            "123456789012345680000"
        );
        assert_eq!(
            Stringified(&received(json!(9_007_199_254_740_993_i64))).to_string(),
            "9007199254740992"
        );
    }
}
