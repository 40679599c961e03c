//! Conditions on JSON.

use serde_json::Value;

use crate::sequence::{count, in_order};
use crate::{Condition, Found, numbers};

/// Rule for the equality of JSON numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Numbers {
    /// Same spelling: `1` and `1.0` differ.
    AsWritten,
    /// Same value: `1` equals `1.0`.
    ByValue,
    /// Difference of at most this tolerance.
    Within(f64),
}

impl Found<Value> {
    /// Checks that the value equals `expected`. Numbers compare by value; the order of keys is
    /// ignored.
    pub fn equals(&self, expected: &Value) -> Condition {
        self.equals_with(expected, Numbers::ByValue)
    }

    /// Checks that the value equals `expected`, with a rule for numbers. The order of keys is
    /// ignored.
    pub fn equals_with(&self, expected: &Value, rule: Numbers) -> Condition {
        self.satisfies(
            |found| match difference(expected, found, rule, &mut String::new()) {
                None => Condition::pass(format!("found {}, as expected", show_value(found))),
                Some(detail) => Condition::fail(detail),
            },
        )
    }

    /// Returns the value at a JSON pointer, such as `/loans/0/title`.
    pub fn at(&self, pointer: &str) -> Found<Value> {
        self.part(&format!("value {pointer:?}"), |value| {
            value
                .pointer(pointer)
                .cloned()
                .ok_or("there is no such value".to_owned())
        })
    }

    /// Checks that the value is an object with exactly these keys, in this order.
    pub fn keys_are<S: AsRef<str>>(&self, expected: impl AsRef<[S]>) -> Condition {
        self.satisfies(|found| match found {
            Value::Object(members) => {
                let expected: Vec<&str> = expected.as_ref().iter().map(AsRef::as_ref).collect();
                let keys: Vec<&str> = members.keys().map(String::as_str).collect();
                in_order("key", &expected, &keys)
            }
            other => Condition::fail(format!("expected an object, found {}", show_value(other))),
        })
    }

    /// Checks that the value is an array of this length or an object with this number of keys.
    pub fn count_is(&self, expected: usize) -> Condition {
        self.satisfies(|found| match found {
            Value::Array(items) => count(expected, items.len()),
            Value::Object(members) => count(expected, members.len()),
            other => Condition::fail(format!(
                "expected an array or an object, found {}",
                show_value(other)
            )),
        })
    }

    /// Returns the string, if the value is a string.
    pub fn string(&self) -> Found<String> {
        self.try_map(|found| match found {
            Value::String(text) => Ok(text.clone()),
            other => Err(format!("expected a string, found {}", show_value(other))),
        })
    }

    /// Returns the items, if the value is an array.
    pub fn items(&self) -> Found<Vec<Value>> {
        self.try_map(|found| match found {
            Value::Array(items) => Ok(items.clone()),
            other => Err(format!("expected an array, found {}", show_value(other))),
        })
    }
}

/// Returns a detail with the first difference between two values, or `None` if they are equal.
pub(crate) fn difference(
    expected: &Value,
    found: &Value,
    rule: Numbers,
    path: &mut String,
) -> Option<String> {
    let tell = |path: &str, expected: String, found: String| {
        let place = if path.is_empty() {
            String::new()
        } else {
            format!("at {path:?}: ")
        };
        Some(format!("{place}expected {expected}, found {found}"))
    };
    match (expected, found) {
        (Value::Object(left), Value::Object(right)) => {
            for (key, value) in left {
                let length = path.len();
                path.push('/');
                path.push_str(&key.replace('~', "~0").replace('/', "~1"));
                let result = match right.get(key) {
                    Some(other) => difference(value, other, rule, path),
                    None => tell(path, show_value(value), "nothing".into()),
                };
                path.truncate(length);
                if result.is_some() {
                    return result;
                }
            }
            let extra = right.iter().find(|(key, _)| !left.contains_key(*key))?;
            tell(
                path,
                "no further key".into(),
                format!("{:?}: {}", extra.0, show_value(extra.1)),
            )
        }
        (Value::Array(left), Value::Array(right)) => {
            for (index, (a, b)) in left.iter().zip(right).enumerate() {
                let length = path.len();
                path.push_str(&format!("/{index}"));
                let result = difference(a, b, rule, path);
                path.truncate(length);
                if result.is_some() {
                    return result;
                }
            }
            if left.len() == right.len() {
                return None;
            }
            tell(
                path,
                format!("{} items", left.len()),
                format!("{}", right.len()),
            )
        }
        (Value::Number(left), Value::Number(right)) if numbers_equal(left, right, rule) => None,
        _ if expected == found => None,
        _ => tell(path, show_value(expected), show_value(found)),
    }
}

