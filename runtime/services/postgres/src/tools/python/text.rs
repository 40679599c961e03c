//! `repr` of strings and bytes.

use std::fmt::Write as _;

use icu_properties::CodePointMapData;
use icu_properties::props::GeneralCategory;

use super::assigned_later::is_assigned_later;

/// Appends the `repr` of a string.
pub(crate) fn string(text: &str, out: &mut String) {
    let quote = quote(text.contains('\''), text.contains('"'));
    out.push(quote);
    for character in text.chars() {
        push_character(character.into(), quote, out);
    }
    out.push(quote);
}

/// Appends the `repr` of a string of code points, which may be lone surrogates.
pub(super) fn code_points(points: &[u32], out: &mut String) {
    let has = |wanted: char| points.contains(&wanted.into());
    let quote = quote(has('\''), has('"'));
    out.push(quote);
    for point in points {
        push_character(*point, quote, out);
    }
    out.push(quote);
}

fn quote(has_single: bool, has_double: bool) -> char {
    if has_single && !has_double { '"' } else { '\'' }
}

fn push_character(point: u32, quote: char, out: &mut String) {
    let character = char::from_u32(point);
    match character {
        Some('\\') => out.push_str("\\\\"),
        Some('\n') => out.push_str("\\n"),
        Some('\r') => out.push_str("\\r"),
        Some('\t') => out.push_str("\\t"),
        Some(character) if character == quote => {
            out.push('\\');
            out.push(character);
        }
        Some(character) if is_printable(character) => out.push(character),
        // Writing to a string does not fail.
        _ => {
            let _ = match point {
                0..=0xff => write!(out, "\\x{point:02x}"),
                0x100..=0xffff => write!(out, "\\u{point:04x}"),
                _ => write!(out, "\\U{point:08x}"),
            };
        }
    }
}

/// Reports whether `str.isprintable` is true: no control or format character, no separator but the space, and assigned.
fn is_printable(character: char) -> bool {
    if character.is_ascii() {
        return !character.is_ascii_control();
    }
    let is_unprintable = matches!(
        CodePointMapData::<GeneralCategory>::new().get(character),
        GeneralCategory::Control
            | GeneralCategory::Format
            | GeneralCategory::Surrogate
            | GeneralCategory::PrivateUse
            | GeneralCategory::Unassigned
            | GeneralCategory::LineSeparator
            | GeneralCategory::ParagraphSeparator
            | GeneralCategory::SpaceSeparator
    );
    !is_unprintable && !is_assigned_later(character)
}

/// Appends the `repr` of bytes.
pub(super) fn bytes(data: &[u8], out: &mut String) {
    let quote = quote(data.contains(&b'\''), data.contains(&b'"'));
    out.push('b');
    out.push(quote);
    for &byte in data {
        match byte {
            b'\\' => out.push_str("\\\\"),
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            b'\t' => out.push_str("\\t"),
            byte if char::from(byte) == quote => {
                out.push('\\');
                out.push(quote);
            }
            b' '..=b'~' => out.push(byte.into()),
            byte => {
                let _ = write!(out, "\\x{byte:02x}");
            }
        }
    }
    out.push(quote);
}

/// Decodes the text format of `bytea`, in hexadecimal or with escapes.
pub(super) fn unescape_bytea(data: &[u8]) -> Vec<u8> {
    let digit = |byte: &u8| char::from(*byte).to_digit(16);
    if let Some(digits) = data.strip_prefix(b"\\x") {
        let pairs = digits.chunks_exact(2);
        return pairs
            .filter_map(|pair| u8::try_from(digit(&pair[0])? * 16 + digit(&pair[1])?).ok())
            .collect();
    }
    let mut decoded = Vec::with_capacity(data.len());
    let mut rest = data;
    while let [first, tail @ ..] = rest {
        rest = match (first, tail) {
            (b'\\', [a @ b'0'..=b'3', b @ b'0'..=b'7', c @ b'0'..=b'7', tail @ ..]) => {
                decoded.push((a - b'0') * 64 + (b - b'0') * 8 + (c - b'0'));
                tail
            }
            (b'\\', [escaped, tail @ ..]) => {
                decoded.push(*escaped);
                tail
            }
            (byte, tail) => {
                decoded.push(*byte);
                tail
            }
        };
    }
    decoded
}

#[cfg(test)]
mod tests {
    use super::*;

    fn repr(text: &str) -> String {
        let mut out = String::new();
        string(text, &mut out);
        out
    }

    fn repr_bytes(data: &[u8]) -> String {
        let mut out = String::new();
        bytes(data, &mut out);
        out
    }

    // The expected values are those of Python 3.12.
    #[test]
    fn strings_are_quoted_as_in_python() {
        assert_eq!(repr("it's"), r#""it's""#);
        assert_eq!(repr("o'b\"r\nx\\"), r#"'o\'b"r\nx\\'"#);
        assert_eq!(
            repr("\u{7f}\u{a0}\u{ad}é\u{200b}\u{2028}"),
            r"'\x7f\xa0\xadé\u200b\u2028'"
        );
        assert_eq!(
            repr("\u{e000}\u{1f600}\u{e0001}"),
            "'\\ue000\u{1f600}\\U000e0001'"
        );
        // Assigned in Unicode 16.
        assert_eq!(repr("\u{2429}\u{2426}"), "'\\u2429\u{2426}'");
        assert_eq!(repr("\u{3000}\u{0}\t"), r"'\u3000\x00\t'");
    }

    #[test]
    fn bytes_are_quoted_as_in_python() {
        assert_eq!(repr_bytes(b"\xde\xad\x00'a"), r#"b"\xde\xad\x00'a""#);
        assert_eq!(repr_bytes(b"'\"\\\n\x7f"), r#"b'\'"\\\n\x7f'"#);
    }

    #[test]
    fn both_formats_of_bytea_are_decoded() {
        assert_eq!(unescape_bytea(b"\\xdeAD00"), [0xde, 0xad, 0]);
        assert_eq!(unescape_bytea(b"a\\000\\\\\\377"), [b'a', 0, b'\\', 255]);
    }
}
