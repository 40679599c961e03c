//! Tests of the comparators: usual cases here, properties by format.

mod csv;
#[cfg(all(feature = "toml", feature = "yaml"))]
mod data;
mod markdown;
mod text;

use super::Expected;
use crate::content;
use crate::testing::{MemoryTree, verify};
use crate::{Condition, Found};

/// Choices of a serialiser, derived from a seed.
struct Style(u64);

impl Style {
    fn pick<'a, T: ?Sized>(&mut self, choices: &[&'a T]) -> &'a T {
        choices[self.below(choices.len())]
    }

    fn below(&mut self, count: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % count
    }

    fn coin(&mut self) -> bool {
        self.below(2) == 0
    }

    fn shuffle<T>(&mut self, items: &mut [T]) {
        for at in (1..items.len()).rev() {
            items.swap(at, self.below(at + 1));
        }
    }

    /// Adds what every comparator accepts: a byte order mark, CRLF, and line ends at the end.
    fn dress(&mut self, text: &str) -> String {
        let mut text = text.trim_end_matches('\n').to_owned();
        text.push_str(self.pick(&["", "\n", "\n\n"]));
        if self.coin() {
            text = text.replace('\n', "\r\n");
        }
        if self.coin() {
            text.insert(0, '\u{feff}');
        }
        text
    }
}

#[track_caller]
fn passes(expected: impl Expected, found: &str) {
    let condition = expected.compare(found);
    assert!(condition.passed(), "{}\n{found}", condition.detail());
}

#[track_caller]
fn fails(expected: impl Expected, found: &str, detail: &str) {
    let condition = expected.compare(found);
    assert_eq!(condition, Condition::fail(detail), "{found}");
}

#[test]
fn values_are_read_from_files_lines_and_cells() {
    let end = MemoryTree::from([("a.csv", "id,fee,due\n7,12.5,1 March 2025\n")]);
    let checks = verify(
        |task| {
            let file = task.file("a.csv");
            let row = file.csv().row_where("id", "7");
            let fee = crate::rust_decimal::Decimal::new(1250, 2);
            let due = crate::jiff::civil::date(2025, 3, 1);
            task.check("fee", row.cell("fee").content_is(content::amount(fee)));
            task.check("due", row.cell("due").content_is(content::date(due)));
            task.check("id", row.cell("id").content_is(content::amount(8)));
            task.check("no", file.line(3).content_is(content::text("x")));
            task.check(
                "header",
                file.line(1).content_is(content::text("id,fee,due")),
            );
            task.check("none", task.file("b.csv").content_is(content::text("")));
        },
        &end,
        &end,
        None,
    );
    let details: Vec<&str> = checks.iter().map(|check| check.detail.as_str()).collect();
    assert_eq!(
        details,
        [
            r#""fee" of the row with id "7" of a.csv: 12.5, as expected"#,
            r#""due" of the row with id "7" of a.csv: 2025-03-01, as expected"#,
            r#""id" of the row with id "7" of a.csv: expected 8, found 7"#,
            "line 3 of a.csv: there are only 2 lines",
            "line 1 of a.csv: the text is as expected",
            "b.csv: there is no such file",
        ]
    );
}

#[test]
fn long_texts_are_refused_before_they_are_compared() {
    let end = MemoryTree::from([("a.txt", "x\n".repeat(200_000))]);
    let detail = "a.txt: expected at most 262148 bytes of text, found 400000";
    verify(
        |task| {
            let condition = task.file("a.txt").content_is(content::text("x"));
            assert_eq!(condition, Condition::fail(detail));
            let long = "x\n".repeat(100_000);
            assert!(!task.file("a.txt").content_is(content::text(long)).passed());
        },
        &end,
        &end,
        None,
    );
    let text = Found::new("it", Ok("x".repeat(300_000)));
    assert!(text.content_is(content::text("x".repeat(300_000))).passed());
}

#[test]
fn kept_lines_keep_their_bytes() {
    let start = "\u{feff}a \r\nb\r\nc";
    let expected = || {
        content::edited(start)
            .replace("b", "B")
            .insert_after("a ", "new")
            .append("d")
    };
    passes(expected(), "\u{feff}a \r\nnew\r\nB  \r\nc\r\nd\r\n");
    passes(expected(), "\u{feff}a \r\nnew\r\nB\r\nc\r\nd");
    fails(
        expected(),
        "a \r\nnew\r\nB\r\nc\r\nd",
        "expected the byte order mark of the start, found none",
    );
    fails(
        expected(),
        "\u{feff}a\r\nnew\r\nB\r\nc\r\nd",
        r#"line 1: expected "a " as at the start, found "a""#,
    );
    fails(
        expected(),
        "\u{feff}a \nnew\nB\nc\nd",
        "line 1: expected CRLF at its end as at the start, found LF",
    );
    fails(
        expected(),
        "\u{feff}a \r\nnew\r\nb\r\nc\r\nd",
        r#"line 3: expected "B", found "b""#,
    );
    fails(
        expected(),
        "\u{feff}a \r\nnew\r\nB\r\nc\r\nd\r\n\r\n",
        r#"line 6: expected the end of the text, found """#,
    );
    fails(
        content::edited(start).without("b"),
        "\u{feff}a \r\nc\r\n",
        "line 2: expected no line end at its end as at the start, found CRLF",
    );
    passes(content::edited("").append("a"), "a\n");
    fails(
        content::edited("a\n"),
        "",
        r#"line 1: expected "a", found the end of the text"#,
    );
}

#[test]
#[should_panic(expected = r#"expected the line "a" once in the text, found it 2 times"#)]
fn an_edit_of_an_unclear_line_panics() {
    let _ = content::edited("a\na\n").without("a");
}

#[test]
fn a_no_break_space_is_no_blank_at_the_end_of_a_new_line() {
    fails(
        content::edited("a\n").replace("a", "B"),
        "B\u{a0}\n",
        r#"line 1: expected "B", found "B\u{a0}""#,
    );
}

#[test]
#[should_panic(expected = r#"expected one new line without its end, found "b\nc""#)]
fn an_edit_of_several_lines_panics() {
    let _ = content::edited("a\n").append("b\nc");
}

/// Rows of the tables in a document: all cells, without what marks links and code.
fn rows_of_tables(text: &str, prefix: &str) -> Vec<String> {
    let lines = text.lines().filter_map(|line| line.strip_prefix(prefix));
    let rows = lines.filter(|line| line.starts_with("| ") && !line.contains("| default |"));
    rows.map(|row| row.replace("[`", "`").replace("`]", "`"))
        .collect()
}

#[test]
fn the_guide_has_the_tables_of_the_module() {
    let guide = include_str!("../../../../docs/verifiers.md");
    let (module, guide) = (
        rows_of_tables(include_str!("../content.rs"), "//! "),
        rows_of_tables(guide, ""),
    );
    assert!(module.len() > 40, "{module:?}");
    assert_eq!(module, guide);
}

proptest::proptest! {
    #[test]
    fn a_text_without_edits_equals_its_own_bytes_alone(
        start in "[ab\r\n\u{feff}]{0,8}",
        found in "[ab\r\n\u{feff}]{0,8}",
    ) {
        proptest::prop_assert!(content::edited(&start).compare(&start).passed());
        let equal = content::edited(&start).compare(&found).passed();
        proptest::prop_assert_eq!(equal, start == found);
    }
}
