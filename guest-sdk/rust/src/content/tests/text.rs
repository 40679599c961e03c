//! Plain text.

use super::{Style, fails, passes};
use crate::content::{Expected, text};

#[test]
fn invisible_ends_make_no_difference() {
    for found in [
        "Fixes #12",
        "Fixes #12\n",
        "Fixes #12 \r\n\r\n",
        "\u{feff}\nFixes #12\t",
    ] {
        passes(text("Fixes #12"), found);
        passes(text(found), "Fixes #12");
    }
    passes(text(""), "\n \n");
    fails(
        text("Fixes #12"),
        "Fixes #21",
        r##"expected "Fixes #12", found "Fixes #21""##,
    );
    fails(
        text("a b"),
        "a\u{a0}b",
        r#"expected "a b", found "a\u{a0}b""#,
    );
    fails(text("a\n\nb"), "a\nb", r#"line 2: expected "", found "b""#);
    fails(
        text("a\nb"),
        "a\n",
        r#"expected "b", found the end of the text after line 1"#,
    );
    fails(text("a"), "", r#"expected "a", found an empty text"#);
    fails(
        text("a"),
        "a\n\nb",
        r#"line 3: expected the end of the text, found "b""#,
    );
}

#[cfg(feature = "unicode")]
#[test]
fn composed_and_decomposed_characters_are_equal_on_request() {
    fails(text("é"), "e\u{301}", r#"expected "é", found "e\u{301}""#);
    passes(text("é\nx").any_composition(), "e\u{301}\nx");
    passes(text("É").any_composition().ignoring_case(), "e\u{301}");
    fails(
        text("é").any_composition(),
        "e",
        "expected \"é\", found \"e\"",
    );
}

#[test]
fn options_ignore_what_they_name() {
    passes(text("One Two").ignoring_case(), "one TWO");
    passes(text("a\nb").ignoring_blank_lines(), "a\n\n\nb");
    passes(text("a b\nc\n\nd").any_wrapping(), "a\nb   c\n\n\nd");
    fails(
        text("a b\n\nc").any_wrapping(),
        "a\nb c",
        r#"line 1: expected "a b", found "a b c""#,
    );
}

proptest::proptest! {
    #[test]
    fn dressed_texts_are_equal_and_changed_ones_are_not(
        lines in proptest::collection::vec("[a-c .]{0,6}", 1..6),
        seed: u64,
        at in 0usize..6,
    ) {
        let mut style = Style(seed);
        let expected = lines.join("\n");
        let dressed: Vec<String> = lines.iter().map(|line| format!("{line}{}", style.pick(&["", " ", "\t "]))).collect();
        let found = style.dress(&dressed.join("\n"));
        let condition = text(&*expected).compare(&found);
        proptest::prop_assert!(condition.passed(), "{} {:?}", condition.detail(), found);

        let mut changed = lines.clone();
        changed[at % lines.len()].push('x');
        let condition = text(expected).compare(&changed.join("\n"));
        proptest::prop_assert!(!condition.passed());
        proptest::prop_assert!(condition.detail().contains('x'), "{}", condition.detail());
    }

    #[test]
    fn wrapping_makes_no_difference_where_it_is_free(
        words in proptest::collection::vec("[a-c]{1,3}", 1..9),
        seed: u64,
    ) {
        let mut style = Style(seed);
        let mut found = String::new();
        for word in &words {
            found.push_str(word);
            found.push_str(style.pick(&[" ", "\n", "  ", " \n "]));
        }
        let condition = text(words.join(" ")).any_wrapping().compare(&found);
        proptest::prop_assert!(condition.passed(), "{}", condition.detail());
    }
}
