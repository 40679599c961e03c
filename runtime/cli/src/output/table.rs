//! Tables for terminals.

use std::borrow::Cow;
use std::io::IsTerminal;

use anstyle::Style;
use mcpmark_report::columns::{Columns, width};

use super::{BOLD, paint};

/// Alignment of a column, and where it may be cut.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Column {
    Left,
    Right,
    /// Aligned left, and cut at the end if the terminal is too narrow.
    CutEnd,
    /// Aligned left, and cut at the beginning if the terminal is too narrow.
    CutStart,
}

/// Minimum width of a cut column, in columns of the terminal.
const LEAST: usize = 12;

/// Table whose columns are as wide as their widest cell. On a terminal, one of them may be cut so that each row fits on
/// a line. If that is not enough, the columns are split into blocks.
pub(crate) struct Table {
    header: Vec<String>,
    columns: Vec<Column>,
    rows: Vec<Vec<(String, Style)>>,
}

impl Table {
    /// Creates a table with a header. A name that begins with `>` is aligned right, one with `~` may be cut at its end,
    /// and one with `<` at its beginning.
    pub(crate) fn new<Name: AsRef<str>>(header: &[Name]) -> Self {
        let names = || header.iter().map(AsRef::as_ref);
        let columns = names().map(|name| match name.as_bytes().first() {
            Some(b'>') => Column::Right,
            Some(b'~') => Column::CutEnd,
            Some(b'<') => Column::CutStart,
            _ => Column::Left,
        });
        Self {
            columns: columns.collect(),
            header: names()
                .map(|name| name.trim_start_matches(['>', '~', '<']).to_owned())
                .collect(),
            rows: Vec::new(),
        }
    }

    /// Adds a row of cells with their styles.
    pub(crate) fn row(&mut self, cells: Vec<(String, Style)>) {
        debug_assert_eq!(cells.len(), self.header.len());
        self.rows.push(cells);
    }

    /// Renders the table as lines for standard output, without trailing spaces. A table without rows is empty.
    pub(crate) fn render(&self) -> String {
        self.render_in(super::columns(), std::io::stdout().is_terminal())
    }

    /// Renders the table for a width. Nothing is cut unless the output is a terminal, so that programs read whole
    /// cells.
    fn render_in(&self, room: Option<usize>, may_cut: bool) -> String {
        if self.rows.is_empty() {
            return String::new();
        }
        let short = room.filter(|_| may_cut).and_then(|room| self.cut_to(room));
        let cell = |row: usize, column: usize| match (row.checked_sub(1), &short) {
            (None, _) => self.header[column].as_str(),
            (Some(row), Some((cut, texts))) if *cut == column => &texts[row],
            (Some(row), _) => &self.rows[row][column].0,
        };
        let paint = |row: usize, column: usize, text: &str| {
            let style = row
                .checked_sub(1)
                .map_or(BOLD, |row| self.rows[row][column].1);
            paint(style, text)
        };
        let right: Vec<bool> = self.columns.iter().map(|c| *c == Column::Right).collect();
        let columns = Columns {
            labels: 1,
            right: &right,
            room,
        };
        columns.lines(self.rows.len() + 1, cell, paint)
    }

    /// Returns the index of the cut column and its texts, if cutting makes all columns fit.
    fn cut_to(&self, room: usize) -> Option<(usize, Vec<Cow<'_, str>>)> {
        let column = self
            .columns
            .iter()
            .position(|column| matches!(column, Column::CutEnd | Column::CutStart))?;
        let widest = |column: usize| {
            let cells = self.rows.iter().map(|row| width(&row[column].0));
            cells
                .chain([width(&self.header[column])])
                .max()
                .unwrap_or(0)
        };
        let count = self.header.len();
        let others = (0..count).filter(|other| *other != column).map(widest);
        let left = room.checked_sub(others.sum::<usize>() + 2 * (count - 1))?;
        let texts = self.rows.iter().map(|row| &row[column].0);
        (left >= LEAST.min(widest(column))).then(|| {
            let how = self.columns[column];
            (column, texts.map(|text| cut(text, left, how)).collect())
        })
    }
}

/// Truncates a text to a number of columns and marks the cut with an ellipsis.
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
            let row = |columns, terminal| {
                let text = table.render_in(columns, terminal);
                let text = anstream::adapter::strip_str(&text).to_string();
                text.lines().last().unwrap().to_owned()
            };
            assert!(row(None, true).starts_with(wide));
            assert_eq!(row(Some(29), true), row(None, true));
            assert_eq!(row(Some(19), true), format!("{narrow}      7"));
            // Nothing is cut for a program, or if the terminal is too narrow even for cut columns.
            for (columns, terminal) in [(19, false), (17, true)] {
                let text = table.render_in(Some(columns), terminal);
                let text = anstream::adapter::strip_str(&text).to_string();
                assert!(!text.contains('…'), "{text}");
                assert!(text.lines().all(|line| width(line) <= columns), "{text}");
            }
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
