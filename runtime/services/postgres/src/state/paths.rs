//! Paths of the canonical form.

use mcpmark_snapshot::{InvalidPath, TreePath};

/// Encodes the name of a database object as one segment of a path.
///
/// `/`, `%`, control characters and a leading `.` become `%` and two upper-case hexadecimal digits for each byte. Other
/// characters stay as they are, so that common names can be read. [`decode`] is the inverse. A name of PostgreSQL has
/// at most 63 bytes, so an encoded name fits into a segment.
#[must_use]
pub fn encode(name: &str) -> String {
    let mut encoded = String::with_capacity(name.len());
    for (at, character) in name.char_indices() {
        let leading_dot = at == 0 && character == '.';
        if leading_dot || matches!(character, '/' | '%') || character.is_control() {
            let mut bytes = [0; 4];
            for byte in character.encode_utf8(&mut bytes).bytes() {
                encoded.push_str(&format!("%{byte:02X}"));
            }
        } else {
            encoded.push(character);
        }
    }
    encoded
}

/// Decodes a segment of a path to the name of a database object. Returns `None` if the segment is not encoded
/// correctly.
#[must_use]
pub fn decode(segment: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(segment.len());
    let mut rest = segment.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let digits = [rest.next()?, rest.next()?];
            let digits = std::str::from_utf8(&digits).ok()?;
            bytes.push(u8::from_str_radix(digits, 16).ok()?);
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).ok()
}

/// Returns the path of a file below directories that are named after database objects.
pub(super) fn path(parts: &[&str], extension: &str) -> Result<TreePath, InvalidPath> {
    let encoded: Vec<String> = parts.iter().map(|part| encode(part)).collect();
    TreePath::parse(&format!("{}.{extension}", encoded.join("/")))
}

/// Place of a file in the canonical form, with decoded names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    /// Decoded directories and the name of the file without its extension.
    pub(super) parts: Vec<String>,
}

impl Place {
    /// Parses the path of a file with the given extension.
    pub(super) fn parse(path: &TreePath, extension: &str) -> Option<Self> {
        let stem = path.as_str().strip_suffix(extension)?.strip_suffix('.')?;
        let parts: Option<Vec<String>> = stem.split('/').map(decode).collect();
        parts.map(|parts| Self { parts })
    }

    /// Returns the schema, the kind of object and the name, if this is a file of an object in a schema.
    pub(super) fn in_schema(&self) -> Option<(&str, &str, &str)> {
        match self.parts.as_slice() {
            [root, schema, kind, name] if root == "schemas" => Some((schema, kind, name)),
            _ => None,
        }
    }

    /// Returns the schema and the name of the relation, if this is a file of rows.
    pub(super) fn rows(&self) -> Option<(&str, &str)> {
        match self.parts.as_slice() {
            [root, schema, name] if root == "data" => Some((schema, name)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn common_names_stay_readable() {
        for name in ["orders", "Order Lines", "naïve", "a.b", "x-1", "\"q\""] {
            assert_eq!(encode(name), name);
        }
        assert_eq!(encode("../etc"), "%2E.%2Fetc");
        assert_eq!(encode("100%\n"), "100%25%0A");
    }

    #[test]
    fn wrong_escapes_are_rejected() {
        for segment in ["%", "%2", "%zz", "a%FF"] {
            assert_eq!(decode(segment), None, "{segment}");
        }
    }

    proptest! {
        #[test]
        fn names_survive(name in "[^\\x00]{1,15}") {
            let segment = encode(&name);
            prop_assert!(TreePath::parse(&segment).is_ok());
            prop_assert_eq!(decode(&segment), Some(name));
        }
    }
}
