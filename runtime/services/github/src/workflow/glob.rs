//! Glob patterns of branches and paths in workflow files.

/// Part of a pattern that matches one character.
enum Single<'a> {
    Char(char),
    /// Characters and ranges in brackets, such as `a-z_`.
    OneOf(&'a [char]),
}

impl<'a> Single<'a> {
    /// Reads the first part of a pattern, which must not be empty, and returns it with its length. Brackets that are
    /// empty or not closed, and a backslash at the end, stand for themselves. `has_end` must be true if the pattern
    /// contains a closing bracket. It saves a search that would make the time quadratic.
    fn read(pattern: &'a [char], has_end: bool) -> (Self, usize) {
        match pattern {
            ['\\', c, ..] => return (Self::Char(*c), 2),
            ['[', inside @ ..] if has_end => {
                let end = inside.iter().position(|c| *c == ']');
                if let Some(length) = end.filter(|length| *length > 0) {
                    return (Self::OneOf(&inside[..length]), length + 2);
                }
            }
            _ => {}
        }
        (Self::Char(pattern[0]), 1)
    }

    fn matches(&self, c: char) -> bool {
        let mut all = match self {
            Self::Char(own) => return *own == c,
            Self::OneOf(all) => *all,
        };
        while let [first, rest @ ..] = all {
            let (last, rest) = match rest {
                ['-', last, rest @ ..] => (last, rest),
                _ => (first, rest),
            };
            if (*first..=*last).contains(&c) {
                return true;
            }
            all = rest;
        }
        false
    }
}

/// Returns true if a pattern matches a whole name. `*` matches any characters except `/`, and `**` any characters;
/// `**/` at the beginning of a component also matches nothing. Brackets match one of the characters and ranges in them.
/// `?` makes the preceding character optional, and `+` matches it one or more times. A backslash takes the special
/// meaning from the next character.
pub(super) fn matches(pattern: &str, name: &str) -> bool {
    let pattern: Vec<char> = pattern.chars().collect();
    let name: Vec<char> = name.chars().collect();
    // Positions in the name that the pattern can have reached. A single pass over the pattern without backtracking
    // bounds the time.
    let mut at = vec![false; name.len() + 1];
    at[0] = true;
    let last_bracket = pattern.iter().rposition(|c| *c == ']');
    let mut place = 0;
    while place < pattern.len() {
        let mut after = vec![false; name.len() + 1];
        if pattern[place] == '*' {
            let any = pattern.get(place + 1) == Some(&'*');
            let begins = place == 0 || pattern[place - 1] == '/';
            let directories = any && begins && pattern.get(place + 2) == Some(&'/');
            place += 1 + usize::from(any) + usize::from(directories);
            let mut reached = false;
            for (index, slot) in after.iter_mut().enumerate() {
                let before = index.checked_sub(1).map(|before| name[before]);
                if directories {
                    *slot = at[index] || (reached && before == Some('/'));
                    reached |= at[index];
                } else {
                    let crosses = before.is_some_and(|before| any || before != '/');
                    reached = at[index] || (reached && crosses);
                    *slot = reached;
                }
            }
        } else {
            let has_end = last_bracket.is_some_and(|last| last > place);
            let (single, length) = Single::read(&pattern[place..], has_end);
            place += length;
            let optional = pattern.get(place) == Some(&'?');
            let repeated = pattern.get(place) == Some(&'+');
            place += usize::from(optional || repeated);
            for index in 0..name.len() {
                if (at[index] || (repeated && after[index])) && single.matches(name[index]) {
                    after[index + 1] = true;
                }
            }
            if optional {
                for (slot, was) in after.iter_mut().zip(&at) {
                    *slot |= was;
                }
            }
        }
        at = after;
    }
    at[name.len()]
}

/// Maximum number of steps of the patterns of one workflow on one event. Matching takes about one step for each pair of
/// a character of the pattern and a character of the name.
const MAX_STEPS: usize = 20_000_000;

