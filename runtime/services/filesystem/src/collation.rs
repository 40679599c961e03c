//! Locale-aware order of names, as in the published server.

use icu_collator::CollatorBorrowed;
use icu_collator::options::CollatorOptions;

use crate::failure::Failure;

/// Returns a collator with the root collation of the Unicode collation algorithm, without a preferred language.
pub(crate) fn collator() -> Result<CollatorBorrowed<'static>, Failure> {
    CollatorBorrowed::try_new(Default::default(), CollatorOptions::default())
        .map_err(|error| Failure::Host(format!("cannot compare names: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_of_names() {
        let collator = collator().unwrap();
        let sorted = [
            "_u", "-d", ".hidden", "1", "10", "2", "a", "a b", "a_b", "a-b", "a.b", "A.c", "ab",
            "aB", "Ab", "AB", "äb", "b", "B", "é", "f", "z", "日",
        ];
        for pair in sorted.windows(2) {
            assert!(collator.compare(pair[0], pair[1]).is_lt(), "{pair:?}");
        }
        // Names that compare as equal keep the order of their bytes.
        assert!(collator.compare("a\u{1}b", "ab").is_eq());
    }
}
