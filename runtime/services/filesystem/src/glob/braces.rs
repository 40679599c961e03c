//! Braces in a pattern: `{a,b}` and `{1..3}`.

use std::collections::HashMap;

/// Most alternatives that the braces of one pattern may stand for.
const MAX_ALTERNATIVES: usize = 1000;
/// Most bytes that they may have together.
const MAX_BYTES: usize = 4 << 20;

/// The patterns that `{a,b}` and `{1..3}` stand for.
pub(super) fn expand(pattern: &str) -> Vec<String> {
    let mut done = Vec::new();
    let mut open = vec![pattern.to_owned()];
    let mut bytes = pattern.len();
    while let Some(pattern) = open.pop() {
        let room = done.len() + open.len() < MAX_ALTERNATIVES && bytes < MAX_BYTES;
        let Some((before, options, after)) = brace(&pattern).filter(|_| room) else {
            done.push(pattern);
            continue;
        };
        bytes -= pattern.len();
        for option in options.iter().rev() {
            let alternative = format!("{before}{option}{after}");
            bytes += alternative.len();
            open.push(alternative);
        }
    }
    done.truncate(MAX_ALTERNATIVES);
    done
}

/// The first brace pair that stands for something: what is before, in, and after it.
fn brace(pattern: &str) -> Option<(&str, Vec<String>, &str)> {
    let bytes = pattern.as_bytes();
    let mut closings = closings(bytes);
    let mut start = 0;
    loop {
        start = find_unescaped(bytes, start, b'{')?;
        if let Some((end, commas)) = closings.remove(&start) {
            let body = &pattern[start + 1..end];
            let options = if commas.is_empty() {
                range(body)
            } else {
                let mut options = Vec::new();
                let mut from = start + 1;
                for comma in commas.into_iter().chain([end]) {
                    options.push(pattern[from..comma].to_owned());
                    from = comma + 1;
                }
                Some(options)
            };
            if let Some(options) = options {
                return Some((&pattern[..start], options, &pattern[end + 1..]));
            }
        }
        start += 1;
    }
}

fn find_unescaped(bytes: &[u8], from: usize, wanted: u8) -> Option<usize> {
    let mut at = from;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 1,
            byte if byte == wanted => return Some(at),
            _ => {}
        }
        at += 1;
    }
    None
}

/// By the start of each brace pair: its end, and the commas that divide it. All in one pass, since to
/// look for the end from each start takes the square of the length.
fn closings(bytes: &[u8]) -> HashMap<usize, (usize, Vec<usize>)> {
    let mut closed = HashMap::new();
    let mut open: Vec<(usize, Vec<usize>)> = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 1,
            b'{' => open.push((at, Vec::new())),
            b'}' => {
                if let Some((start, commas)) = open.pop() {
                    closed.insert(start, (at, commas));
                }
            }
            b',' => {
                if let Some((_, commas)) = open.last_mut() {
                    commas.push(at);
                }
            }
            _ => {}
        }
        at += 1;
    }
    closed
}

/// `1..3`, `01..10`, `a..e` or `1..9..2`, both ends included.
fn range(body: &str) -> Option<Vec<String>> {
    let (first, last) = body.split_once("..")?;
    let (last, step) = match last.split_once("..") {
        Some((last, step)) => (last, step.parse::<i32>().ok()?.unsigned_abs().max(1)),
        None => (last, 1),
    };
    let letter = |text: &str| match text.as_bytes() {
        [byte] if byte.is_ascii_alphabetic() => Some(i32::from(*byte)),
        _ => None,
    };
    let (from, to, letters) = match (first.parse::<i32>(), last.parse::<i32>()) {
        (Ok(from), Ok(to)) => (from, to, false),
        _ => (letter(first)?, letter(last)?, true),
    };
    let padded = |text: &str| {
        let digits = text.strip_prefix('-').unwrap_or(text);
        digits.len() > 1 && digits.starts_with('0')
    };
    let width = match !letters && (padded(first) || padded(last)) {
        true => first.len().max(last.len()),
        false => 0,
    };
    let count = (from.abs_diff(to) / step).min(MAX_ALTERNATIVES as u32);
    let value = |n: u32| {
        let offset = i64::from(n * step);
        i64::from(from) + if to < from { -offset } else { offset }
    };
    let text = |value: i64| match u8::try_from(value) {
        Ok(byte) if letters => char::from(byte).to_string(),
        _ => format!("{value:0width$}"),
    };
    Some((0..=count).map(|n| text(value(n))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expansions() {
        for (pattern, expected) in [
            ("a", vec!["a"]),
            ("{a,b}c", vec!["ac", "bc"]),
            ("x{a,{b,c}}", vec!["xa", "xb", "xc"]),
            ("{a,b}{c,d}", vec!["ac", "ad", "bc", "bd"]),
            ("{,a}", vec!["", "a"]),
            ("{a}", vec!["{a}"]),
            ("{a", vec!["{a"]),
            ("a}", vec!["a}"]),
            ("\\{a,b}", vec!["\\{a,b}"]),
            ("{1..3}", vec!["1", "2", "3"]),
            ("{3..1}", vec!["3", "2", "1"]),
            ("{08..10}", vec!["08", "09", "10"]),
            ("{1..5..2}", vec!["1", "3", "5"]),
            ("{c..a}", vec!["c", "b", "a"]),
            ("{1..}", vec!["{1..}"]),
        ] {
            assert_eq!(expand(pattern), expected, "{pattern}");
        }
    }

    #[test]
    fn expansions_are_bounded() {
        assert!(expand(&"{a,b}".repeat(40)).len() <= MAX_ALTERNATIVES);
        assert!(expand("{1..2147483647}").len() <= MAX_ALTERNATIVES + 1);
        assert!(expand("{-2147483648..2147483647..2147483647}").len() <= 3);
        assert_eq!(expand(&"{".repeat(500)).len(), 1);
    }
}
