//! Table that is independent of the output format.

use std::fmt::Write;

use unicode_width::UnicodeWidthStr;

use crate::columns::{Columns, fold};

/// Table with a title and a note. Cells are plain text that is already sanitised.
#[derive(Debug, Clone, Default)]
pub(crate) struct Table {
    pub(crate) title: String,
    pub(crate) note: String,
    pub(crate) columns: Vec<Column>,
    pub(crate) rows: Vec<Vec<String>>,
}

#[derive(Debug, Clone)]
pub(crate) struct Column {
    pub(crate) name: String,
    /// Right alignment, for numbers.
    pub(crate) right: bool,
    /// Marks a label column. Label columns precede all others and are repeated in each block.
    pub(crate) label: bool,
}

/// Creates a label column.
pub(crate) fn label(name: impl Into<String>) -> Column {
    Column {
        label: true,
        ..left(name)
    }
}

/// Creates a left-aligned column for text.
pub(crate) fn left(name: impl Into<String>) -> Column {
    Column {
        name: name.into(),
        right: false,
        label: false,
    }
}

/// Creates a right-aligned column for numbers.
pub(crate) fn right(name: impl Into<String>) -> Column {
    Column {
        right: true,
        ..left(name)
    }
}

impl Table {
    pub(crate) fn new(title: impl Into<String>, columns: Vec<Column>) -> Self {
        Self {
            title: title.into(),
            columns,
            ..Self::default()
        }
    }

    pub(crate) fn row(&mut self, cells: Vec<String>) {
        debug_assert_eq!(cells.len(), self.columns.len());
        self.rows.push(cells);
    }

    /// Renders the table as lines of at most `width` columns, in several blocks if it is wider.
    pub(crate) fn text(&self, width: Option<usize>) -> String {
        let right: Vec<bool> = self.columns.iter().map(|column| column.right).collect();
        let columns = Columns {
            labels: self.columns.iter().take_while(|c| c.label).count(),
            right: &right,
            room: width,
        };
        let cell = |row: usize, column: usize| match row.checked_sub(1) {
            None => self.columns[column].name.as_str(),
            Some(row) => self.rows[row][column].as_str(),
        };
        columns.lines(self.rows.len() + 1, cell, |_, _, text| text.to_owned())
    }

    /// Renders the table in GitHub Flavored Markdown.
    pub(crate) fn markdown(&self) -> String {
        let mut out = String::new();
        let names: Vec<String> = self.columns.iter().map(|c| c.name.clone()).collect();
        markdown_row(&mut out, &names);
        for column in &self.columns {
            out.push_str(if column.right { "| ---: " } else { "| --- " });
        }
        out.push_str("|\n");
        for row in &self.rows {
            markdown_row(&mut out, row);
        }
        out
    }
}

/// Default width of prose, in columns.
const PROSE: usize = 80;

/// Wraps a text into lines of at most `width` columns, each with a line break at its end.
pub(crate) fn wrap(text: &str, width: Option<usize>) -> String {
    let width = width.unwrap_or(PROSE);
    let mut out = String::new();
    let mut column = 0;
    for word in text.split_whitespace().flat_map(|word| fold(word, width)) {
        if column > 0 && column + 1 + word.width() > width {
            out.push('\n');
            column = 0;
        }
        if column > 0 {
            out.push(' ');
            column += 1;
        }
        out.push_str(word);
        column += word.width();
    }
    if column > 0 {
        out.push('\n');
    }
    out
}

fn markdown_row(out: &mut String, cells: &[String]) {
    for cell in cells {
        let _ = write!(out, "| {} ", markdown_text(cell));
    }
    out.push_str("|\n");
}

/// Escapes text for Markdown.
pub(crate) fn markdown_text(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '&' => safe.push_str("&amp;"),
            '|' | '\\' | '*' | '_' | '`' | '[' | ']' | '~' | '#' => {
                safe.push('\\');
                safe.push(c);
            }
            c => safe.push(c),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let columns = vec![label("model"), right("pass@1"), right("cost")];
        let mut table = Table::new("t", columns);
        table.row(vec!["a-model".into(), "52.56".into(), "0.44".into()]);
        table.row(vec!["ü".into(), "3.00".into(), "–".into()]);
        table
    }

    #[test]
    fn columns_that_do_not_fit_are_shown_below_with_their_labels() {
        let whole = "model    pass@1  cost\na-model   52.56  0.44\nü          3.00     –\n";
        assert_eq!(table().text(None), whole);
        assert_eq!(table().text(Some(21)), whole);
        assert_eq!(
            table().text(Some(20)),
            "model    pass@1\na-model   52.56\nü          3.00\n\n\
             model    cost\na-model  0.44\nü           –\n"
        );
    }

    #[test]
    fn prose_stays_within_its_width() {
        assert_eq!(wrap("a bc def", Some(4)), "a bc\ndef\n");
        assert_eq!(wrap("abcdefgh i", Some(4)), "abcd\nefgh\ni\n");
        assert_eq!(wrap("", None), "");
    }

    #[test]
    fn markdown_takes_cells_for_text() {
        assert_eq!(
            markdown_text("<b>*a*</b>|x_y & [z](u)"),
            "&lt;b&gt;\\*a\\*&lt;/b&gt;\\|x\\_y &amp; \\[z\\](u)"
        );
        assert!(
            table()
                .markdown()
                .starts_with("| model | pass@1 | cost |\n| --- | ---: |")
        );
    }
}
