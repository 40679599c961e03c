//! `repr` of JSON values as Python loads them.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ops::Range;

use super::{Refusal, number, text};

/// Maximum nesting of a value. Python refuses deeper values too.
const MAX_DEPTH: usize = 990;

/// Maximum number of digits of an integer, as Python limits it.
const MAX_DIGITS: usize = 4300;

/// Appends the `repr` of a JSON text that PostgreSQL has accepted.
///
/// # Errors
///
/// Returns the message of Python for a number with too many digits or a value that is nested too deeply.
pub(crate) fn value(json: &str, out: &mut String) -> Result<(), Refusal> {
    let mut parser = Parser {
        rest: json.as_bytes(),
    };
    parser.value(0, out)
}

struct Parser<'a> {
    rest: &'a [u8],
}

impl Parser<'_> {
    fn peek(&mut self) -> Option<u8> {
        self.rest = self.rest.trim_ascii_start();
        self.rest.first().copied()
    }

    fn accept(&mut self, byte: u8) -> bool {
        let accepted = self.peek() == Some(byte);
        if accepted {
            self.rest = &self.rest[1..];
        }
        accepted
    }

    fn value(&mut self, depth: usize, out: &mut String) -> Result<(), Refusal> {
        match self.peek() {
            Some(b'{') => self.object(depth, out),
            Some(b'[') => self.array(depth, out),
            Some(b'"') => {
                text::code_points(&self.string(), out);
                Ok(())
            }
            _ => self.scalar(out),
        }
    }

    fn scalar(&mut self, out: &mut String) -> Result<(), Refusal> {
        let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"+-.".contains(byte);
        let end = self.rest.iter().position(|byte| !is_part(byte));
        let (token, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        self.rest = rest;
        let token = String::from_utf8_lossy(token);
        match token.as_ref() {
            "null" => out.push_str("None"),
            "true" => out.push_str("True"),
            "false" => out.push_str("False"),
            "-0" => out.push('0'),
            number if number.contains(['.', 'e', 'E']) => {
                number::float(number.parse().unwrap_or(f64::NAN), out);
            }
            integer => {
                let digits = integer.trim_start_matches('-').len();
                if digits > MAX_DIGITS {
                    return Err(format!(
                        "Exceeds the limit ({MAX_DIGITS} digits) for integer string conversion: value has {digits} digits; use sys.set_int_max_str_digits() to increase the limit"
                    ));
                }
                out.push_str(integer);
            }
        }
        Ok(())
    }

    fn array(&mut self, depth: usize, out: &mut String) -> Result<(), Refusal> {
        if depth >= MAX_DEPTH {
            return Err("maximum recursion depth exceeded while decoding a JSON array from a unicode string".to_owned());
        }
        self.accept(b'[');
        out.push('[');
        let mut is_first = true;
        while !self.accept(b']') && !self.rest.is_empty() {
            if !is_first {
                self.accept(b',');
                out.push_str(", ");
            }
            is_first = false;
            self.value(depth + 1, out)?;
        }
        out.push(']');
        Ok(())
    }

    fn object(&mut self, depth: usize, out: &mut String) -> Result<(), Refusal> {
        if depth >= MAX_DEPTH {
            return Err("maximum recursion depth exceeded while decoding a JSON object from a unicode string".to_owned());
        }
        self.accept(b'{');
        let start = out.len();
        out.push('{');
        let mut places = HashMap::new();
        // Entries as ranges of the output.
        let mut entries: Vec<(Range<usize>, Range<usize>)> = Vec::new();
        let mut is_repeated = false;
        while !self.accept(b'}') && !self.rest.is_empty() {
            if self.accept(b',') {
                out.push_str(", ");
            }
            self.peek();
            let key = self.string();
            self.accept(b':');
            let name = out.len();
            text::code_points(&key, out);
            let name = name..out.len();
            out.push_str(": ");
            let shown = out.len();
            self.value(depth + 1, out)?;
            let shown = shown..out.len();
            match places.entry(key) {
                Entry::Occupied(place) => {
                    let place: &usize = place.get();
                    entries[*place].1 = shown;
                    is_repeated = true;
                }
                Entry::Vacant(place) => {
                    place.insert(entries.len());
                    entries.push((name, shown));
                }
            }
        }
        out.push('}');
        // A repeated key keeps its first place and gets its last value.
        if is_repeated {
            let shown = |(name, shown): &(Range<usize>, Range<usize>)| {
                format!("{}: {}", &out[name.clone()], &out[shown.clone()])
            };
            let entries: Vec<String> = entries.iter().map(shown).collect();
            let object = format!("{{{}}}", entries.join(", "));
            out.truncate(start);
            out.push_str(&object);
        }
        Ok(())
    }

    /// Reads a string as code points, because the escapes of JSON may denote lone surrogates.
    fn string(&mut self) -> Vec<u32> {
        let content = self.rest.get(1..).unwrap_or_default();
        let mut end = 0;
        while let Some(byte) = content.get(end) {
            match byte {
                b'"' => break,
                b'\\' => end += 2,
                _ => end += 1,
            }
        }
        let end = end.min(content.len());
        let raw = String::from_utf8_lossy(&content[..end]);
        self.rest = content.get(end + 1..).unwrap_or_default();
        let mut points = Vec::with_capacity(raw.len());
        let mut characters = raw.chars();
        while let Some(character) = characters.next() {
            if character != '\\' {
                points.push(character.into());
                continue;
            }
            let point = match characters.next() {
                Some('b') => 8,
                Some('f') => 12,
                Some('n') => 10,
                Some('r') => 13,
                Some('t') => 9,
                Some('u') => {
                    let digits: String = characters.by_ref().take(4).collect();
                    u32::from_str_radix(&digits, 16).unwrap_or(0xfffd)
                }
                Some(other) => other.into(),
                None => break,
            };
            match (points.last(), point) {
                (Some(high @ 0xd800..=0xdbff), 0xdc00..=0xdfff) => {
                    let joined = 0x10000 + ((high - 0xd800) << 10) + (point - 0xdc00);
                    points.pop();
                    points.push(joined);
                }
                _ => points.push(point),
            }
        }
        points
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn repr(json: &str) -> String {
        let mut out = String::new();
        value(json, &mut out).unwrap();
        out
    }

    // The expected values are those of Python 3.12.
    #[test]
    fn json_is_printed_as_in_python() {
        assert_eq!(repr("null"), "None");
        assert_eq!(
            repr(" [1, 2.0, -0, -0.0, 1e400] "),
            "[1, 2.0, 0, -0.0, inf]"
        );
        assert_eq!(repr("12345678901234567890123"), "12345678901234567890123");
        assert_eq!(
            repr(r#"{"a": {"b": [true, false]}, "it's": "x\n"}"#),
            r#"{'a': {'b': [True, False]}, "it's": 'x\n'}"#
        );
        assert_eq!(repr(r#"{"a":1,"b":2,"a":3}"#), "{'a': 3, 'b': 2}");
        assert_eq!(
            repr(r#""\ud83d\ude00 \u00e9 \ud800 \/\"""#),
            "'\u{1f600} é \\ud800 /\"'"
        );
        assert_eq!(repr("{}"), "{}");
        assert_eq!(repr("[[],{}]"), "[[], {}]");
    }

    #[test]
    fn what_python_refuses_is_refused() {
        let mut out = String::new();
        let refusal = value(&"9".repeat(4301), &mut out).unwrap_err();
        assert!(refusal.starts_with("Exceeds the limit (4300 digits)"));
        assert!(value(&"[".repeat(100_000), &mut out).is_err());
    }
}
