//! Comparison of a text that existed before with the edits that are expected of it.

use super::Expected;
use super::text::is_blank;
use crate::Condition;
use crate::condition::{show, show_difference};

/// Expected edits of a text; see [`edited`].
#[derive(Clone, Debug)]
pub struct Edited {
    has_mark: bool,
    /// Line end of new lines.
    line_end: &'static str,
    lines: Vec<Line>,
}

#[derive(Clone, Debug)]
struct Line {
    text: String,
    /// Line end of a line that existed before; `None` for a new line.
    kept: Option<String>,
}

/// Expects a text of the starting world with edits of whole lines.
///
/// What existed before is compared byte by byte: each other line with its line end, the byte order mark, and
/// the end of the text. In new lines, blanks at their end make no difference; they have the line ends of the
/// text. A new last line may lack its line end.
///
/// ```
/// # use mcpmark_guest::content::{self, Expected};
/// let rota = content::edited("Mon Ann\r\nTue Bo\r\n").replace("Tue Bo", "Tue Cy").append("Wed Bo");
/// assert!(rota.compare("Mon Ann\r\nTue Cy\r\nWed Bo\r\n").passed());
/// let condition = rota.compare("Mon Ann\nTue Cy\nWed Bo\n");
/// assert_eq!(condition.detail(), "line 1: expected CRLF at its end as at the start, found LF");
/// ```
pub fn edited(start: &str) -> Edited {
    let (has_mark, text) = match start.strip_prefix('\u{feff}') {
        Some(text) => (true, text),
        None => (false, start),
    };
    let lines = text.split_inclusive('\n').map(|line| {
        let (text, end) = split_end(line);
        Line {
            text: text.to_owned(),
            kept: Some(end.to_owned()),
        }
    });
    let first = text.split_inclusive('\n').next().unwrap_or_default();
    Edited {
        has_mark,
        line_end: if first.ends_with("\r\n") {
            "\r\n"
        } else {
            "\n"
        },
        lines: lines.collect(),
    }
}

impl Edited {
    /// Expects another line in the place of one.
    ///
    /// # Panics
    /// Panics if the text does not have exactly one such line, or if the other line contains a line end.
    #[track_caller]
    #[must_use]
    pub fn replace(mut self, line: &str, by: impl Into<String>) -> Self {
        let at = self.index(line);
        self.lines[at] = Line::new(by);
        self
    }

    /// Expects a new line after one.
    ///
    /// # Panics
    /// Panics if the text does not have exactly one such line, or if the new line contains a line end.
    #[track_caller]
    #[must_use]
    pub fn insert_after(mut self, line: &str, new: impl Into<String>) -> Self {
        let at = self.index(line);
        self.lines.insert(at + 1, Line::new(new));
        self
    }

    /// Expects a line to be gone.
    ///
    /// # Panics
    /// Panics if the text does not have exactly one such line.
    #[track_caller]
    #[must_use]
    pub fn without(mut self, line: &str) -> Self {
        let at = self.index(line);
        self.lines.remove(at);
        self
    }

    /// Expects a new line at the end.
    ///
    /// # Panics
    /// Panics if the new line contains a line end.
    #[track_caller]
    #[must_use]
    pub fn append(mut self, new: impl Into<String>) -> Self {
        self.lines.push(Line::new(new));
        self
    }

    #[track_caller]
    fn index(&self, line: &str) -> usize {
        let is_line = |it: &Line| it.text == line;
        let count = self.lines.iter().filter(|it| is_line(it)).count();
        match self.lines.iter().position(is_line) {
            Some(at) if count == 1 => at,
            _ => panic!("expected the line {line:?} once in the text, found it {count} times"),
        }
    }

    /// Returns the line end that a line has in front of another line.
    fn end_of(&self, line: &Line) -> String {
        match line.kept.as_deref() {
            // Without a line end it was the last line, and another one follows now.
            None | Some("") => self.line_end.to_owned(),
            Some(end) => end.to_owned(),
        }
    }
}

impl Line {
    #[track_caller]
    fn new(text: impl Into<String>) -> Self {
        let text = text.into();
        assert!(
            !text.contains('\n'),
            "expected one new line without its end, found {text:?}"
        );
        Self { text, kept: None }
    }
}

impl Expected for Edited {
    fn size(&self) -> usize {
        self.lines.iter().map(|line| line.text.len() + 2).sum()
    }

    fn compare(&self, found: &str) -> Condition {
        let text = found.strip_prefix('\u{feff}');
        if text.is_some() != self.has_mark {
            return Condition::fail(if self.has_mark {
                "expected the byte order mark of the start, found none"
            } else {
                "expected no byte order mark, as at the start, found one"
            });
        }
        let mut found = text.unwrap_or(found).split_inclusive('\n').peekable();
        for (line, number) in self.lines.iter().zip(1..) {
            let Some(whole) = found.next() else {
                return Condition::fail(format!(
                    "line {number}: expected {}, found the end of the text",
                    show(&line.text)
                ));
            };
            let (text, end) = split_end(whole);
            let is_last = number == self.lines.len() && found.peek().is_none();
            let same = match line.kept {
                Some(_) => text == line.text,
                None => text.trim_end_matches(is_blank) == line.text.trim_end_matches(is_blank),
            };
            if !same {
                let (a, b) = show_difference(&line.text, text);
                let kept = if line.kept.is_some() {
                    " as at the start"
                } else {
                    ""
                };
                return Condition::fail(format!("line {number}: expected {a}{kept}, found {b}"));
            }
            let expected = match &line.kept {
                Some(end) if is_last => end.clone(),
                None if is_last && end.is_empty() => String::new(),
                _ => self.end_of(line),
            };
            if end != expected {
                return Condition::fail(format!(
                    "line {number}: expected {} at its end as at the start, found {}",
                    name_end(&expected),
                    name_end(end)
                ));
            }
        }
        match found.next() {
            Some(extra) => Condition::fail(format!(
                "line {}: expected the end of the text, found {}",
                self.lines.len() + 1,
                show(split_end(extra).0)
            )),
            None => Condition::pass("the text with the expected edits"),
        }
    }
}

/// Splits a line from its line end: LF, CRLF or nothing.
fn split_end(line: &str) -> (&str, &str) {
    let text = line.strip_suffix('\n').unwrap_or(line);
    let text = match text.strip_suffix('\r') {
        Some(shorter) if text.len() < line.len() => shorter,
        _ => text,
    };
    line.split_at(text.len())
}

fn name_end(end: &str) -> &'static str {
    match end {
        "\r\n" => "CRLF",
        "\n" => "LF",
        _ => "no line end",
    }
}
