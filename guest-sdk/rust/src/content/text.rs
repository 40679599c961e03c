//! Comparison of plain text.

use std::borrow::Cow;

use super::Expected;
use crate::Condition;
use crate::condition::{show, show_difference};

/// Expected plain text; see the table in [`content`](crate::content).
#[derive(Clone, Debug)]
pub struct Text {
    expected: String,
    any_case: bool,
    any_composition: bool,
    blank_lines: BlankLines,
}

/// Blank lines inside of a text.
#[derive(Clone, Copy, Debug, PartialEq)]
enum BlankLines {
    Kept,
    Ignored,
    /// Paragraphs are compared word by word.
    Wrapped,
}

/// Expects a plain text, as people see it: blanks at the end of lines, line ends, and blank lines at both ends
/// of the text make no difference. Titles, bodies and comments of GitHub compare so.
pub fn text(expected: impl Into<String>) -> Text {
    Text {
        expected: expected.into(),
        any_case: false,
        any_composition: false,
        blank_lines: BlankLines::Kept,
    }
}

impl Text {
    /// Ignores the difference between upper and lower case.
    #[must_use]
    pub fn ignoring_case(mut self) -> Self {
        self.any_case = true;
        self
    }

    /// Accepts every canonical spelling of a character: `é` as one character, and as `e` with an accent.
    #[cfg(feature = "unicode")]
    #[must_use]
    pub fn any_composition(mut self) -> Self {
        self.any_composition = true;
        self
    }

    /// Ignores blank lines.
    #[must_use]
    pub fn ignoring_blank_lines(mut self) -> Self {
        self.blank_lines = BlankLines::Ignored;
        self
    }

    /// Ignores the wrapping of paragraphs and the number of blanks between two words. Blank lines separate
    /// paragraphs.
    #[must_use]
    pub fn any_wrapping(mut self) -> Self {
        self.blank_lines = BlankLines::Wrapped;
        self
    }

    /// Returns the lines in normal form, each with its number. With any wrapping, a line is a paragraph.
    fn lines<'a>(&self, text: &'a str) -> Vec<(usize, Cow<'a, str>)> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let lines = text.split('\n').map(|line| line.trim_end_matches(is_blank));
        let numbered = lines.zip(1..).map(|(line, number)| (number, line));
        let mut lines: Vec<(usize, Cow<'a, str>)> = match self.blank_lines {
            BlankLines::Kept => {
                let mut lines: Vec<(usize, &str)> =
                    numbered.skip_while(|(_, line)| line.is_empty()).collect();
                while lines.last().is_some_and(|(_, line)| line.is_empty()) {
                    lines.pop();
                }
                lines
                    .into_iter()
                    .map(|(number, line)| (number, Cow::Borrowed(line)))
                    .collect()
            }
            BlankLines::Ignored => numbered
                .filter(|(_, line)| !line.is_empty())
                .map(|(number, line)| (number, Cow::Borrowed(line)))
                .collect(),
            BlankLines::Wrapped => paragraphs(numbered),
        };
        for (_, line) in &mut lines {
            if self.any_composition {
                *line = Cow::Owned(composed(line));
            }
            if self.any_case {
                *line = Cow::Owned(line.to_lowercase());
            }
        }
        lines
    }
}

/// Returns a text in the normal form NFC.
#[cfg(feature = "unicode")]
fn composed(text: &str) -> String {
    use unicode_normalization::UnicodeNormalization;

    text.nfc().collect()
}

#[cfg(not(feature = "unicode"))]
fn composed(text: &str) -> String {
    text.to_owned()
}

/// Joins the lines between blank ones, with one blank between two words.
fn paragraphs<'a>(lines: impl Iterator<Item = (usize, &'a str)>) -> Vec<(usize, Cow<'a, str>)> {
    let mut paragraphs: Vec<(usize, Cow<'a, str>)> = Vec::new();
    let mut is_open = false;
    for (number, line) in lines {
        if line.is_empty() {
            is_open = false;
            continue;
        }
        if !is_open {
            paragraphs.push((number, Cow::Owned(String::new())));
            is_open = true;
        }
        let Some((_, paragraph)) = paragraphs.last_mut() else {
            continue;
        };
        let paragraph = paragraph.to_mut();
        for word in line.split(is_blank).filter(|word| !word.is_empty()) {
            if !paragraph.is_empty() {
                paragraph.push(' ');
            }
            paragraph.push_str(word);
        }
    }
    paragraphs
}

/// Returns true for the white space that separates words in a source text. A no-break space joins words.
pub(super) fn is_blank(character: char) -> bool {
    matches!(character, ' ' | '\t' | '\r')
}

impl Expected for Text {
    fn size(&self) -> usize {
        self.expected.len()
    }

    fn compare(&self, found: &str) -> Condition {
        let (expected, found) = (self.lines(&self.expected), self.lines(found));
        let is_one_line = expected.len() <= 1 && found.len() <= 1;
        let at = |number: usize| {
            if is_one_line {
                String::new()
            } else {
                format!("line {number}: ")
            }
        };
        for ((_, a), (number, b)) in expected.iter().zip(&found) {
            if a != b {
                let (a, b) = show_difference(a, b);
                return Condition::fail(format!("{}expected {a}, found {b}", at(*number)));
            }
        }
        let shared = expected.len().min(found.len());
        let rest = |lines: &'_ [(usize, Cow<'_, str>)]| {
            lines[shared..]
                .iter()
                .position(|(_, line)| !line.is_empty())
        };
        let missing = rest(&expected).map(|at| &expected[shared + at]);
        let extra = rest(&found).map(|at| &found[shared + at]);
        match (missing, extra) {
            (Some((_, a)), _) => {
                let end = match found.last() {
                    Some((number, _)) => format!("the end of the text after line {number}"),
                    None => "an empty text".to_owned(),
                };
                Condition::fail(format!("expected {}, found {end}", show(a.as_ref())))
            }
            (_, Some((number, b))) => Condition::fail(format!(
                "line {number}: expected the end of the text, found {}",
                show(b.as_ref())
            )),
            (None, None) => Condition::pass("the text is as expected"),
        }
    }
}