/// Remaining steps for patterns.
pub(super) struct Steps(usize);

impl Default for Steps {
    fn default() -> Self {
        Self(MAX_STEPS)
    }
}

/// Returns true if a list of patterns includes a name. The last matching pattern decides, and a pattern that begins
/// with `!` excludes. Patterns that exceed the remaining steps match nothing.
pub(super) fn takes(patterns: &[String], name: &str, steps: &mut Steps) -> bool {
    let mut taken = false;
    for pattern in patterns {
        let cost = (pattern.len() + 1) * (name.len() + 1);
        let Some(left) = steps.0.checked_sub(cost) else {
            steps.0 = 0;
            break;
        };
        steps.0 = left;
        match pattern.strip_prefix('!') {
            Some(pattern) => taken &= !matches(pattern, name),
            None => taken |= matches(pattern, name),
        }
    }
    taken
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_as_on_github() {
        for (pattern, name, expected) in [
            ("main", "main", true),
            ("main", "mainly", false),
            ("feature/*", "feature/a", true),
            ("feature/*", "feature/a/b", false),
            ("feature/**", "feature/a/b", true),
            ("*", "a/b", false),
            ("**", "a/b", true),
            ("**.md", "docs/a.md", true),
            ("*.jsx?", "page.js", true),
            ("*.jsx?", "page.jsx", true),
            ("v+1", "vvv1", true),
            ("v+1", "1", false),
            ("", "", true),
            ("releases/**-alpha", "releases/10/x-alpha", true),
            ("v[12].[0-9]+.[0-9]+", "v1.10.1", true),
            ("v[12].[0-9]+.[0-9]+", "v3.10.1", false),
            ("v[0-9]+", "v12", true),
            ("v[0-9]+", "vx", false),
            ("[CB]at", "Bat", true),
            ("[CB]at", "at", false),
            ("v[0-9]?", "v", true),
            ("[a-]b", "-b", true),
            ("a\\*", "a*", true),
            ("a\\*", "ab", false),
            ("a\\[b]", "a[b]", true),
            ("a\\++", "a++", true),
            ("[", "[", true),
            ("[]", "[]", true),
            ("[[]a", "[a", true),
            ("a\\", "a\\", true),
            ("**/README.md", "README.md", true),
            ("**/README.md", "js/lib/README.md", true),
            ("**/README.md", "js/OLDREADME.md", false),
            ("docs/**/*.md", "docs/a.md", true),
            ("docs/**/*.md", "docs/a/b.md", true),
            ("docs/**/*.md", "docsa.md", false),
            ("**/docs/**", "docs/hello.md", true),
            ("**/docs/**", "a/docs/b/c", true),
            ("**/docs/**", "mydocs/a", false),
        ] {
            assert_eq!(matches(pattern, name), expected, "{pattern} {name}");
        }
    }

    #[test]
    fn the_last_pattern_decides() {
        let patterns = |all: &[&str]| all.iter().map(ToString::to_string).collect::<Vec<_>>();
        let takes = |patterns: &[String], name| takes(patterns, name, &mut Steps::default());
        assert!(takes(
            &patterns(&["release/**", "!release/**-draft"]),
            "release/1"
        ));
        assert!(!takes(
            &patterns(&["release/**", "!release/**-draft"]),
            "release/1-draft"
        ));
        assert!(takes(&patterns(&["a*", "!ab", "ab"]), "ab"));
        assert!(!takes(&[], "main"));
    }

    #[test]
    fn patterns_cost_a_bounded_number_of_steps() {
        let mut steps = Steps::default();
        let patterns = vec!["*a".repeat(500), "b*".to_owned()];
        let name = "b".repeat(999);
        let cost = 1_001 * 1_000 + 3 * 1_000;
        let mut taken = 0;
        while takes(&patterns, &name, &mut steps) {
            taken += 1;
        }
        assert_eq!(taken, MAX_STEPS / cost);
        assert_eq!(steps.0, 0);
    }
}
