//! The order of names where the real server compares them by language.
//!
//! Names of ASCII characters are ordered as the Unicode collation algorithm orders them. Any
//! other character comes after these, in the order of code points.

use std::cmp::Ordering;

/// ASCII characters from first to last; a letter stands for both its cases.
const ORDER: &str = "\t\n\u{b}\u{c}\r _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$0123456789\
                     abcdefghijklmnopqrstuvwxyz";

/// Compares two names: by their letters, and where these are equal, lower case first.
pub(crate) fn compare(a: &str, b: &str) -> Ordering {
    let weights = a.chars().filter_map(weight);
    weights
        .cmp(b.chars().filter_map(weight))
        .then_with(|| cases(a).cmp(cases(b)))
        .then_with(|| a.cmp(b))
}

/// None for control characters, which do not count.
fn weight(c: char) -> Option<u32> {
    if !c.is_ascii() {
        return Some(c.into());
    }
    let place = ORDER.find(c.to_ascii_lowercase())?;
    u32::try_from(place).ok()
}

fn cases(name: &str) -> impl Iterator<Item = bool> {
    let counted = name.chars().filter(|c| weight(*c).is_some());
    counted.map(|c| c.is_ascii_uppercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_of_names() {
        let sorted = [
            "_u", "-d", ".hidden", "1", "10", "2", "a", "a b", "a_b", "a-b", "a.b", "A.c", "ab",
            "aB", "Ab", "AB", "b", "B", "z", "é", "日",
        ];
        for pair in sorted.windows(2) {
            assert_eq!(compare(pair[0], pair[1]), Ordering::Less, "{pair:?}");
            assert_eq!(compare(pair[1], pair[0]), Ordering::Greater, "{pair:?}");
        }
        assert_eq!(compare("a\u{1}b", "ab"), "a\u{1}b".cmp("ab"));
    }
}
