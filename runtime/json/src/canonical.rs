//! Canonical JSON: one form for each value, from which digests and signatures are computed.
//!
//! # RFC 8785
//!
//! The form equals that of the JSON Canonicalization Scheme ([RFC 8785]) for strings, literals, structure and white
//! space, for integers up to 2⁵³, and for most numbers with a fraction. It differs for exactly these inputs:
//!
//! | input | example | here | RFC 8785 |
//! |---|---|---|---|
//! | a whole number below 10²¹ that is written with `.` or an exponent | `2.0`, `1e2`, `1e16` | `2.0`, `100.0`, `1e+16` | `2`, `100`, `10000000000000000` |
//! | minus zero | `-0`, `-0.0` | `-0.0` | `0` |
//! | a number with a fraction from 10⁻⁶ and below 10⁻⁵ | `9.5e-6` | `9.5e-6` | `0.0000095` |
//! | an integer past 2⁵³ that fits 64 bits | `9007199254740993` | `9007199254740993` | `9007199254740992` |
//! | an integer below 10²¹ that does not fit 64 bits | `18446744073709551616` | `1.8446744073709552e+19` | `18446744073709552000` |
//! | keys with a character past U+FFFF beside keys with one from U+E000 to U+FFFF | U+1F600, U+FB33 | U+FB33 first, by code points | U+1F600 first, by UTF-16 code units |
//!
//! The differences remain, because all of these inputs can occur in documents that have been hashed, signed or
//! compared:
//!
//! - Seeds of worlds are 64-bit integers and part of the task digest. RFC 8785 can give two seeds past 2⁵³ the same
//!   form, and so two tasks the same digest. The same holds for parameters of a task and for limits.
//! - Settings of models are stored in the journal in this form, and attempts are looked up by them. A temperature of 1
//!   is stored as `1.0`. If the form became `1`, experiments with such a setting could not be resumed.
//! - `meta.json` (in the task digest), parameters (in the terms of a grade, and so in receipts) and the schemas of
//!   tools (in locks) are JSON from any source. No shipped task has one of these inputs, but receipts and locks of
//!   other tasks and servers must stay valid as well.
//!
//! Values that have one form in RFC 8785, such as `2` and `2.0`, have two forms and two digests here. No value is
//! normalised or refused. A program in another language can reproduce a digest with an RFC 8785 library if the document
//! has none of the inputs above. The golden vectors in `tests/fixtures/vectors/canonical` contain both forms.
//!
//! A number is written with the fewest digits that are parsed to the same number. This requires a correctly rounding
//! parser, so the workspace enables the feature `float_roundtrip` of `serde_json`.
//!
//! [RFC 8785]: https://www.rfc-editor.org/rfc/rfc8785

use serde_json::Value;

/// Returns the value as JSON without white space, with the keys of every object sorted by their bytes. The
/// [module](self) compares it with RFC 8785.
pub fn canonical(value: &Value) -> String {
    fn write(value: &Value, out: &mut String) {
        match value {
            Value::Object(map) => {
                let mut entries: Vec<_> = map.iter().collect();
                entries.sort_by_key(|(key, _)| *key);
                out.push('{');
                for (index, (key, value)) in entries.into_iter().enumerate() {
                    if index > 0 {
                        out.push(',');
                    }
                    out.push_str(&Value::from(key.as_str()).to_string());
                    out.push(':');
                    write(value, out);
                }
                out.push('}');
            }
            Value::Array(items) => {
                out.push('[');
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        out.push(',');
                    }
                    write(item, out);
                }
                out.push(']');
            }
            scalar => out.push_str(&scalar.to_string()),
        }
    }
    let mut out = String::new();
    write(value, &mut out);
    out
}

#[cfg(test)]
mod tests {
    use super::canonical;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    fn json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<i32>().prop_map(|n| Value::from(f64::from(n) / 8.0)),
            ".{0,8}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 32, 5, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
                prop::collection::vec((".{0,4}", inner), 0..5)
                    .prop_map(|entries| Value::Object(entries.into_iter().collect())),
            ]
        })
    }

    fn reversed(value: &Value) -> Value {
        match value {
            Value::Object(map) => Value::Object(
                map.iter()
                    .rev()
                    .map(|(key, value)| (key.clone(), reversed(value)))
                    .collect(),
            ),
            Value::Array(items) => Value::Array(items.iter().map(reversed).collect()),
            other => other.clone(),
        }
    }

    proptest! {
        #[test]
        fn canonical_form_ignores_the_order_of_keys_and_loses_nothing(value in json()) {
            let text = canonical(&value);
            prop_assert_eq!(&canonical(&reversed(&value)), &text);
            prop_assert_eq!(&serde_json::from_str::<Value>(&text).unwrap(), &value);
        }
    }

    #[test]
    fn canonical_form_is_fixed() {
        let value = json!({"b": [1, 2.5, {"z": null, "a": "é\n\""}], "a": true, "B": {}});
        assert_eq!(
            canonical(&value),
            r#"{"B":{},"a":true,"b":[1,2.5,{"a":"é\n\"","z":null}]}"#
        );
    }
}
