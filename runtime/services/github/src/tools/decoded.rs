//! Arguments decoded into a structure, as in those tools of the published server that use GraphQL. No argument is
//! required, and all type errors are reported together.

use serde_json::Value;

use super::Failure;
use super::arguments::{Arguments, go_type};
use crate::api::RepositoryName;

/// Type of a field with its name in errors. Names of arguments are matched without regard to case.
#[derive(Debug, Clone, Copy)]
pub(super) enum Field {
    Text(&'static str),
    /// Integer of 32 bits.
    Number(&'static str),
}

/// Fields that identify a pull request.
pub(super) const PULL: &[Field] = &[
    Field::Text("Owner"),
    Field::Text("Repo"),
    Field::Number("PullNumber"),
];

/// Decoded arguments.
#[derive(Debug, Default)]
pub(super) struct Decoded {
    texts: Vec<(&'static str, String)>,
    numbers: Vec<(&'static str, i32)>,
}

impl Decoded {
    /// Decodes arguments that must have exactly the types of their fields.
    pub(super) fn strict(with: &Arguments, fields: &[&[Field]]) -> Result<Self, Failure> {
        Self::read(with, fields, strict_text, strict_number)
    }

    /// Decodes arguments, converting other types if possible.
    pub(super) fn weak(with: &Arguments, fields: &[&[Field]]) -> Result<Self, Failure> {
        Self::read(with, fields, weak_text, weak_number)
    }

    fn read(
        with: &Arguments,
        fields: &[&[Field]],
        text: fn(&Value) -> Result<String, String>,
        number: fn(&Value) -> Result<i32, String>,
    ) -> Result<Self, Failure> {
        let (mut decoded, mut problems) = (Self::default(), Vec::new());
        for field in fields.iter().copied().flatten() {
            let (Field::Text(name) | Field::Number(name)) = *field;
            let Some(value) = value(with, name).filter(|value| !value.is_null()) else {
                continue;
            };
            let read = match field {
                Field::Text(_) => text(value).map(|text| decoded.texts.push((name, text))),
                Field::Number(_) => {
                    number(value).map(|number| decoded.numbers.push((name, number)))
                }
            };
            if let Err(problem) = read {
                problems.push(format!("'{name}' {problem}"));
            }
        }
        if problems.is_empty() {
            Ok(decoded)
        } else {
            Err(Failure::ToolError(format!(
                "decoding failed due to the following error(s):\n\n{}",
                problems.join("\n")
            )))
        }
    }

    /// Adds a string that was read separately.
    pub(super) fn with_text(mut self, name: &'static str, text: String) -> Self {
        self.texts.push((name, text));
        self
    }

    /// Adds a number that was read separately.
    pub(super) fn with_number(mut self, name: &'static str, number: i64) -> Self {
        self.numbers.push((name, number as i32));
        self
    }

    /// Returns a string, if it is present.
    pub(super) fn given_text(&self, name: &str) -> Option<String> {
        let found = self.texts.iter().find(|(known, _)| *known == name);
        found.map(|(_, text)| text.clone())
    }

    /// Returns a string, which defaults to the empty one.
    pub(super) fn text(&self, name: &str) -> String {
        self.given_text(name).unwrap_or_default()
    }

    /// Returns a number, if it is present.
    pub(super) fn number(&self, name: &str) -> Option<i32> {
        let found = self.numbers.iter().find(|(known, _)| *known == name);
        found.map(|(_, number)| *number)
    }

    pub(super) fn repository(&self) -> RepositoryName {
        RepositoryName {
            owner: self.text("Owner"),
            repo: self.text("Repo"),
        }
    }
}

fn value<'a>(with: &'a Arguments, name: &str) -> Option<&'a Value> {
    let alike = || {
        let mut all = with.0.iter();
        all.find(|(key, _)| key.eq_ignore_ascii_case(name))
    };
    with.0.get(name).or_else(|| alike().map(|(_, value)| value))
}

fn unconvertible(wanted: &str, given: &Value) -> String {
    let kind = go_type(given);
    format!("expected type '{wanted}', got unconvertible type '{kind}'")
}

fn strict_text(value: &Value) -> Result<String, String> {
    match value {
        Value::String(text) => Ok(text.clone()),
        other => Err(unconvertible("string", other)),
    }
}

fn weak_text(value: &Value) -> Result<String, String> {
    match value {
        Value::Bool(value) => Ok(u8::from(*value).to_string()),
        Value::Number(number) => Ok(number.as_f64().unwrap_or_default().to_string()),
        value => strict_text(value),
    }
}

/// Converts a number like Go: fractions and excess bits are truncated.
fn strict_number(value: &Value) -> Result<i32, String> {
    let Some(number) = value.as_f64() else {
        return Err(unconvertible("int32", value));
    };
    let fits = (i64::MIN as f64..i64::MAX as f64).contains(&number);
    Ok(if fits { number as i64 as i32 } else { 0 })
}

fn weak_number(value: &Value) -> Result<i32, String> {
    match value {
        Value::Bool(value) => Ok(i32::from(*value)),
        Value::String(text) if text.is_empty() => Ok(0),
        Value::String(text) => whole(text).map_err(|problem| {
            format!("cannot parse value as 'int32': strconv.ParseInt: {problem}")
        }),
        value => strict_number(value),
    }
}

/// Parses an integer like a literal of Go: with an optional sign, and with the prefix `0x`, `0o`, `0b` or `0` for other
/// bases than ten. Underscores are not accepted.
fn whole(text: &str) -> Result<i32, &'static str> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    let lower = digits.to_ascii_lowercase();
    let prefixes = [("0x", 16), ("0o", 8), ("0b", 2), ("0", 8)];
    let based = prefixes.iter().find_map(|(prefix, base)| {
        let digits = lower.strip_prefix(prefix).filter(|it| !it.is_empty())?;
        Some((digits, *base))
    });
    let (digits, base) = based.unwrap_or((&lower, 10));
    if digits.is_empty() || !digits.chars().all(|c| c.is_digit(base)) {
        return Err("invalid syntax");
    }
    let number = i64::from_str_radix(digits, base).map_err(|_| "value out of range")?;
    i32::try_from(sign * number).map_err(|_| "value out of range")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const FIELDS: &[Field] = &[Field::Text("Body"), Field::Number("Line")];

    fn arguments(value: Value) -> Arguments {
        let Value::Object(map) = value else {
            panic!("{value} is no object");
        };
        Arguments(map)
    }

    #[test]
    fn all_that_is_wrong_is_said_at_once() {
        let with = arguments(json!({
            "owner": 7, "repo": null, "pullnumber": [], "Body": {}, "line": true, "more": 1,
        }));
        let Err(Failure::ToolError(problem)) = Decoded::strict(&with, &[PULL, FIELDS]) else {
            panic!("it is decoded");
        };
        assert_eq!(
            problem,
            "decoding failed due to the following error(s):\n\n\
             'Owner' expected type 'string', got unconvertible type 'float64'\n\
             'PullNumber' expected type 'int32', got unconvertible type '[]interface {}'\n\
             'Body' expected type 'string', got unconvertible type 'map[string]interface {}'\n\
             'Line' expected type 'int32', got unconvertible type 'bool'"
        );
        let Err(Failure::ToolError(problem)) = Decoded::weak(&with, &[PULL, FIELDS]) else {
            panic!("it is decoded");
        };
        assert!(!problem.contains("Owner") && !problem.contains("Line"));
    }

    #[test]
    fn numbers_are_cut_off_and_texts_are_made_numbers() {
        for (given, strict, weak) in [
            (json!(-1), Some(-1), Ok(-1)),
            (json!(2.9), Some(2), Ok(2)),
            (json!(4_294_967_298_u64), Some(2), Ok(2)),
            (json!(1e300), Some(0), Ok(0)),
            (json!("12"), None, Ok(12)),
            (json!("-0x1F"), None, Ok(-31)),
            (json!("017"), None, Ok(15)),
            (json!("0"), None, Ok(0)),
            (json!(""), None, Ok(0)),
            (json!(true), None, Ok(1)),
            (json!("2147483648"), None, Err("value out of range")),
            (json!("1x"), None, Err("invalid syntax")),
            (json!("--1"), None, Err("invalid syntax")),
        ] {
            assert_eq!(strict_number(&given).ok(), strict, "{given}");
            let weak = weak.map_err(|problem| {
                format!("cannot parse value as 'int32': strconv.ParseInt: {problem}")
            });
            assert_eq!(weak_number(&given), weak, "{given}");
        }
        for (given, text) in [(json!(1.50), "1.5"), (json!(7), "7"), (json!(false), "0")] {
            assert_eq!(weak_text(&given).as_deref(), Ok(text));
        }
    }
}
