//! Replacement of string literals in JSON text.

/// Only key of an object that refers to a stored string.
pub(super) const KEY: &str = "mcpmark:text";

/// Suffix that escapes other keys that start with [`KEY`].
const ESCAPE: char = '+';

/// Number of hexadecimal digits of a digest.
const DIGITS: usize = 64;

/// Returns the JSON with a reference in place of each string value whose literal has at least `long` bytes, except the
/// values of the keys `inline`; none if nothing changes. `store` gets the literal without its quotes and returns its
/// digest.
pub(super) fn replace<E>(
    json: &str,
    long: usize,
    inline: &[&str],
    mut store: impl FnMut(&str) -> Result<String, E>,
) -> Result<Option<String>, E> {
    if json.len() < long && !json.contains(KEY) {
        return Ok(None);
    }
    let (mut out, mut copied, mut key) = (String::new(), 0, "");
    for Literal { start, end, is_key } in Literals::of(json) {
        let literal = &json[start..end];
        if is_key {
            key = literal;
            if literal.starts_with(KEY) {
                out.push_str(&json[copied..end]);
                out.push(ESCAPE);
                copied = end;
            }
        } else if literal.len() >= long && !inline.contains(&key) {
            let digest = store(literal)?;
            out.push_str(&json[copied..start - 1]);
            out.push_str(&format!("{{\"{KEY}\":\"{digest}\"}}"));
            copied = end + 1;
        }
    }
    Ok(finished(out, copied, json))
}

/// Returns the JSON as it was before [`replace`]; none if nothing changes. `load` gets a digest and returns the literal
/// without its quotes.
pub(super) fn restore<E>(
    json: &str,
    mut load: impl FnMut(&str) -> Result<String, E>,
) -> Result<Option<String>, E> {
    if !json.contains(KEY) {
        return Ok(None);
    }
    let (mut out, mut copied) = (String::new(), 0);
    for Literal { start, end, is_key } in Literals::of(json) {
        let Some(escapes) = json[start..end].strip_prefix(KEY).filter(|_| is_key) else {
            continue;
        };
        if escapes.is_empty() {
            if let Some((digest, over)) = reference(json, start, end) {
                let literal = load(digest)?;
                out.push_str(&json[copied..start - 2]);
                out.push('"');
                out.push_str(&literal);
                out.push('"');
                copied = over;
            }
        } else if escapes.ends_with(ESCAPE) {
            out.push_str(&json[copied..end - ESCAPE.len_utf8()]);
            copied = end;
        }
    }
    Ok(finished(out, copied, json))
}

fn finished(mut out: String, copied: usize, json: &str) -> Option<String> {
    (copied > 0).then(|| {
        out.push_str(&json[copied..]);
        out
    })
}

/// Returns the digest in the reference whose key is at `start..end`, and the end of the reference.
fn reference(json: &str, start: usize, end: usize) -> Option<(&str, usize)> {
    let before = json.get(..start)?;
    let after = json.get(end..)?.strip_prefix("\":\"")?;
    let digest = after.get(..DIGITS)?;
    let is_digest = digest.bytes().all(|byte| byte.is_ascii_hexdigit());
    let is_whole = before.ends_with("{\"") && after[DIGITS..].starts_with("\"}");
    (is_digest && is_whole).then_some((digest, end + 3 + DIGITS + 2))
}

/// String literal: the range of bytes between its quotes, and a flag for keys of objects.
struct Literal {
    start: usize,
    end: usize,
    is_key: bool,
}

/// Iterator over the string literals of a JSON text, in order.
struct Literals<'a> {
    json: &'a str,
    at: usize,
}

impl<'a> Literals<'a> {
    fn of(json: &'a str) -> Self {
        Self { json, at: 0 }
    }
}

impl Iterator for Literals<'_> {
    type Item = Literal;

    fn next(&mut self) -> Option<Literal> {
        let start = self.at + self.json[self.at..].find('"')? + 1;
        let mut end = start;
        loop {
            end += self.json[end..].find(['"', '\\'])?;
            if self.json.as_bytes()[end] == b'"' {
                break;
            }
            // An escaped character longer than a byte occurs only in text that is not JSON.
            end += 1 + self.json[end + 1..].chars().next()?.len_utf8();
        }
        self.at = end + 1;
        let is_key = self.json[self.at..].trim_start().starts_with(':');
        Some(Literal { start, end, is_key })
    }
}
