//! Decoding of the escapes of JSON, URLs and HTML, with a mapping from decoded ranges to the source.

use std::ops::Range;

/// Part of a text: literal bytes, or one escape.
enum Piece<'a> {
    Plain(&'a [u8]),
    Escape {
        /// Decoded bytes: the UTF-8 form of one character, or one byte.
        decoded: [u8; 4],
        /// Number of decoded bytes.
        length: usize,
        /// Number of source bytes.
        source: usize,
    },
}

/// Decodes the escapes of a text. Returns `None` if it has none.
///
/// Repeated escaping of one kind is decoded completely: `\\\u0041` and `%252541` are both `A`. Text that was escaped in
/// several ways is decoded by repeated calls, until the result is `None`.
pub(crate) fn decode(source: &[u8]) -> Option<Vec<u8>> {
    let mut decoded = Vec::new();
    let mut escaped = false;
    for piece in pieces(source) {
        match piece {
            Piece::Plain(bytes) => decoded.extend_from_slice(bytes),
            Piece::Escape {
                decoded: bytes,
                length,
                ..
            } => {
                escaped = true;
                decoded.extend_from_slice(&bytes[..length]);
            }
        }
    }
    escaped.then_some(decoded)
}

/// Maps `ranges` of the decoded form to ranges of `source`. The ranges are sorted and do not touch. A range with a part
/// of an escape maps to the whole escape.
pub(crate) fn encoded_ranges(source: &[u8], ranges: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut found = Vec::with_capacity(ranges.len());
    let mut wanted = ranges.iter();
    let mut range = wanted.next();
    let (mut at, mut from, mut start) = (0, 0, 0);
    for piece in pieces(source) {
        let (length, taken, whole) = match piece {
            Piece::Plain(bytes) => (bytes.len(), bytes.len(), false),
            Piece::Escape { length, source, .. } => (length, source, true),
        };
        while let Some(wanted_range) = range {
            if (at..at + length).contains(&wanted_range.start) {
                start = if whole {
                    from
                } else {
                    from + wanted_range.start - at
                };
            }
            if wanted_range.end > at + length {
                break;
            }
            let end = if whole {
                from + taken
            } else {
                from + wanted_range.end - at
            };
            found.push(start..end);
            range = wanted.next();
        }
        if range.is_none() {
            break;
        }
        at += length;
        from += taken;
    }
    found
}

fn pieces(source: &[u8]) -> impl Iterator<Item = Piece<'_>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = source.get(at..).filter(|rest| !rest.is_empty())?;
        let piece = escape(rest).unwrap_or_else(|| {
            // An incomplete escape is literal, up to the next possible escape.
            let begins = |byte: &u8| matches!(byte, b'\\' | b'%' | b'&');
            let next = rest[1..].iter().position(begins);
            Piece::Plain(&rest[..next.map_or(rest.len(), |next| next + 1)])
        });
        at += match &piece {
            Piece::Plain(bytes) => bytes.len(),
            Piece::Escape { source, .. } => *source,
        };
        Some(piece)
    })
}

/// Parses the escape at the beginning of a text.
fn escape(text: &[u8]) -> Option<Piece<'static>> {
    match text[0] {
        b'\\' => backslash(text),
        b'%' => percent(text),
        b'&' => entity(text),
        _ => None,
    }
}

fn character(code: u32, source: usize) -> Option<Piece<'static>> {
    let mut decoded = [0; 4];
    let length = char::from_u32(code)?.encode_utf8(&mut decoded).len();
    Some(Piece::Escape {
        decoded,
        length,
        source,
    })
}

/// Parses a number of which all digits are hexadecimal.
fn hexadecimal(digits: &[u8]) -> Option<u32> {
    digits.iter().try_fold(0, |value: u32, digit| {
        let digit = char::from(*digit).to_digit(16)?;
        value.checked_mul(16)?.checked_add(digit)
    })
}

/// Parses a run of backslashes with the character that it escapes. A run that escapes no character is decoded to one
/// backslash.
fn backslash(text: &[u8]) -> Option<Piece<'static>> {
    let run = backslashes(text);
    let simple = |code: u8| character(code.into(), run + 1);
    let found = match text.get(run) {
        Some(b'u') => {
            let code = text.get(run + 1..run + 5).and_then(hexadecimal);
            code.and_then(|code| utf16(code, &text[run + 5..], run + 5))
        }
        Some(b'x') => {
            let code = text.get(run + 1..run + 3).and_then(hexadecimal);
            code.and_then(|code| character(code, run + 3))
        }
        Some(byte @ (b'"' | b'\'' | b'/')) => simple(*byte),
        Some(b'n') => simple(b'\n'),
        Some(b't') => simple(b'\t'),
        Some(b'r') => simple(b'\r'),
        Some(b'b') => simple(8),
        Some(b'f') => simple(12),
        _ => None,
    };
    let collapsed = || (run > 1).then(|| character(b'\\'.into(), run)).flatten();
    found.or_else(collapsed)
}

