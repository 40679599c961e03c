//! Glob patterns compatible with `minimatch`, the library of the published server, with its option `dot`.
//!
//! All patterns of a call share a [`Budget`], which limits expanded alternatives and matching steps.

mod braces;
mod budget;
mod class;
mod name;
mod places;

use std::collections::HashMap;
use std::rc::Rc;

use crate::failure::Failure;
use budget::Budget;
use name::{Name, NamePattern};
use places::{LAST, Places};

/// Maximum length of a pattern in `minimatch`, in UTF-16 units.
const MAX_PATTERN: usize = 65_536;

/// Compiler for the patterns of one call. Name patterns that occur several times are compiled once.
#[derive(Debug, Default)]
pub(crate) struct Compiler {
    budget: Budget,
    names: HashMap<String, Rc<NamePattern>>,
}

/// Compiled pattern.
#[derive(Debug)]
pub(crate) struct Pattern {
    alternatives: Vec<Alternative>,
    negated: bool,
    /// Alternatives that match in addition, whether or not the pattern is negated.
    anywhere: Vec<Alternative>,
}

/// Pattern without braces.
#[derive(Debug)]
struct Alternative {
    segments: Vec<Segment>,
    /// Number of segments after the last `**`. Each of them matches exactly one name.
    tail: usize,
}

#[derive(Debug, Clone)]
enum Segment {
    /// `**`: any number of names.
    Any,
    Name(Rc<NamePattern>),
}

/// Path relative to the searched directory.
#[derive(Debug, Default)]
pub(crate) struct Path {
    names: Vec<Name>,
}

impl Path {
    /// Enters an entry of the current directory.
    pub(crate) fn push(&mut self, name: &str) {
        self.names.push(Name::new(name));
    }

    /// Returns to the parent directory.
    pub(crate) fn pop(&mut self) {
        self.names.pop();
    }
}

/// Reports whether `minimatch` refuses a pattern because of its length.
pub(crate) fn is_too_long(pattern: &str) -> bool {
    pattern.encode_utf16().count() > MAX_PATTERN
}

fn too_long() -> Failure {
    Failure::tool_error("pattern is too long")
}

impl Compiler {
    /// Compiles a pattern.
    pub(crate) fn pattern(&mut self, pattern: &str) -> Result<Pattern, Failure> {
        if is_too_long(pattern) {
            return Err(too_long());
        }
        let (_, negated, expanded) = self.expanded(pattern)?;
        Ok(Pattern {
            alternatives: self.alternatives(pattern, &expanded)?,
            negated,
            anywhere: Vec::new(),
        })
    }

    /// Compiles an exclusion pattern. If it has no star, it also matches entries with that name at any depth, and
    /// everything below them.
    pub(crate) fn exclusion(&mut self, pattern: &str) -> Result<Pattern, Failure> {
        if pattern.contains('*') {
            return self.pattern(pattern);
        }
        if is_too_long(&format!("**/{pattern}/**")) {
            return Err(too_long());
        }
        let (marks, negated, expanded) = self.expanded(pattern)?;
        let mut anywhere = Vec::new();
        for alternative in &expanded {
            self.budget
                .take_bytes(2 * (alternative.len() + marks.len()))?;
            anywhere.push(self.alternative(&format!("**/{marks}{alternative}"))?);
            anywhere.push(self.alternative(&format!("**/{marks}{alternative}/**"))?);
        }
        Ok(Pattern {
            alternatives: self.alternatives(pattern, &expanded)?,
            negated,
            anywhere,
        })
    }

    /// Returns the leading exclamation marks, whether they negate the pattern, and the expansion of the braces after
    /// them.
    fn expanded<'p>(&self, pattern: &'p str) -> Result<(&'p str, bool, Vec<String>), Failure> {
        let body = pattern.trim_start_matches('!');
        let marks = &pattern[..pattern.len() - body.len()];
        let expanded = braces::expand(body, &self.budget)?;
        Ok((marks, marks.len() % 2 == 1, expanded))
    }

    fn alternatives(
        &mut self,
        pattern: &str,
        expanded: &[String],
    ) -> Result<Vec<Alternative>, Failure> {
        if pattern.starts_with('#') {
            Ok(Vec::new())
        } else {
            expanded.iter().map(|it| self.alternative(it)).collect()
        }
    }

    fn alternative(&mut self, pattern: &str) -> Result<Alternative, Failure> {
        let mut names: Vec<&str> = Vec::new();
        let last = pattern.split('/').count() - 1;
        for (index, name) in pattern.split('/').enumerate() {
            match (name, names.last()) {
                // Repeated slashes within a pattern are ignored.
                ("", Some(_)) if index < last => {}
                ("**", Some(&"**")) => {}
                ("..", Some(&before)) if !matches!(before, ".." | "." | "**" | "") => {
                    names.pop();
                }
                _ => names.push(name),
            }
        }
        self.budget.take_steps(pattern.len())?;
        let tail = names.iter().rev().take_while(|name| **name != "**").count();
        let segments = names.into_iter().map(|name| self.segment(name));
        Ok(Alternative {
            segments: segments.collect::<Result<_, _>>()?,
            tail,
        })
    }

    fn segment(&mut self, name: &str) -> Result<Segment, Failure> {
        if name == "**" {
            return Ok(Segment::Any);
        }
        if let Some(known) = self.names.get(name) {
            return Ok(Segment::Name(Rc::clone(known)));
        }
        let compiled = Rc::new(NamePattern::new(name, &self.budget)?);
        self.names.insert(name.to_owned(), Rc::clone(&compiled));
        Ok(Segment::Name(compiled))
    }

    /// Reports whether a path matches a pattern.
    pub(crate) fn matches(&self, pattern: &Pattern, path: &Path) -> Result<bool, Failure> {
        let any = |alternatives: &[Alternative]| -> Result<bool, Failure> {
            for alternative in alternatives {
                if alternative.matches(&path.names, &self.budget)? {
                    return Ok(true);
                }
            }
            Ok(false)
        };
        Ok(any(&pattern.alternatives)? != pattern.negated || any(&pattern.anywhere)?)
    }
}

