//! Columns for people.

use std::borrow::Cow;
use std::fmt::Write;

use anstyle::Style;

use super::{BOLD, paint};

/// How a column stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Column {
    Left,
    Right,
    /// Cut at its end where the terminal is too narrow.
    CutEnd,
    /// Cut at its beginning.
    CutStart,
}

/// The least that is left of a column which is cut.
const LEAST: usize = 12;

/// A table whose columns are as wide as their widest cell. On a terminal one of them may be
/// cut, so that a row stays a line.
pub(crate) struct Table {
    header: Vec<&'static str>,
    columns: Vec<Column>,
    rows: Vec<Vec<(String, Style)>>,
}

impl Table {
    /// A header; a column whose name begins with `>` is aligned right, one with `~` may be cut
    /// at its end and one with `<` at its beginning.
    pub(crate) fn new(header: &[&'static str]) -> Self {
        let columns = header.iter().map(|name| match name.as_bytes().first() {
            Some(b'>') => Column::Right,
            Some(b'~') => Column::CutEnd,
            Some(b'<') => Column::CutStart,
            _ => Column::Left,
        });
        Self {
            header: header
                .iter()
                .map(|name| name.trim_start_matches(['>', '~', '<']))
                .collect(),
            columns: columns.collect(),
            rows: Vec::new(),
        }
    }

    /// Adds a row; each cell has its own style.
    pub(crate) fn row(&mut self, cells: Vec<(String, Style)>) {
        debug_assert_eq!(cells.len(), self.header.len());
        self.rows.push(cells);
    }

    /// The table as lines, none where it has no row, without blanks at their ends, for where standard output goes.
    pub(crate) fn render(&self) -> String {
        self.render_in(super::columns())
    }

    fn render_in(&self, terminal: Option<usize>) -> String {
        if self.rows.is_empty() {
            return String::new();
        }
        let mut widths: Vec<usize> = (0..self.header.len())
            .map(|column| {
                let cells = self.rows.iter().map(|row| width(&row[column].0));
                cells.chain([width(self.header[column])]).max().unwrap_or(0)
            })
            .collect();
        let flexible = self
            .columns
            .iter()
            .position(|column| matches!(column, Column::CutEnd | Column::CutStart));
        if let (Some(columns), Some(flexible)) = (terminal, flexible) {
            let whole = widths.iter().sum::<usize>() + 2 * (widths.len() - 1);
            let kept = widths[flexible].saturating_sub(whole.saturating_sub(columns));
            widths[flexible] = kept.max(LEAST.min(widths[flexible]));
        }
        let mut out = String::new();
        let header = self
            .header
            .iter()
            .map(|name| (name.to_string(), BOLD))
            .collect();
        for row in std::iter::once(&header).chain(&self.rows) {
            let last = row
                .iter()
                .rposition(|(text, _)| !text.is_empty())
                .unwrap_or(0);
            for (column, (text, style)) in row.iter().enumerate().take(last + 1) {
                let text = cut(text, widths[column], self.columns[column]);
                let gap = widths[column].saturating_sub(width(&text));
                let (before, after) = if self.columns[column] == Column::Right {
                    (gap, 0)
                } else {
                    (0, gap)
                };
                let after = if column == last { 0 } else { after + 2 };
                let _ = write!(out, "{:before$}{}{:after$}", "", paint(*style, text), "");
            }
            out.push('\n');
        }
        out
    }
}

/// What of a text fits, with a mark where the rest was.
fn cut(text: &str, columns: usize, how: Column) -> Cow<'_, str> {
    if width(text) <= columns {
        return Cow::Borrowed(text);
    }
    let fits = |letters: &str| width(letters) < columns;
    let places = || text.char_indices().map(|(place, _)| place);
    match how {
        Column::CutStart => {
            let start = places().find(|place| fits(&text[*place..]));
            Cow::Owned(format!("…{}", &text[start.unwrap_or(text.len())..]))
        }
        _ => {
            let end = places().rfind(|place| fits(&text[..*place]));
            Cow::Owned(format!("{}…", text[..end.unwrap_or(0)].trim_end()))
        }
    }
}

pub(crate) fn width(text: &str) -> usize {
    // Nearly all cells are plain, and a list has very many.
    let is_plain = text.bytes().all(|byte| (b' '..=b'~').contains(&byte));
    match is_plain {
        true => text.len(),
        false => unicode_width::UnicodeWidthStr::width(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_narrow_terminal_cuts_one_column() {
        let plain = Style::new();
        for (header, wide, narrow) in [
            ("<task", "a-long-name/of-a-task", "…e/of-a-task"),
            ("~task", "a title with – ümlauts", "a title wit…"),
        ] {
            let mut table = Table::new(&[header, ">turns"]);
            table.row(vec![(wide.into(), plain), ("7".into(), plain)]);
            let row = |columns| {
                let text = anstream::adapter::strip_str(&table.render_in(columns)).to_string();
                text.lines().last().unwrap().to_owned()
            };
            assert!(row(None).starts_with(wide));
            assert_eq!(row(Some(29)), row(None));
            assert_eq!(row(Some(19)), format!("{narrow}      7"));
            // Less than the least is left to the terminal.
            assert_eq!(row(Some(5)), row(Some(19)));
        }
    }

    #[test]
    fn columns_line_up_and_lines_end_where_their_text_does() {
        let plain = Style::new();
        let mut table = Table::new(&["task", ">turns", "note"]);
        table.row(vec![
            ("a/ü".into(), plain),
            ("7".into(), plain),
            (String::new(), plain),
        ]);
        table.row(vec![
            ("longer".into(), plain),
            ("12".into(), plain),
            ("x".into(), plain),
        ]);
        let text = anstream::adapter::strip_str(&table.render()).to_string();
        assert_eq!(
            text,
            "task    turns  note\na/ü         7\nlonger     12  x\n"
        );
    }
}