fn numbers_equal(expected: &serde_json::Number, found: &serde_json::Number, rule: Numbers) -> bool {
    match rule {
        Numbers::AsWritten => expected.to_string() == found.to_string(),
        Numbers::ByValue => {
            match (
                numbers::parse(&expected.to_string()),
                numbers::parse(&found.to_string()),
            ) {
                (Ok(left), Ok(right)) => left == right,
                // One number has an exponent, or more digits than a `Decimal` can hold.
                _ => expected.as_f64() == found.as_f64(),
            }
        }
        Numbers::Within(tolerance) => match (expected.as_f64(), found.as_f64()) {
            (Some(left), Some(right)) => (left - right).abs() <= tolerance,
            _ => false,
        },
    }
}

fn show_value(value: &Value) -> String {
    crate::condition::cut(&value.to_string(), 120)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn found(value: Value) -> Found<Value> {
        Found::new("a.json", Ok(value))
    }

    #[test]
    fn the_first_difference_is_told_by_pointer() {
        let value = found(json!({"loans": [{"id": 1}, {"id": 2}]}));
        assert_eq!(
            value
                .equals(&json!({"loans": [{"id": 1}, {"id": 3}]}))
                .detail(),
            "a.json: at \"/loans/1/id\": expected 3, found 2"
        );
        assert_eq!(
            value.equals(&json!({"loans": [{"id": 1}]})).detail(),
            "a.json: at \"/loans\": expected 1 items, found 2"
        );
        assert_eq!(
            value.equals(&json!({})).detail(),
            r#"a.json: expected no further key, found "loans": [{"id":1},{"id":2}]"#
        );
        assert!(!value.equals(&json!([])).passed());
    }

    #[test]
    fn numbers_follow_the_rule() {
        let one: Value = serde_json::from_str("1.0").expect("json");
        assert!(found(json!(1)).equals(&one).passed());
        assert!(
            !found(json!(1))
                .equals_with(&one, Numbers::AsWritten)
                .passed()
        );
        assert!(
            found(json!(1.04))
                .equals_with(&one, Numbers::Within(0.05))
                .passed()
        );
        assert!(
            !found(json!(1.06))
                .equals_with(&one, Numbers::Within(0.05))
                .passed()
        );
        assert!(!found(json!("1")).equals(&one).passed());
        assert!(
            !found(json!(9007199254740993_i64))
                .equals(&json!(9007199254740992_i64))
                .passed()
        );
    }

    #[test]
    fn keys_have_an_order_when_it_is_asked_for() {
        let value = found(serde_json::from_str(r#"{"b":1,"a":2}"#).expect("json"));
        assert!(value.keys_are(["b", "a"]).passed());
        assert_eq!(
            value.keys_are(["a", "b"]).detail(),
            r#"a.json: key 1: expected "a", found "b""#
        );
        assert!(value.equals(&json!({"a": 2, "b": 1})).passed());
    }

    #[test]
    fn parts_keep_their_place() {
        let value = found(json!({"a": {"b": "x"}}));
        assert!(value.at("/a/b").string().equals("x").passed());
        assert_eq!(
            value.at("/a/c").string().equals("x").detail(),
            "value \"/a/c\" of a.json: there is no such value"
        );
        assert_eq!(
            value.at("/a").string().exists().detail(),
            "value \"/a\" of a.json: expected a string, found {\"b\":\"x\"}"
        );
    }
}
