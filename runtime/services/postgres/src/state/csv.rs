//! Records of CSV files, with the difference between `NULL` and the empty string.

use std::io::{self, BufRead};

/// Field of a record. `None` is `NULL`.
pub(super) type Field = Option<String>;

/// Reads the bytes of the next record, with its line break. Returns no bytes at the end of the file.
pub(super) fn read_record(reader: &mut impl BufRead) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let (mut seen, mut quotes) = (0, 0);
    loop {
        let more = reader.read_until(b'\n', &mut bytes)?;
        quotes += bytes[seen..].iter().filter(|byte| **byte == b'"').count();
        seen = bytes.len();
        // A field may contain line breaks, inside of quotes.
        if more == 0 || quotes % 2 == 0 {
            return Ok(bytes);
        }
    }
}

/// Splits a record into its fields.
pub(super) fn fields(record: &[u8]) -> io::Result<Vec<Field>> {
    let text = std::str::from_utf8(record).map_err(io::Error::other)?;
    let text = text.strip_suffix('\n').unwrap_or(text);
    let (mut fields, mut field, mut quoted, mut was_quoted) =
        (Vec::new(), String::new(), false, false);
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '"' if quoted && characters.peek() == Some(&'"') => {
                characters.next();
                field.push('"');
            }
            '"' => {
                quoted = !quoted;
                was_quoted = true;
            }
            ',' if !quoted => {
                fields.push(finish(&mut field, was_quoted));
                was_quoted = false;
            }
            _ => field.push(character),
        }
    }
    fields.push(finish(&mut field, was_quoted));
    Ok(fields)
}

fn finish(field: &mut String, quoted: bool) -> Field {
    let field = std::mem::take(field);
    (quoted || !field.is_empty()).then_some(field)
}

/// Formats a record, with its line break.
pub(super) fn record(fields: &[Field]) -> String {
    let fields: Vec<String> = fields
        .iter()
        .map(|field| quoted(field.as_deref()))
        .collect();
    format!("{}\n", fields.join(","))
}

fn quoted(field: Option<&str>) -> String {
    match field {
        None => String::new(),
        Some(text) if text.is_empty() || text == "\\." || text.contains(['"', ',', '\n', '\r']) => {
            format!("\"{}\"", text.replace('"', "\"\""))
        }
        Some(text) => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn null_is_not_the_empty_string() {
        let read = fields(b"1,,\"\",\"a\"\"b\",\"c,\nd\"\n").unwrap();
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(
            read,
            [some("1"), None, some(""), some("a\"b"), some("c,\nd")]
        );
    }

    proptest! {
        #[test]
        fn records_survive(values in prop::collection::vec(prop::option::of("[ab,\"\n\r\\\\.é ]{0,6}"), 1..5)) {
            let text = record(&values);
            let mut reader = text.as_bytes();
            let bytes = read_record(&mut reader).unwrap();
            prop_assert_eq!(bytes.len(), text.len());
            prop_assert_eq!(fields(&bytes).unwrap(), values);
        }
    }
}
