//! Golden vectors of canonical JSON. A change of any byte here breaks stored digests, receipts and signatures.

use std::fs;
use std::path::{Path, PathBuf};

use mcpmark_json::canonical;
use proptest::prelude::*;
use serde_json::Value;

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/vectors/canonical")
}

fn parse(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// Reads the rows of a table of vectors.
fn table(name: &str) -> Vec<Value> {
    let text = fs::read_to_string(directory().join(name)).unwrap();
    let rows = serde_json::from_str::<Vec<Value>>(&text).unwrap();
    assert!(rows.len() >= 20, "{name} has {} rows", rows.len());
    rows
}

fn text<'a>(row: &'a Value, key: &str) -> &'a str {
    row[key].as_str().unwrap_or_else(|| panic!("{row}: {key}"))
}

/// Formats a number as in RFC 8785, which is ECMAScript's `Number::toString`.
fn rfc8785(number: f64) -> String {
    // The fewest digits that are parsed to the same number, and of these the nearest. If two are equally near, the even
    // one.
    let shortest = format!("{number:e}");
    let digits = shortest.bytes().take_while(|byte| *byte != b'e');
    let count = digits.filter(u8::is_ascii_digit).count();
    let exponent_form = format!("{number:.*e}", count - 1);
    let (mantissa, exponent) = exponent_form.split_once('e').unwrap();
    let sign = if number < 0.0 { "-" } else { "" };
    let digits = mantissa.trim_start_matches('-').replace('.', "");
    let count = digits.len() as i32;
    // Position of the decimal point, counted from the first digit.
    let point = exponent.parse::<i32>().unwrap() + 1;
    let zeros = |count: i32| "0".repeat(count as usize);
    if number == 0.0 {
        "0".to_owned()
    } else if count <= point && point <= 21 {
        format!("{sign}{digits}{}", zeros(point - count))
    } else if 0 < point && point <= 21 {
        let (whole, fraction) = digits.split_at(point as usize);
        format!("{sign}{whole}.{fraction}")
    } else if -6 < point && point <= 0 {
        format!("{sign}0.{}{digits}", zeros(-point))
    } else {
        let (first, rest) = digits.split_at(1);
        let dot = if rest.is_empty() { "" } else { "." };
        format!("{sign}{first}{dot}{rest}e{:+}", point - 1)
    }
}

/// Reports whether RFC 8785 formats a number with a fraction or an exponent differently, according to the documentation
/// of [`canonical`].
fn is_documented_to_differ(number: f64) -> bool {
    let size = number.abs();
    (number.fract() == 0.0 && size < 1e21) || (1e-6..1e-5).contains(&size)
}

#[test]
fn canonical_json_numbers() {
    for row in table("numbers.json") {
        let value = parse(text(&row, "json"));
        assert_eq!(canonical(&value), text(&row, "canonical"), "{row}");
        let number = value.as_f64().unwrap();
        assert_eq!(rfc8785(number), text(&row, "rfc8785"), "{row}");
    }
}

/// Samples of RFC 8785, appendix B, without those that are not JSON numbers.
#[test]
fn canonical_json_rfc_8785_appendix_b() {
    for row in table("rfc8785-appendix-b.json") {
        let bits = u64::from_str_radix(text(&row, "ieee"), 16).unwrap();
        let number = f64::from_bits(bits);
        assert_eq!(rfc8785(number), text(&row, "rfc8785"), "{row}");
        let ours = canonical(&Value::from(number));
        assert_eq!(ours, text(&row, "canonical"), "{row}");
        let differs = ours != text(&row, "rfc8785");
        assert_eq!(differs, is_documented_to_differ(number), "{row}");
    }
}

#[test]
fn canonical_json_documents() {
    let mut seen = 0;
    for entry in fs::read_dir(directory()).unwrap() {
        let input = entry.unwrap().path();
        let name = input.file_name().unwrap().to_str().unwrap();
        let Some(name) = name.strip_suffix(".input.json") else {
            continue;
        };
        let expected = fs::read_to_string(directory().join(format!("{name}.json"))).unwrap();
        let value = parse(&fs::read_to_string(&input).unwrap());
        assert_eq!(canonical(&value), expected, "{name}");
        seen += 1;
    }
    assert_eq!(seen, 7);
}

proptest! {
    #[test]
    fn canonical_numbers_differ_from_rfc_8785_only_where_documented(
        number in prop_oneof![
            prop::num::f64::NORMAL | prop::num::f64::SUBNORMAL | prop::num::f64::ZERO,
            any::<i64>().prop_map(|number| number as f64),
            (any::<i32>(), -12_i32..24).prop_map(|(digits, exponent)| f64::from(digits) * 10_f64.powi(exponent)),
        ],
    ) {
        let ours = canonical(&Value::from(number));
        prop_assert_eq!(ours != rfc8785(number), is_documented_to_differ(number), "{} {}", ours, rfc8785(number));
        // A number survives the round trip.
        let read: f64 = parse(&ours).as_f64().unwrap();
        prop_assert_eq!(read.to_bits(), number.to_bits());
    }

    #[test]
    fn canonical_integers_are_those_of_rfc_8785_up_to_2_to_53(number in -(1_i64 << 53)..=1 << 53) {
        prop_assert_eq!(canonical(&Value::from(number)), rfc8785(number as f64));
    }

    /// RFC 8785 sorts keys by their UTF-16 code units.
    #[test]
    fn canonical_keys_differ_from_rfc_8785_only_past_the_basic_plane(
        keys in prop::collection::btree_set("[a\u{e9}\u{d7ff}\u{e000}\u{fb33}\u{ffff}\u{10000}\u{1f600}]{0,3}", 2..6),
    ) {
        let is_of_rfc = keys.iter().is_sorted_by_key(|key| key.encode_utf16().collect::<Vec<_>>());
        let mut characters = keys.iter().flat_map(|key| key.chars());
        let is_past = characters.clone().any(|it| it > '\u{ffff}');
        let is_before = characters.any(|it| ('\u{e000}'..='\u{ffff}').contains(&it));
        let is_documented = is_past && is_before;
        prop_assert!(is_of_rfc || is_documented);
        let object = keys.iter().rev().map(|key| (key.clone(), Value::Null)).collect();
        let members: Vec<String> = keys.iter().map(|key| format!("{}:null", Value::from(key.as_str()))).collect();
        prop_assert_eq!(canonical(&Value::Object(object)), format!("{{{}}}", members.join(",")));
    }
}
