//! Glob patterns of branches and paths in workflow files.

/// Returns true if a pattern matches a whole name. `*` matches any characters except `/`, and `**` any characters. `?`
/// makes the preceding character optional, and `+` matches it one or more times. Brackets and backslashes have no
/// special meaning here, unlike on GitHub.
pub(super) fn matches(pattern: &str, name: &str) -> bool {
    let pattern: Vec<char> = pattern.chars().collect();
    let name: Vec<char> = name.chars().collect();
    // Positions in the name that the pattern can have reached. A single pass over the pattern without backtracking
    // bounds the time.
    let mut at = vec![false; name.len() + 1];
    at[0] = true;
    let mut place = 0;
    while place < pattern.len() {
        let c = pattern[place];
        let next = pattern.get(place + 1).copied();
        let mut after = vec![false; name.len() + 1];
        if c == '*' {
            let any = next == Some('*');
            place += if any { 2 } else { 1 };
            let mut reached = false;
            for (index, slot) in after.iter_mut().enumerate() {
                let crosses = index > 0 && (any || name[index - 1] != '/');
                reached = at[index] || (reached && crosses);
                *slot = reached;
            }
        } else {
            let optional = next == Some('?');
            let repeated = next == Some('+');
            place += if optional || repeated { 2 } else { 1 };
            for index in 0..name.len() {
                if name[index] == c && (at[index] || (repeated && after[index])) {
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
const MOST_STEPS: usize = 20_000_000;

/// Remaining steps for patterns.
pub(super) struct Steps(usize);

impl Default for Steps {
    fn default() -> Self {
        Self(MOST_STEPS)
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
        assert_eq!(taken, MOST_STEPS / cost);
        assert_eq!(steps.0, 0);
    }
}