fn backslashes(text: &[u8]) -> usize {
    text.iter().take_while(|byte| **byte == b'\\').count()
}

/// Decodes a UTF-16 code unit, or a surrogate pair that begins with it.
fn utf16(code: u32, after: &[u8], source: usize) -> Option<Piece<'static>> {
    if !(0xd800..0xdc00).contains(&code) {
        return character(code, source);
    }
    let run = backslashes(after);
    let second = after.get(run + 1..run + 5).and_then(hexadecimal)?;
    let is_pair = run > 0 && after[run] == b'u' && (0xdc00..0xe000).contains(&second);
    let code = 0x10000 + ((code - 0xd800) << 10) + second.checked_sub(0xdc00)?;
    is_pair.then(|| character(code, source + run + 5)).flatten()
}

/// Parses a percent-encoded byte, whose percent sign may be percent-encoded repeatedly.
fn percent(text: &[u8]) -> Option<Piece<'static>> {
    let digits = |from: usize| text.get(from..from + 2).and_then(hexadecimal);
    let mut at = 1;
    while text.get(at..at + 2) == Some(b"25") && digits(at + 2).is_some() {
        at += 2;
    }
    let byte = u8::try_from(digits(at)?).ok()?;
    Some(Piece::Escape {
        decoded: [byte, 0, 0, 0],
        length: 1,
        source: at + 2,
    })
}

/// Parses a character reference of HTML, whose ampersand may be escaped repeatedly.
fn entity(text: &[u8]) -> Option<Piece<'static>> {
    /// Maximum length of a numeric reference. Longer ones are not characters.
    const LONGEST: usize = 10;
    const NAMED: [(&[u8], u8); 4] = [
        (b"lt;", b'<'),
        (b"gt;", b'>'),
        (b"quot;", b'"'),
        (b"apos;", b'\''),
    ];
    let mut at = 1;
    while text[at..].starts_with(b"amp;") {
        at += 4;
    }
    let rest = &text[at..];
    let named = NAMED.iter().find(|(name, _)| rest.starts_with(name));
    if let Some((name, byte)) = named {
        return character((*byte).into(), at + name.len());
    }
    let numbered = rest.strip_prefix(b"#").and_then(|number| {
        let end = number.iter().take(LONGEST).position(|byte| *byte == b';')?;
        let digits = &number[..end];
        let code = match digits {
            [b'x' | b'X', digits @ ..] if !digits.is_empty() => hexadecimal(digits)?,
            _ => std::str::from_utf8(digits).ok()?.parse().ok()?,
        };
        character(code, at + 1 + end + 1)
    });
    let ampersand = || (at > 1).then(|| character(b'&'.into(), at)).flatten();
    numbered.or_else(ampersand)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_decoded_through_repetitions_of_their_own_kind() {
        for (source, decoded) in [
            (r"\u0041\u00e9", "Aé"),
            (r"\\\\u0041\\/", "A/"),
            (r"\ud83d\ude00 \ud83d", "😀 \\ud83d"),
            (r"\\ud83d\\ude00", "😀"),
            (r#"\n\"\'\x41"#, "\n\"'A"),
            (r"C:\\dir\q", r"C:\dir\q"),
            ("%41%2541%252525", "AA%"),
            ("&#65;&#x41;&amp;#65;&amp;lt;&amp;amp;", "AAA<&"),
        ] {
            let found = decode(source.as_bytes()).unwrap();
            assert_eq!(String::from_utf8_lossy(&found), decoded, "{source}");
        }
        for plain in ["", "100 %", "% &", r"\q\u00", "&nope; &#; &#x; &#99999999;"] {
            assert_eq!(decode(plain.as_bytes()), None, "{plain}");
        }
    }

    #[test]
    fn ranges_of_decoded_text_lead_back_to_whole_escapes() {
        let source = br"a\u0062c%64e";
        let find = |ranges: &[(usize, usize)]| -> Vec<String> {
            let ranges: Vec<_> = ranges.iter().map(|(start, end)| *start..*end).collect();
            let ranges = encoded_ranges(source, &ranges);
            let text = |range| String::from_utf8_lossy(&source[range]).into_owned();
            ranges.into_iter().map(text).collect()
        };
        assert_eq!(decode(source).unwrap(), b"abcde");
        assert_eq!(find(&[(0, 1), (2, 3), (4, 5)]), ["a", "c", "e"]);
        assert_eq!(find(&[(1, 2), (3, 4)]), [r"\u0062", "%64"]);
        assert_eq!(find(&[(0, 5)]), [r"a\u0062c%64e"]);
    }
}
