//! Paths inside a tree.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Maximum length of a path, in bytes.
pub const MAX_PATH: usize = 4096;
/// Maximum length of a segment of a path, in bytes.
pub const MAX_SEGMENT: usize = 255;
/// Maximum number of segments of a path.
pub const MAX_DEPTH: usize = 128;

/// Path from the root of a tree: UTF-8 segments separated by `/`, none of them empty, `.` or `..`, without NUL, with at
/// most [`MAX_SEGMENT`] bytes per segment, [`MAX_DEPTH`] segments and [`MAX_PATH`] bytes in total. The empty path is
/// the root.
///
/// Paths are ordered by their bytes.
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct TreePath(String);

impl TreePath {
    /// Returns the root of the tree.
    #[must_use]
    pub fn root() -> Self {
        Self::default()
    }

    /// Parses a path. Nothing is trimmed or normalised.
    pub fn parse(text: &str) -> Result<Self, InvalidPath> {
        match fault(text) {
            None => Ok(Self(text.to_owned())),
            Some(reason) => Err(InvalidPath::new(text, reason)),
        }
    }

    /// Appends `below`, which has one or more segments, to this path.
    pub fn join(&self, below: &str) -> Result<Self, InvalidPath> {
        let joined = if self.is_root() {
            below.to_owned()
        } else {
            format!("{self}/{below}")
        };
        if below.is_empty() {
            return Err(InvalidPath::new(&joined, EMPTY_SEGMENT));
        }
        match fault(&joined) {
            None => Ok(Self(joined)),
            Some(reason) => Err(InvalidPath::new(&joined, reason)),
        }
    }

    /// Returns the path of an entry of a tree. It is valid by the invariants of trees, so it is not checked.
    pub(crate) fn child(&self, name: &str) -> Self {
        if self.is_root() {
            Self(name.to_owned())
        } else {
            Self(format!("{self}/{name}"))
        }
    }

    /// Returns the parent directory, or `None` for the root.
    #[must_use]
    pub fn parent(&self) -> Option<Self> {
        if self.is_root() {
            return None;
        }
        let end = self.0.rfind('/').unwrap_or(0);
        Some(Self(self.0[..end].to_owned()))
    }

    /// Returns the last segment, or `None` for the root.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.segments().next_back()
    }

    /// Returns the segments from the root down. The root has none.
    pub fn segments(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.0.split('/').filter(|segment| !segment.is_empty())
    }

    /// Returns the path as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Reports whether this is the root.
    #[must_use]
    pub fn is_root(&self) -> bool {
        self.0.is_empty()
    }
}

const EMPTY_SEGMENT: &str = "it has an empty segment";

fn fault(text: &str) -> Option<&'static str> {
    if text.is_empty() {
        return None;
    }
    if text.len() > MAX_PATH {
        return Some("it is longer than 4096 bytes");
    }
    if text.starts_with('/') {
        return Some("it starts with '/'");
    }
    if text.ends_with('/') {
        return Some("it ends with '/'");
    }
    let mut depth = 0;
    for segment in text.split('/') {
        depth += 1;
        if let Some(reason) = segment_fault(segment) {
            return Some(reason);
        }
    }
    (depth > MAX_DEPTH).then_some("it has more than 128 segments")
}

/// Returns the problem of one segment. A segment that contains `/` is invalid.
pub(crate) fn segment_fault(segment: &str) -> Option<&'static str> {
    match segment {
        "" => Some(EMPTY_SEGMENT),
        "." => Some("it has a '.' segment"),
        ".." => Some("it has a '..' segment"),
        _ if segment.len() > MAX_SEGMENT => Some("it has a segment longer than 255 bytes"),
        _ if segment.contains('\0') => Some("it has a NUL byte"),
        _ if segment.contains('/') => Some("a name holds '/'"),
        _ => None,
    }
}

/// Truncates text for an error message.
pub(crate) fn shorten(text: &str) -> String {
    const SHOWN: usize = 200;
    if text.len() <= SHOWN {
        return text.to_owned();
    }
    let mut end = SHOWN;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}…", &text[..end])
}

