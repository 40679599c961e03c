//! Result of one comparison, with a detail that explains it.

use std::fmt::{Debug, Display};

/// Maximum length of a quoted value in a detail, in characters.
const SHOWN: usize = 120;

/// Result of a comparison, with the expected and the found value as a detail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    passed: bool,
    detail: String,
}

impl Condition {
    /// Creates a condition that passes.
    pub fn pass(detail: impl Into<String>) -> Self {
        Self {
            passed: true,
            detail: detail.into(),
        }
    }

    /// Creates a condition that fails.
    pub fn fail(detail: impl Into<String>) -> Self {
        Self {
            passed: false,
            detail: detail.into(),
        }
    }

    /// Compares two values and shows both in the detail, cut to a readable length.
    pub fn equal<T: PartialEq<U> + Debug, U: Debug>(expected: &T, found: &U) -> Self {
        if expected == found {
            Self::pass(format!("found {}, as expected", show(found)))
        } else {
            Self::fail(format!(
                "expected {}, found {}",
                show(expected),
                show(found)
            ))
        }
    }

    /// Creates a condition that passes if `holds` is true, and otherwise fails with `otherwise` as
    /// its detail. The detail should state the expected and the found value.
    pub fn when(holds: bool, otherwise: impl Into<String>) -> Self {
        if holds {
            Self::pass("as expected")
        } else {
            Self::fail(otherwise)
        }
    }

    /// Combines conditions: passes if all of them pass. The detail is that of the first failure, or
    /// all details joined if there is none.
    pub fn all(conditions: impl IntoIterator<Item = Condition>) -> Self {
        let mut details = Vec::new();
        for condition in conditions {
            if !condition.passed {
                return condition;
            }
            details.push(condition.detail);
        }
        details.dedup();
        Self::pass(cut(&details.join("; "), 2 * SHOWN))
    }

    /// Combines two conditions: passes if both pass.
    #[must_use]
    pub fn and(self, other: impl Into<Condition>) -> Self {
        Self::all([self, other.into()])
    }

    /// Returns true if the condition passed.
    pub fn passed(&self) -> bool {
        self.passed
    }

    /// Returns the detail: the expected and the found value.
    pub fn detail(&self) -> &str {
        &self.detail
    }

    /// Puts the place of the compared value in front of the detail.
    #[must_use]
    pub fn at(mut self, place: impl Display) -> Self {
        self.detail = format!("{place}: {}", self.detail);
        self
    }
}

/// Conversion of a result: `Ok` passes, `Err` fails with its text as the detail.
impl<E: Display> From<Result<(), E>> for Condition {
    fn from(result: Result<(), E>) -> Self {
        match result {
            Ok(()) => Self::pass("as expected"),
            Err(reason) => Self::fail(reason.to_string()),
        }
    }
}

/// Formats a value with `Debug` and cuts off the end of a long result.
pub(crate) fn show(value: &(impl Debug + ?Sized)) -> String {
    cut(&format!("{value:?}"), SHOWN)
}

/// Cuts a text to at most `limit` characters and appends the number of characters left out.
pub(crate) fn cut(text: &str, limit: usize) -> String {
    let Some((end, _)) = text.char_indices().nth(limit) else {
        return text.to_owned();
    };
    let more = text[end..].chars().count();
    format!("{}… ({more} more characters)", &text[..end])
}

/// Quotes two texts, beginning shortly before their first difference.
pub(crate) fn show_difference(expected: &str, found: &str) -> (String, String) {
    const BEFORE: usize = 30;
    let common = expected
        .chars()
        .zip(found.chars())
        .take_while(|(a, b)| a == b)
        .count();
    if common <= BEFORE || expected.chars().count().max(found.chars().count()) <= SHOWN {
        return (show(expected), show(found));
    }
    let from = |text: &str| {
        let rest: String = text.chars().skip(common - BEFORE).collect();
        format!("…{}", show(&rest))
    };
    (from(expected), from(found))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_shows_both_sides() {
        let condition = Condition::equal(&3, &4);
        assert!(!condition.passed());
        assert_eq!(condition.detail(), "expected 3, found 4");
        assert!(Condition::equal(&3, &3).passed());
    }

    #[test]
    fn what_holds_does_not_read_like_a_failure() {
        let found = |n: i32| Condition::when(n == 1, format!("expected 1, found {n}"));
        assert_eq!(found(1), Condition::pass("as expected"));
        assert_eq!(found(2), Condition::fail("expected 1, found 2"));
    }

    #[test]
    fn all_stops_at_the_first_failure() {
        let condition = Condition::pass("a")
            .and(Condition::fail("b"))
            .and(Condition::fail("c"));
        assert_eq!((condition.passed(), condition.detail()), (false, "b"));
    }

    #[test]
    fn long_values_are_cut_and_counted() {
        let text = "é".repeat(400);
        assert_eq!(
            cut(&text, 300),
            format!("{}… (100 more characters)", "é".repeat(300))
        );
        assert_eq!(cut("short", 5), "short");
    }

    #[test]
    fn a_late_difference_is_shown_with_what_stands_before_it() {
        let head = "x".repeat(500);
        let (expected, found) = show_difference(&format!("{head}1"), &format!("{head}2"));
        assert_eq!(expected, format!("…\"{}1\"", "x".repeat(30)));
        assert_eq!(found, format!("…\"{}2\"", "x".repeat(30)));
    }
}