impl Alternative {
    /// Matches names against the segments. `**` matches any number of names, but at least one at the end of a pattern.
    fn matches(&self, names: &[Name], budget: &Budget) -> Result<bool, Failure> {
        let count = names.len();
        if count > LAST {
            return Ok(false);
        }
        // Position n is in this set if the segments so far match the first n names.
        let mut reachable = Places::one(0);
        for (index, segment) in self.segments.iter().enumerate() {
            budget.take_steps(1)?;
            let left = self.segments.len() - index;
            if left <= self.tail {
                // The remaining segments match one name each, so only one position can lead to the end.
                let Some(place) = count.checked_sub(left) else {
                    return Ok(false);
                };
                reachable = reachable & Places::one(place);
            }
            let Some(lowest) = reachable.lowest() else {
                return Ok(false);
            };
            reachable = match segment {
                Segment::Any => Places::range(lowest + usize::from(left == 1), count),
                Segment::Name(pattern) => {
                    let mut next = Places::default();
                    for (at, name) in names.iter().enumerate().skip(lowest) {
                        if reachable.has(at) && pattern.matches(name, budget)? {
                            next.insert(at + 1);
                        }
                    }
                    next
                }
            };
        }
        Ok(reachable.has(count))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn path(path: &str) -> Path {
        let mut names = Path::default();
        path.split('/').for_each(|name| names.push(name));
        names
    }

    fn try_matches(pattern: &str, on: &str) -> Result<bool, Failure> {
        let mut compiler = Compiler::default();
        let pattern = compiler.pattern(pattern)?;
        compiler.matches(&pattern, &path(on))
    }

    fn matches(pattern: &str, path: &str) -> bool {
        try_matches(pattern, path).unwrap()
    }

    fn excludes(pattern: &str, on: &str) -> bool {
        let mut compiler = Compiler::default();
        let pattern = compiler.exclusion(pattern).unwrap();
        compiler.matches(&pattern, &path(on)).unwrap()
    }

    /// Reports whether one of the three patterns that an exclusion stands for matches.
    fn excludes_thrice(pattern: &str, path: &str) -> bool {
        let mut patterns = vec![pattern.to_owned()];
        if !pattern.contains('*') {
            patterns.push(format!("**/{pattern}"));
            patterns.push(format!("**/{pattern}/**"));
        }
        patterns.iter().any(|pattern| matches(pattern, path))
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
        let compiled = |length| Compiler::default().pattern(&"é".repeat(length));
        assert!(compiled(MAX_PATTERN).is_ok());
        assert!(compiled(MAX_PATTERN + 1).is_err());
        let excluded = |length| Compiler::default().exclusion(&"é".repeat(length));
        assert!(excluded(MAX_PATTERN - 6).is_ok());
        assert!(excluded(MAX_PATTERN - 5).is_err());
    }

    /// The longest possible patterns of each malformed or redundant kind are processed quickly. With an algorithm that
    /// is quadratic in their length, this test would run for hours.
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
            "{1..1}",
            "*(a*(b*(c)))",
        ] {
            let pattern = piece.repeat(MAX_PATTERN / piece.len());
            // Patterns that would take too long are refused.
            let _ = try_matches(&pattern, "a/b/c");
            let _ = try_matches(&pattern, &"a".repeat(255));
            let _ = try_matches(&pattern, &"abc".repeat(85));
        }
        let many = format!("{{{}}}", "a,".repeat(400));
        assert!(try_matches(&format!("{many}{}", "[".repeat(60_000)), "a").is_err());
    }

    #[test]
    fn patterns_that_backtracking_takes_for_ever_to_match() {
        let name = "a".repeat(255);
        assert!(!matches(&format!("{}b", "*a".repeat(120)), &name));
        assert!(!matches(&format!("{}b", "*(a)".repeat(60)), &name));
        assert!(!matches(&format!("{}b", "*(*(*(a)))".repeat(20)), &name));
        let deep = vec!["a"; 127].join("/");
        assert!(!matches(&format!("{}b", "**/a/".repeat(60)), &deep));
        assert!(matches(&format!("{}a", "**/a/".repeat(60)), &deep));
        // A pattern that takes many steps for each name is refused for a large number of names.
        let runs = ["a", "b", "c"].map(|it| it.repeat(85)).concat();
        let mut compiler = Compiler::default();
        let groups = compiler.pattern(&"*(a*(b*(c)))".repeat(5_000)).unwrap();
        let mut outcomes = (0..1_000).map(|_| compiler.matches(&groups, &path(&runs)));
        assert!(outcomes.any(|outcome| outcome.is_err()));
    }

    proptest! {
        #[test]
        fn any_pattern_is_taken(pattern in "[!#\\\\*?+@(){},|\\[\\]:./a-cé😀^-]{0,24}", path in "[a-cé😀.]{1,4}(/[a-c.]{1,3}){0,3}") {
            matches(&pattern, &path);
        }

        #[test]
        fn exclusions_mean_three_patterns(pattern in "[!#\\\\?+@(){},|\\[\\]./a-c^-]{0,12}", path in "[a-c.!#]{1,3}(/[a-c.!]{1,2}){0,3}") {
            prop_assert_eq!(excludes(&pattern, &path), excludes_thrice(&pattern, &path), "{}", pattern);
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
