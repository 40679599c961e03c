//! `repr` of anonymous records: tuples of strings.

use super::{Kind, Refusal, Settings, value as element_value};

/// Appends the `repr` of a record.
pub(super) fn value(data: &[u8], settings: &Settings, out: &mut String) -> Result<(), Refusal> {
    let content = data
        .strip_prefix(b"(")
        .and_then(|data| data.strip_suffix(b")"))
        .unwrap_or(data);
    out.push('(');
    let mut count = 0;
    let mut rest = content;
    let mut expects_field = !content.is_empty();
    while expects_field {
        if count > 0 {
            out.push_str(", ");
        }
        count += 1;
        let (field, after) = field(rest);
        match field {
            Some(text) => element_value(&Kind::Text, &text, settings, out)?,
            None => out.push_str("None"),
        }
        expects_field = !after.is_empty();
        rest = after.strip_prefix(b",").unwrap_or_default();
    }
    if count == 1 {
        out.push(',');
    }
    out.push(')');
    Ok(())
}

/// Reads one field. Returns it with what follows, which starts with a comma or is empty.
fn field(data: &[u8]) -> (Option<Vec<u8>>, &[u8]) {
    let Some(mut rest) = data.strip_prefix(b"\"") else {
        let end = data
            .iter()
            .position(|byte| *byte == b',')
            .unwrap_or(data.len());
        let text = (end > 0).then(|| data[..end].to_vec());
        return (text, &data[end..]);
    };
    let mut text = Vec::new();
    loop {
        match rest {
            [b'"', b'"', tail @ ..] | [b'\\', b'\\', tail @ ..] => {
                text.push(rest[0]);
                rest = tail;
            }
            [b'"', tail @ ..] => return (Some(text), tail),
            [byte, tail @ ..] => {
                text.push(*byte);
                rest = tail;
            }
            [] => return (Some(text), rest),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::wire::Parameters;

    fn repr(text: &str) -> String {
        let mut out = String::new();
        let settings = Settings::of(&Parameters::default());
        value(text.as_bytes(), &settings, &mut out).unwrap();
        out
    }

    #[test]
    fn records_become_tuples() {
        assert_eq!(repr("()"), "()");
        assert_eq!(repr("(1)"), "('1',)");
        assert_eq!(repr("(1,x)"), "('1', 'x')");
        assert_eq!(repr("(,)"), "(None, None)");
        assert_eq!(repr("(1,)"), "('1', None)");
        assert_eq!(repr(r#"("a ""b"" \\c","")"#), r#"('a "b" \\c', '')"#);
    }
}
