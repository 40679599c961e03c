//! `repr` of arrays: nested lists.

use super::{Kind, Refusal, Settings, value as element_value};

/// Appends the `repr` of an array.
pub(super) fn value(
    element: &Kind,
    delimiter: u8,
    data: &[u8],
    settings: &Settings,
    out: &mut String,
) -> Result<(), Refusal> {
    // Bounds that do not start at 1, such as `[0:1]={1,2}`, are lost.
    let mut rest = match data {
        [b'[', ..] => match data.iter().position(|byte| *byte == b'=') {
            Some(end) => &data[end + 1..],
            None => {
                return Err("malformed array: no '=' after dimension information".to_owned());
            }
        },
        data => data,
    };
    let mut is_first = true;
    while let [byte, tail @ ..] = rest {
        if !is_first && !matches!(byte, b'}') && *byte != delimiter {
            out.push_str(", ");
        }
        match byte {
            b'{' => {
                out.push('[');
                is_first = true;
                rest = tail;
                continue;
            }
            b'}' => {
                out.push(']');
                rest = tail;
            }
            byte if *byte == delimiter => rest = tail,
            b'"' => {
                let (text, after) = quoted(tail);
                element_value(element, &text, settings, out)?;
                rest = after;
            }
            _ => {
                let is_end = |byte: &u8| *byte == delimiter || *byte == b'}';
                let end = rest.iter().position(is_end).unwrap_or(rest.len());
                match &rest[..end] {
                    b"NULL" => out.push_str("None"),
                    text => element_value(element, text, settings, out)?,
                }
                rest = &rest[end..];
            }
        }
        is_first = false;
    }
    Ok(())
}

/// Reads a quoted element after its opening quote. Returns it with what follows the closing quote.
fn quoted(data: &[u8]) -> (Vec<u8>, &[u8]) {
    let mut text = Vec::new();
    let mut rest = data;
    loop {
        match rest {
            [b'\\', escaped, tail @ ..] => {
                text.push(*escaped);
                rest = tail;
            }
            [b'"', tail @ ..] => return (text, tail),
            [byte, tail @ ..] => {
                text.push(*byte);
                rest = tail;
            }
            [] => return (text, rest),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::wire::Parameters;

    fn repr(oid: u32, text: &str) -> String {
        let mut out = String::new();
        let settings = Settings::of(&Parameters::default());
        element_value(&Kind::of(oid), text.as_bytes(), &settings, &mut out).unwrap();
        out
    }

    #[test]
    fn arrays_become_nested_lists() {
        assert_eq!(repr(1007, "{}"), "[]");
        assert_eq!(repr(1007, "{1,NULL,3}"), "[1, None, 3]");
        assert_eq!(repr(1007, "[0:1]={1,2}"), "[1, 2]");
        assert_eq!(repr(1007, "{{1,2},{3,4}}"), "[[1, 2], [3, 4]]");
        assert_eq!(
            repr(1009, r#"{a,"b c","\"q\"","NULL","a\\b","it's"}"#),
            r#"['a', 'b c', '"q"', 'NULL', 'a\\b', "it's"]"#
        );
        assert_eq!(
            repr(1020, "{(1,1),(0,0);(2,2),(1,1)}"),
            "['(1,1),(0,0)', '(2,2),(1,1)']"
        );
        assert_eq!(
            repr(1231, "{1.50,NaN}"),
            "[Decimal('1.50'), Decimal('NaN')]"
        );
    }
}
