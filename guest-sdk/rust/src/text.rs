//! Conditions on text and its lines.

use jiff::civil::Date;
use rust_decimal::Decimal;

use crate::condition::{show, show_difference};
use crate::{Condition, Csv, Document, Found, Table, dates, numbers};

impl Found<String> {
    /// Checks that the text equals `expected`, byte for byte.
    ///
    /// The detail shows the first line that differs. A missing or extra newline at the end, CRLF
    /// and a byte order mark are described in words.
    pub fn equals(&self, expected: &str) -> Condition {
        self.satisfies(|found| compare(expected, found))
    }

    /// Checks that the text equals `expected` after white space around it is removed.
    pub fn trimmed_equals(&self, expected: &str) -> Condition {
        self.satisfies(|found| compare(expected, found.trim()))
    }

    /// Checks that the text contains `part`.
    pub fn contains(&self, part: &str) -> Condition {
        self.satisfies(|text| {
            if text.contains(part) {
                Condition::pass(format!("contains {}", show(part)))
            } else {
                Condition::fail(format!("expected {} in it, found no such text", show(part)))
            }
        })
    }

    /// Checks that the text does not contain `part`.
    pub fn lacks(&self, part: &str) -> Condition {
        self.satisfies(|text| match text.find(part) {
            None => Condition::pass(format!("does not contain {}", show(part))),
            Some(at) => Condition::fail(format!(
                "expected no {}, found it in line {}",
                show(part),
                text[..at].matches('\n').count() + 1
            )),
        })
    }

    /// Checks that one of the lines equals `line`. A CR at the end of a line is ignored.
    pub fn contains_line(&self, line: &str) -> Condition {
        self.satisfies(|text| {
            if text.lines().any(|found| found == line) {
                Condition::pass(format!("has the line {}", show(line)))
            } else {
                Condition::fail(format!(
                    "expected the line {}, found no such line",
                    show(line)
                ))
            }
        })
    }

    /// Checks that the text ends with exactly one LF.
    pub fn ends_with_one_newline(&self) -> Condition {
        self.satisfies(
            |text| match text.len() - text.trim_end_matches('\n').len() {
                1 => Condition::pass("one newline at the end"),
                count => Condition::fail(format!("expected one newline at the end, found {count}")),
            },
        )
    }

    /// Checks that the text has no CR and does not begin with a byte order mark.
    pub fn is_plain(&self) -> Condition {
        self.satisfies(|text| {
            if text.starts_with('\u{feff}') {
                Condition::fail("expected no byte order mark, found one")
            } else if let Some(at) = text.find('\r') {
                let line = text[..at].matches('\n').count() + 1;
                Condition::fail(format!(
                    "expected LF line ends only, found a CR in line {line}"
                ))
            } else {
                Condition::pass("LF line ends and no byte order mark")
            }
        })
    }

    /// Returns line `number`, from 1, without its LF.
    pub fn line(&self, number: usize) -> Found<String> {
        self.part(&format!("line {number}"), |text| {
            let lines = split_lines(text);
            let index = number.checked_sub(1).ok_or("lines count from 1")?;
            lines
                .get(index)
                .map(|line| (*line).to_owned())
                .ok_or(format!("there are only {} lines", lines.len()))
        })
    }

    /// Returns all lines without their LF. A newline at the end does not start another line; a CR
    /// is kept.
    pub fn lines(&self) -> Found<Vec<String>> {
        self.map(|text| split_lines(text).into_iter().map(str::to_owned).collect())
    }

    /// Reads the text as a CSV table.
    pub fn csv(&self, format: &Csv) -> Found<Table> {
        self.try_map(|text| format.read(text.as_str()))
    }

    /// Parses the text as JSON.
    pub fn json(&self) -> Found<serde_json::Value> {
        self.try_map(|text| {
            serde_json::from_str(text)
                .map_err(|error| format!("expected JSON, found an error: {error}"))
        })
    }

    /// Parses the text as Markdown.
    pub fn markdown(&self) -> Found<Document> {
        self.map(|text| Document::parse(text))
    }

    /// Parses the text as a number; see [`numbers::parse`].
    pub fn number(&self) -> Found<Decimal> {
        self.try_map(|text| numbers::parse(text))
    }

    /// Parses the text as a date in one of these formats; see [`dates::parse`].
    pub fn date(&self, formats: &[&str]) -> Found<Date> {
        self.try_map(|text| dates::parse(text, formats))
    }
}

/// Splits a text into lines without their LF. A final LF does not start another line.
fn split_lines(text: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = text.split('\n').collect();
    if lines.last() == Some(&"") {
        lines.pop();
    }
    lines
}