impl fmt::Display for TreePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Formats the path in quotes, with control characters escaped.
impl fmt::Debug for TreePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl AsRef<str> for TreePath {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl FromStr for TreePath {
    type Err = InvalidPath;

    fn from_str(text: &str) -> Result<Self, InvalidPath> {
        Self::parse(text)
    }
}

impl TryFrom<String> for TreePath {
    type Error = InvalidPath;

    fn try_from(text: String) -> Result<Self, InvalidPath> {
        match fault(&text) {
            None => Ok(Self(text)),
            Some(reason) => Err(InvalidPath::new(&text, reason)),
        }
    }
}

impl From<TreePath> for String {
    fn from(path: TreePath) -> Self {
        path.0
    }
}

/// Error of parsing a [`TreePath`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("invalid path {path:?}: {reason}")]
pub struct InvalidPath {
    /// Text, truncated if it is long.
    pub path: String,
    /// Violated rule.
    pub reason: &'static str,
}

impl InvalidPath {
    pub(crate) fn new(path: &str, reason: &'static str) -> Self {
        Self {
            path: shorten(path),
            reason,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn accepts_what_file_systems_do() {
        for good in [
            "",
            "a",
            "a/b",
            ".hidden",
            "...",
            "..a",
            "-rf",
            "a b",
            "\"quoted\"",
            "naïve/日本",
            "tab\there",
            "back\\slash",
        ] {
            assert_eq!(TreePath::parse(good).unwrap().as_str(), good);
        }
        assert!(TreePath::parse(&"x".repeat(MAX_SEGMENT)).is_ok());
        assert!(TreePath::parse(&vec!["a"; MAX_DEPTH].join("/")).is_ok());
    }

    #[test]
    fn refuses_and_says_why() {
        for (bad, reason) in [
            ("/etc/passwd", "starts with"),
            ("a/", "ends with"),
            ("a//b", "empty"),
            ("../a", "'..'"),
            ("a/..", "'..'"),
            ("./a", "'.'"),
            ("a\0b", "NUL"),
        ] {
            let error = TreePath::parse(bad).unwrap_err();
            assert!(error.reason.contains(reason), "{error}");
        }
        for bad in [
            "x".repeat(MAX_SEGMENT + 1),
            vec!["a"; MAX_DEPTH + 1].join("/"),
            vec!["x".repeat(250); 17].join("/"),
        ] {
            let error = TreePath::parse(&bad).unwrap_err();
            assert!(error.to_string().len() < 300, "{error}");
        }
    }

    #[test]
    fn messages_are_escaped() {
        let error = TreePath::parse("a\u{1b}[2J/../b").unwrap_err();
        assert_eq!(
            error.to_string(),
            "invalid path \"a\\u{1b}[2J/../b\": it has a '..' segment"
        );
    }

    #[test]
    fn parts() {
        let path = TreePath::parse("a/b/c").unwrap();
        assert_eq!(path.name(), Some("c"));
        assert_eq!(path.parent().unwrap().as_str(), "a/b");
        assert_eq!(path.segments().collect::<Vec<_>>(), ["a", "b", "c"]);
        assert_eq!(
            TreePath::parse("a").unwrap().parent(),
            Some(TreePath::root())
        );
        assert_eq!(TreePath::root().parent(), None);
        assert_eq!(TreePath::root().name(), None);
        assert_eq!(TreePath::root().segments().count(), 0);
        assert_eq!(TreePath::root().join("x/y").unwrap().as_str(), "x/y");
        assert!(TreePath::root().join("").is_err());
        assert!(path.join("").is_err());
        assert!(path.join("../x").is_err());
    }

    proptest! {
        #[test]
        fn parsed_paths_stay_inside(text in "[./a\\x00 é-]{0,12}") {
            if let Ok(path) = TreePath::parse(&text) {
                prop_assert_eq!(path.as_str(), &text);
                for segment in path.segments() {
                    prop_assert!(!["", ".", ".."].contains(&segment));
                    prop_assert!(!segment.contains('\0'));
                }
                let rebuilt = path
                    .segments()
                    .try_fold(TreePath::root(), |at, name| at.join(name));
                prop_assert_eq!(rebuilt.unwrap(), path);
            }
        }
    }
}
