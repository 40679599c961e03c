//! The order of names.

use std::cmp::Ordering;

/// Compares two names.
pub(crate) fn compare(a: &str, b: &str) -> Ordering {
    a.cmp(b)
}
