//! Conditions on lists of values: order, sets, counts.

use std::collections::BTreeMap;
use std::fmt::Debug;

use crate::condition::{cut, show};
use crate::{Condition, Found};

impl<T: Debug> Found<Vec<T>> {
    /// Checks that there are exactly `expected` values.
    pub fn count_is(&self, expected: usize) -> Condition {
        self.satisfies(|found| count(expected, found.len()))
    }

    /// Checks that the values equal `expected`, in this order. The detail shows the first
    /// difference.
    pub fn equal<U: Debug + PartialEq<T>>(&self, expected: impl AsRef<[U]>) -> Condition {
        self.satisfies(|found| in_order("item", expected.as_ref(), found))
    }
}

impl<T: Debug + Ord> Found<Vec<T>> {
    /// Checks that the values equal `expected` in any order, each with the same count. The detail
    /// shows missing and extra values.
    pub fn equal_in_any_order<U: Debug + Clone + Into<T>>(
        &self,
        expected: impl IntoIterator<Item = U>,
    ) -> Condition {
        let expected: Vec<T> = expected.into_iter().map(Into::into).collect();
        self.satisfies(|found| in_any_order(&expected, found))
    }

    /// Checks that no value occurs twice.
    pub fn are_unique(&self) -> Condition {
        self.satisfies(|found| {
            let mut sorted: Vec<&T> = found.iter().collect();
            sorted.sort();
            match sorted.windows(2).find(|pair| pair[0] == pair[1]) {
                Some(pair) => {
                    Condition::fail(format!("expected each once, found {} twice", show(pair[0])))
                }
                None => Condition::pass(format!("{} different values", found.len())),
            }
        })
    }

    /// Checks that the values are in ascending order. Equal neighbours are allowed.
    pub fn ascend(&self) -> Condition {
        self.satisfies(
            |found| match found.windows(2).position(|pair| pair[0] > pair[1]) {
                Some(at) => Condition::fail(format!(
                    "expected ascending order, found {} after {} at item {}",
                    show(&found[at + 1]),
                    show(&found[at]),
                    at + 2
                )),
                None => Condition::pass(format!("{} values in ascending order", found.len())),
            },
        )
    }
}

pub(crate) fn count(expected: usize, found: usize) -> Condition {
    if expected == found {
        Condition::pass(format!("{found}, as expected"))
    } else {
        Condition::fail(format!("expected {expected}, found {found}"))
    }
}

/// Compares two lists by position; `noun` names one element.
pub(crate) fn in_order<T: Debug, U: Debug + PartialEq<T>>(
    noun: &str,
    expected: &[U],
    found: &[T],
) -> Condition {
    for (index, (a, b)) in expected.iter().zip(found).enumerate() {
        if a != b {
            return Condition::fail(format!(
                "{noun} {}: expected {}, found {}",
                index + 1,
                show(a),
                show(b)
            ));
        }
    }
    let shared = expected.len().min(found.len());
    match (expected.get(shared), found.get(shared)) {
        (Some(a), _) => Condition::fail(format!(
            "expected {} of them, found {}; first missing: {}",
            expected.len(),
            found.len(),
            show(a)
        )),
        (_, Some(b)) => Condition::fail(format!(
            "expected {} of them, found {}; first extra: {}",
            expected.len(),
            found.len(),
            show(b)
        )),
        (None, None) => Condition::pass(format!("{} in the expected order", found.len())),
    }
}

/// Compares two lists as multisets.
pub(crate) fn in_any_order<T: Debug + Ord>(expected: &[T], found: &[T]) -> Condition {
    let mut counts: BTreeMap<&T, i64> = BTreeMap::new();
    for value in expected {
        *counts.entry(value).or_default() += 1;
    }
    for value in found {
        *counts.entry(value).or_default() -= 1;
    }
    let list = |wanted: fn(i64) -> bool| {
        let values: Vec<String> = counts
            .iter()
            .filter(|(_, n)| wanted(**n))
            .map(|(value, _)| show(value))
            .collect();
        (values.len(), cut(&values.join(", "), 120))
    };
    let (missing, missing_shown) = list(|n| n > 0);
    let (extra, extra_shown) = list(|n| n < 0);
    match (missing, extra) {
        (0, 0) => Condition::pass(format!("all {} found", found.len())),
        (_, 0) => Condition::fail(format!("expected {missing} more: {missing_shown}")),
        (0, _) => Condition::fail(format!(
            "found {extra} that were not expected: {extra_shown}"
        )),
        _ => Condition::fail(format!(
            "expected {missing} more: {missing_shown}; found {extra} that were not expected: {extra_shown}"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(values: &[&str]) -> Found<Vec<String>> {
        Found::new(
            "names",
            Ok(values.iter().map(|value| (*value).to_owned()).collect()),
        )
    }

    #[test]
    fn order_matters_where_it_is_asked_for() {
        let found = list(&["a", "c", "b"]);
        assert_eq!(
            found.equal(["a", "b", "c"]).detail(),
            r#"names: item 2: expected "b", found "c""#
        );
        assert!(found.equal_in_any_order(["a", "b", "c"]).passed());
        assert_eq!(
            found.ascend().detail(),
            r#"names: expected ascending order, found "b" after "c" at item 3"#
        );
    }

    #[test]
    fn missing_and_extra_values_are_named() {
        let found = list(&["a", "b", "b"]);
        assert_eq!(
            found.equal_in_any_order(["a", "b", "c"]).detail(),
            r#"names: expected 1 more: "c"; found 1 that were not expected: "b""#
        );
        assert_eq!(
            found.equal(["a", "b"]).detail(),
            r#"names: expected 2 of them, found 3; first extra: "b""#
        );
        assert_eq!(
            found.equal(["a", "b", "b", "d"]).detail(),
            r#"names: expected 4 of them, found 3; first missing: "d""#
        );
        assert!(!found.are_unique().passed());
        assert!(!found.count_is(2).passed());
    }

    proptest::proptest! {
        #[test]
        fn bags_compare_as_sorted_lists(mut a in proptest::collection::vec(0u8..4, 0..6), mut b in proptest::collection::vec(0u8..4, 0..6)) {
            let condition = in_any_order(&a, &b);
            a.sort();
            b.sort();
            proptest::prop_assert_eq!(condition.passed(), a == b);
        }
    }
}
