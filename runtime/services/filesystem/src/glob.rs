//! Glob patterns as the real server's library matches them, names with a leading dot included.

mod braces;
mod name;

use crate::failure::Failure;
use name::Name;

/// The longest pattern that the real server's library takes, in UTF-16 units.
const MAX_PATTERN: usize = 65_536;

/// A compiled pattern.
#[derive(Debug)]
pub(crate) struct Pattern {
    alternatives: Vec<Vec<Segment>>,
    negated: bool,
}

#[derive(Debug)]
enum Segment {
    /// `**`: any number of names.
    Any,
    Name(Name),
}

impl Pattern {
    pub(crate) fn new(pattern: &str) -> Result<Self, Failure> {
        if pattern.encode_utf16().count() > MAX_PATTERN {
            return Err(Failure::said("pattern is too long"));
        }
        let body = pattern.trim_start_matches('!');
        let alternatives = match pattern.starts_with('#') {
            true => Vec::new(),
            false => braces::expand(body).iter().map(|it| segments(it)).collect(),
        };
        Ok(Self {
            alternatives,
            negated: (pattern.len() - body.len()) % 2 == 1,
        })
    }

    /// Whether a path relative to the searched directory matches.
    pub(crate) fn matches(&self, relative: &str) -> bool {
        let names: Vec<Vec<u16>> = relative
            .split('/')
            .map(|name| name.encode_utf16().collect())
            .collect();
        let matched = self.alternatives.iter().any(|it| matches(it, &names));
        matched != self.negated
    }
}

fn segments(pattern: &str) -> Vec<Segment> {
    let mut names: Vec<&str> = Vec::new();
    let last = pattern.split('/').count() - 1;
    for (index, name) in pattern.split('/').enumerate() {
        match (name, names.last()) {
            // Surplus slashes within a pattern mean nothing.
            ("", Some(_)) if index < last => {}
            ("**", Some(&"**")) => {}
            ("..", Some(&before)) if !matches!(before, ".." | "." | "**" | "") => {
                names.pop();
            }
            _ => names.push(name),
        }
    }
    let segment = |name: &str| match name {
        "**" => Segment::Any,
        _ => Segment::Name(Name::new(name)),
    };
    names.into_iter().map(segment).collect()
}

/// `**` stands for any number of names, but for at least one at the end of a pattern.
fn matches(segments: &[Segment], names: &[Vec<u16>]) -> bool {
    // reachable[n]: the segments so far match the first n names.
    let mut reachable = vec![false; names.len() + 1];
    reachable[0] = true;
    for (index, segment) in segments.iter().enumerate() {
        let mut next = vec![false; names.len() + 1];
        match segment {
            Segment::Any => {
                let first = usize::from(index + 1 == segments.len());
                if let Some(from) = reachable.iter().position(|it| *it) {
                    let from = (from + first).min(names.len() + 1);
                    next[from..].fill(true);
                }
            }
            Segment::Name(pattern) => {
                for (at, name) in names.iter().enumerate().filter(|(at, _)| reachable[*at]) {
                    next[at + 1] = pattern.matches(name);
                }
            }
        }
        reachable = next;
    }
    reachable[names.len()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn matches(pattern: &str, path: &str) -> bool {
        Pattern::new(pattern).unwrap().matches(path)
    }

    #[test]
    fn paths() {
        for (pattern, path, expected) in [
            ("*", "a", true),
            ("*", ".a", true),
            ("*", "a/b", false),
            ("**", "a/b/c", true),
            ("*.txt", "a.txt", true),
            ("*.txt", "d/a.txt", false),
            ("**/*.txt", "a.txt", true),
            ("**/*.txt", "d/e/a.txt", true),
            ("*.TXT", "a.txt", false),
            ("d", "d/a", false),
            ("d/**", "d", false),
            ("d/**", "d/a", true),
            ("d/**", "d/a/b", true),
            ("d/**/b", "d/b", true),
            ("d/**/b", "d/a/a/b", true),
            ("d/**/b", "d/a/a/c", false),
            ("**/d/**", "d/x", true),
            ("**/d/**", "a/d", false),
            ("**/", "a", false),
            ("d/", "d", false),
            ("/d", "d", false),
            ("./d", "d", false),
            ("x/../d", "d", true),
            ("a//b", "a/b", true),
            ("{a,b}/*.md", "b/x.md", true),
            ("{a/x,b}.md", "a/x.md", true),
            ("!*.txt", "a.md", true),
            ("!*.txt", "a.txt", false),
            ("!!*.txt", "a.txt", true),
            ("!(a).txt", "b.txt", true),
            ("!(a).txt", "(a).txt", false),
            ("**/!(*.txt)", "d/a.md", true),
            ("**/!(*.txt)", "d/a.txt", false),
            ("#x", "#x", false),
            ("\\#x", "#x", true),
            ("", "a", false),
        ] {
            assert_eq!(matches(pattern, path), expected, "{pattern} on {path}");
        }
    }

    #[test]
    fn a_pattern_too_long_is_refused() {
        assert!(Pattern::new(&"é".repeat(MAX_PATTERN)).is_ok());
        assert!(Pattern::new(&"é".repeat(MAX_PATTERN + 1)).is_err());
    }

    /// The longest pattern of each kind that has no end or means little takes no more than a moment:
    /// this test would run for hours if one took the square of its length.
    #[test]
    fn long_patterns_are_read_at_once() {
        for piece in [
            "[",
            "[[:alpha:]",
            "[[:",
            "(",
            "+(",
            "+(a|",
            "!(a)",
            "?(a)",
            "*(",
            "{",
            "{a",
            "{a,",
            "{a,b}",
            "\\",
            "/",
            "*",
            "**/",
            "?",
            "a/../",
            ")",
            "]",
            "}",
            "[a-",
            "{1..9}",
        ] {
            let pattern = piece.repeat(MAX_PATTERN / piece.len());
            matches(&pattern, "a/b/c");
            matches(&pattern, &"a".repeat(255));
        }
        let many = format!("{{{}}}", "a,".repeat(400));
        matches(&format!("{many}{}", "[".repeat(60_000)), "a");
    }

    proptest! {
        #[test]
        fn any_pattern_is_taken(pattern in "[!#\\\\*?+@(){},|\\[\\]:./a-cé😀^-]{0,24}", path in "[a-cé😀.]{1,4}(/[a-c.]{1,3}){0,3}") {
            matches(&pattern, &path);
        }

        #[test]
        fn escaped_text_matches_itself(path in "[a-c*?\\[\\](){}!#+@|,.é-]{1,8}(/[a-c*\\[(]{1,4}){0,2}") {
            let mut pattern = String::new();
            for c in path.chars() {
                if c != '/' && c.is_ascii_punctuation() {
                    pattern.push('\\');
                }
                pattern.push(c);
            }
            prop_assume!(!path.split('/').any(|name| name == ".."));
            prop_assert!(matches(&pattern, &path), "{}", pattern);
        }
    }
}