/// Compares two texts byte by byte.
pub(crate) fn compare(expected: &str, found: &str) -> Condition {
    if expected == found {
        return Condition::pass(format!("{} bytes of text, as expected", found.len()));
    }
    if found.starts_with('\u{feff}') && !expected.starts_with('\u{feff}') {
        return Condition::fail("expected no byte order mark, found one at the start");
    }
    if found.replace("\r\n", "\n") == expected {
        return Condition::fail("expected LF line ends, found CRLF");
    }
    let (mut left, mut right) = (expected.split('\n'), found.split('\n'));
    let mut number = 0;
    loop {
        number += 1;
        match (left.next(), right.next()) {
            (Some(a), Some(b)) if a == b => {}
            (Some(a), Some(b)) => {
                let (a, b) = show_difference(a, b);
                let is_one_line = !expected.contains('\n') && !found.contains('\n');
                let line = if is_one_line {
                    String::new()
                } else {
                    format!("line {number}: ")
                };
                return Condition::fail(format!("{line}expected {a}, found {b}"));
            }
            (Some(""), None) => {
                return Condition::fail("expected a newline at the end, found none");
            }
            (None, Some("")) => {
                return Condition::fail(format!(
                    "expected the text to end with line {}, found a further newline",
                    number - 1
                ));
            }
            (Some(a), None) => {
                return Condition::fail(format!(
                    "line {number}: expected {}, found the end of the text",
                    show(a)
                ));
            }
            (None, Some(b)) => {
                return Condition::fail(format!(
                    "line {number}: expected the end of the text, found {}",
                    show(b)
                ));
            }
            (None, None) => unreachable!("the texts differ"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(content: &str) -> Found<String> {
        Found::new("a.txt", Ok(content.to_owned()))
    }

    #[test]
    fn differences_are_told_by_line() {
        let cases = [
            ("a\nb\n", "a\nc\n", r#"line 2: expected "b", found "c""#),
            (
                "a\nb\n",
                "a\nb",
                "expected a newline at the end, found none",
            ),
            (
                "a\nb",
                "a\nb\n",
                "expected the text to end with line 2, found a further newline",
            ),
            ("a\nb\n", "a\r\nb\r\n", "expected LF line ends, found CRLF"),
            (
                "a\n",
                "\u{feff}a\n",
                "expected no byte order mark, found one at the start",
            ),
            ("a\nb\n", "a\n", r#"line 2: expected "b", found """#),
            (
                "a\nb",
                "a",
                r#"line 2: expected "b", found the end of the text"#,
            ),
            (
                "a",
                "a\nb",
                r#"line 2: expected the end of the text, found "b""#,
            ),
            ("", "a", r#"expected "", found "a""#),
        ];
        for (expected, found, detail) in cases {
            let condition = text(found).equals(expected);
            assert!(!condition.passed(), "{expected:?} {found:?}");
            assert_eq!(condition.detail(), format!("a.txt: {detail}"));
        }
        assert!(text("a\r\n").equals("a\r\n").passed());
    }

    #[test]
    fn lines_count_from_one_and_end_at_the_last_newline() {
        assert!(text("a\nb\n").line(2).equals("b").passed());
        assert_eq!(
            text("a\nb\n").line(3).exists().detail(),
            "line 3 of a.txt: there are only 2 lines"
        );
        assert_eq!(
            text("a\n").line(0).exists().detail(),
            "line 0 of a.txt: lines count from 1"
        );
        assert!(text("").lines().count_is(0).passed());
        assert!(text("\n").lines().count_is(1).passed());
    }

    #[test]
    fn parts_of_text() {
        let found = text("one\ntwo\nthree\n");
        assert!(found.contains("two").passed());
        assert!(!found.contains_line("thre").passed());
        assert_eq!(
            found.lacks("three").detail(),
            r#"a.txt: expected no "three", found it in line 3"#
        );
        assert_eq!(
            found.ends_with_one_newline(),
            Condition::pass("a.txt: one newline at the end")
        );
        assert_eq!(
            text("a\n\n").ends_with_one_newline(),
            Condition::fail("a.txt: expected one newline at the end, found 2")
        );
        assert_eq!(
            text("a\nb\r\n").is_plain().detail(),
            "a.txt: expected LF line ends only, found a CR in line 2"
        );
    }

    proptest::proptest! {
        #[test]
        fn equality_is_exactly_that_of_the_bytes(a in "[ab\r\n\u{feff}]{0,6}", b in "[ab\r\n\u{feff}]{0,6}") {
            proptest::prop_assert_eq!(text(&b).equals(&a).passed(), a == b);
        }
    }
}
