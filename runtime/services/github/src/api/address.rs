//! URLs as GitHub's client for Go forms them from its arguments.

use crate::view::percent_encoded;

/// Characters that are not escaped when a whole path is encoded.
const PLAIN: &[u8] = b"$&+,/:;=@";

/// Characters besides letters and digits that a valid encoded path can contain.
const VALID: &str = "-_.~!$&'()*+,;=:@[]/%";

/// Forms the URL of a request to a path: resolves `.` and `..`, and encodes invalid characters. The query and the
/// fragment stay as they are.
pub(crate) fn address(below: &str) -> String {
    let (path, tail) = parted(below);
    let path = stepped(path);
    let is_valid = |c: char| c.is_ascii_alphanumeric() || VALID.contains(c);
    if path.chars().all(is_valid) {
        path + tail
    } else {
        percent_encoded(&decoded(&path), PLAIN) + tail
    }
}

/// Splits a URL into its path and the rest, which begins with `?` or `#`.
pub(crate) fn parted(address: &str) -> (&str, &str) {
    let end = address.find(['?', '#']).unwrap_or(address.len());
    address.split_at(end)
}

/// Resolves `.` and `..` in a path.
pub(crate) fn stepped(path: &str) -> String {
    let parts: Vec<&str> = path.split('/').collect();
    if !parts.iter().any(|part| matches!(*part, "." | "..")) {
        return path.to_owned();
    }
    let mut kept = Vec::new();
    for part in &parts {
        match *part {
            "." => {}
            // The first part is empty, because it is before the leading slash.
            ".." => kept.truncate(kept.len().saturating_sub(1).max(1)),
            part => kept.push(part),
        }
    }
    if matches!(parts.last(), Some(&"." | &"..")) {
        kept.push("");
    }
    kept.join("/")
}

/// Encodes the path of a file, for requests in which clients always encode it.
pub(crate) fn file_path(path: &str) -> String {
    percent_encoded(path, PLAIN)
}

/// Encodes the path of a file to be written. Clients encode it only if it contains `?`, `#` or `%`.
pub(crate) fn written_path(path: &str) -> String {
    if path.contains(['?', '#', '%']) {
        file_path(path)
    } else {
        path.to_owned()
    }
}

/// Encodes the name of a ref, part by part.
pub(crate) fn ref_name(name: &str) -> String {
    percent_encoded(name, b"$&+:=@/")
}

/// Query string of the pairs with a value, sorted by name, with the question mark.
pub(crate) fn query(pairs: &[(&str, &str)]) -> String {
    let mut pairs: Vec<_> = pairs
        .iter()
        .filter(|(_, value)| !value.is_empty())
        .collect();
    pairs.sort();
    let encoded = |text: &str| percent_encoded(text, b" ").replace(' ', "+");
    let pairs: Vec<String> = pairs
        .iter()
        .map(|(name, value)| format!("{}={}", encoded(name), encoded(value)))
        .collect();
    if pairs.is_empty() {
        String::new()
    } else {
        format!("?{}", pairs.join("&"))
    }
}

/// Decodes percent escapes. Invalid UTF-8 in the result is replaced by U+FFFD.
pub(crate) fn decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut plain = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        match escape(text, at) {
            Some(byte) => {
                plain.push(byte);
                at += 3;
            }
            None => {
                plain.push(bytes[at]);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&plain).into_owned()
}

/// Byte that is encoded at an offset.
fn escape(text: &str, at: usize) -> Option<u8> {
    let hex = text.get(at..at + 3)?.strip_prefix('%')?;
    let is_hex = hex.bytes().all(|byte| byte.is_ascii_hexdigit());
    u8::from_str_radix(hex, 16).ok().filter(|_| is_hex)
}

/// Returns the first percent sign that does not begin a valid escape, with up to two characters after it.
pub(crate) fn broken_escape(text: &str) -> Option<String> {
    let mut signs = text.match_indices('%').map(|(at, _)| at);
    let broken = signs.find(|at| escape(text, *at).is_none())?;
    Some(text[broken..].chars().take(3).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_made_as_the_client_makes_them() {
        for (below, expected) in [
            ("/contents/a b/ü.md", "/contents/a%20b/%C3%BC.md"),
            ("/contents/a(1)", "/contents/a(1)"),
            ("/contents/a (1)", "/contents/a%20%281%29"),
            ("/contents/a%20b", "/contents/a%20b"),
            ("/contents/a%20b ", "/contents/a%20b%20"),
            ("/contents/a/./b", "/contents/a/b"),
            ("/contents/../a", "/a"),
            ("/contents/a//b", "/contents/a//b"),
            ("/contents/..", "/"),
            ("/commits/x?page=-1", "/commits/x?page=-1"),
            ("/commits/x?sha=a/../b", "/commits/x?sha=a/../b"),
        ] {
            assert_eq!(address(below), expected, "{below}");
        }
        assert_eq!(
            query(&[("sha", "a/b c"), ("author", "RIGHT"), ("path", "")]),
            "?author=RIGHT&sha=a%2Fb+c"
        );
        assert_eq!(query(&[("page", "")]), "");
        assert_eq!(ref_name("heads/a,b/c:d"), "heads/a%2Cb/c:d");
        for (text, broken) in [
            ("100%", "%"),
            ("5% off", "% o"),
            ("%41", ""),
            ("%+1x", "%+1"),
        ] {
            assert_eq!(broken_escape(text).unwrap_or_default(), broken, "{text}");
        }
    }
}
