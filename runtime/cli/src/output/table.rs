//! Columns for people.

use std::fmt::Write;

use anstyle::Style;

use super::{BOLD, paint};

/// A table whose columns are as wide as their widest cell.
pub(crate) struct Table {
    header: Vec<&'static str>,
    right: Vec<bool>,
    rows: Vec<Vec<(String, Style)>>,
}

impl Table {
    /// A header; a column whose name begins with `>` is aligned right.
    pub(crate) fn new(header: &[&'static str]) -> Self {
        Self {
            header: header
                .iter()
                .map(|name| name.trim_start_matches('>'))
                .collect(),
            right: header.iter().map(|name| name.starts_with('>')).collect(),
            rows: Vec::new(),
        }
    }

    /// Adds a row; each cell has its own style.
    pub(crate) fn row(&mut self, cells: Vec<(String, Style)>) {
        debug_assert_eq!(cells.len(), self.header.len());
        self.rows.push(cells);
    }

    /// The table as lines, without blanks at their ends.
    pub(crate) fn render(&self) -> String {
        let widths: Vec<usize> = (0..self.header.len())
            .map(|column| {
                let cells = self.rows.iter().map(|row| width(&row[column].0));
                cells.chain([width(self.header[column])]).max().unwrap_or(0)
            })
            .collect();
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
                let gap = widths[column] - width(text);
                let (before, after) = if self.right[column] {
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

pub(crate) fn width(text: &str) -> usize {
    unicode_width::UnicodeWidthStr::width(text)
}

#[cfg(test)]
mod tests {
    use super::*;

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
