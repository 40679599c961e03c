//! `repr` of ranges and multiranges.

use super::{Kind, Refusal, Settings, value as bound_value};

/// Appends the `repr` of a range.
pub(super) fn value(
    bound: &Kind,
    data: &[u8],
    settings: &Settings,
    out: &mut String,
) -> Result<(), Refusal> {
    push(bound, data, settings, out).map(|_| ())
}

/// Appends the `repr` of a multirange.
pub(super) fn multirange(
    bound: &Kind,
    data: &[u8],
    settings: &Settings,
    out: &mut String,
) -> Result<(), Refusal> {
    out.push_str("Multirange([");
    let mut rest = data.strip_prefix(b"{").unwrap_or(data);
    let mut is_first = true;
    while !rest.is_empty() && rest != b"}" {
        if !is_first {
            out.push_str(", ");
        }
        is_first = false;
        let after = push(bound, rest, settings, out)?;
        rest = after.strip_prefix(b",").unwrap_or(after);
    }
    out.push_str("])");
    Ok(())
}

/// Appends the first range of `data`, and returns what follows.
fn push<'a>(
    bound: &Kind,
    data: &'a [u8],
    settings: &Settings,
    out: &mut String,
) -> Result<&'a [u8], Refusal> {
    if let Some(rest) = data.strip_prefix(b"empty") {
        out.push_str("Range(empty=True)");
        return Ok(rest);
    }
    let malformed = || format!("failed to parse range: '{}'", String::from_utf8_lossy(data));
    let (open, rest) = data.split_first().ok_or_else(malformed)?;
    let (lower, rest) = limit(rest, b",");
    let rest = rest.strip_prefix(b",").ok_or_else(malformed)?;
    let (upper, rest) = limit(rest, b")]");
    let (close, rest) = rest.split_first().ok_or_else(malformed)?;
    out.push_str("Range(");
    for limit in [lower, upper] {
        match limit {
            Some(text) => bound_value(bound, &text, settings, out)?,
            None => out.push_str("None"),
        }
        out.push_str(", ");
    }
    out.extend(['\'', char::from(*open), char::from(*close), '\'', ')']);
    Ok(rest)
}

/// Reads a bound up to one of the bytes in `ends`.
fn limit<'a>(data: &'a [u8], ends: &[u8]) -> (Option<Vec<u8>>, &'a [u8]) {
    if let Some(quoted) = data.strip_prefix(b"\"") {
        let end = quoted
            .iter()
            .position(|byte| *byte == b'"')
            .unwrap_or(quoted.len());
        // No type of a range that psycopg knows has quotes or backslashes in its values.
        let rest = quoted.get(end + 1..).unwrap_or_default();
        return (Some(quoted[..end].to_vec()), rest);
    }
    let end = data
        .iter()
        .position(|byte| ends.contains(byte))
        .unwrap_or(data.len());
    ((end > 0).then(|| data[..end].to_vec()), &data[end..])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::wire::Parameters;

    fn repr(oid: u32, text: &str) -> String {
        let mut out = String::new();
        let settings = Settings::of(&Parameters::default());
        bound_value(&Kind::of(oid), text.as_bytes(), &settings, &mut out).unwrap();
        out
    }

    #[test]
    fn ranges_have_bounds() {
        assert_eq!(repr(3904, "[1,5)"), "Range(1, 5, '[)')");
        assert_eq!(repr(3904, "empty"), "Range(empty=True)");
        assert_eq!(repr(3904, "(,)"), "Range(None, None, '()')");
        assert_eq!(
            repr(3908, "[\"2025-01-01 00:00:00\",)"),
            "Range(datetime.datetime(2025, 1, 1, 0, 0), None, '[)')"
        );
    }

    #[test]
    fn multiranges_are_lists_of_ranges() {
        assert_eq!(repr(4451, "{}"), "Multirange([])");
        assert_eq!(
            repr(4451, "{[1,2),[5,9)}"),
            "Multirange([Range(1, 2, '[)'), Range(5, 9, '[)')])"
        );
    }
}
