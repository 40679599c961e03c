//! A table that knows no format yet.

use std::fmt::Write;

use unicode_width::UnicodeWidthStr;

/// Texts are cut no shorter.
const NARROWEST: usize = 8;

/// A titled table with a note below. Cells are plain text that is already safe to print.
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
    /// Numbers stand right.
    pub(crate) right: bool,
    /// The highest goes first where the width does not do; 0 never goes.
    pub(crate) drop: u8,
}

/// A column of text.
pub(crate) fn left(name: impl Into<String>, drop: u8) -> Column {
    Column {
        name: name.into(),
        right: false,
        drop,
    }
}

/// A column of numbers.
pub(crate) fn right(name: impl Into<String>, drop: u8) -> Column {
    Column {
        name: name.into(),
        right: true,
        drop,
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

    /// Lines of at most `width` columns. What does not fit is dropped, column by column, and the
    /// last line says so; where that does not do, texts are cut in their middle.
    pub(crate) fn text(&self, width: usize) -> String {
        let mut shown: Vec<usize> = (0..self.columns.len()).collect();
        let mut dropped = Vec::new();
        let mut widths = self.widths();
        while total(&widths, &shown) > width {
            let Some(place) = (0..shown.len())
                .filter(|place| self.columns[shown[*place]].drop > 0)
                .max_by_key(|place| (self.columns[shown[*place]].drop, *place))
            else {
                break;
            };
            dropped.push(shown.remove(place));
        }
        while total(&widths, &shown) > width {
            let texts = shown.iter().filter(|column| !self.columns[**column].right);
            match texts.max_by_key(|column| widths[**column]) {
                Some(widest) if widths[*widest] > NARROWEST => widths[*widest] -= 1,
                _ => break,
            }
        }
        let mut out = String::new();
        let names: Vec<String> = self.columns.iter().map(|c| c.name.clone()).collect();
        for row in std::iter::once(&names).chain(&self.rows) {
            let mut line = String::new();
            for column in &shown {
                let cell = cut(&row[*column], widths[*column]);
                let gap = widths[*column] - cell.width();
                let (before, after) = if self.columns[*column].right {
                    (gap, 0)
                } else {
                    (0, gap)
                };
                let _ = write!(line, "{:before$}{cell}{:after$}  ", "", "");
            }
            out.push_str(line.trim_end());
            out.push('\n');
        }
        dropped.sort_unstable();
        if !dropped.is_empty() {
            let names: Vec<&str> = dropped
                .iter()
                .map(|column| self.columns[*column].name.as_str())
                .collect();
            out.push_str(&wrap(
                &format!("not shown here: {}", names.join(", ")),
                width,
            ));
        }
        out
    }

    fn widths(&self) -> Vec<usize> {
        (0..self.columns.len())
            .map(|column| {
                let cells = self.rows.iter().map(|row| row[column].width());
                let name = self.columns[column].name.width();
                cells.chain([name]).max().unwrap_or(0)
            })
            .collect()
    }

    /// The table in GitHub's Markdown.
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

fn total(widths: &[usize], shown: &[usize]) -> usize {
    shown
        .iter()
        .map(|column| widths[*column] + 2)
        .sum::<usize>()
        .saturating_sub(2)
}

/// A text of at most `width` columns, with an ellipsis in the middle where it is longer.
fn cut(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let half = width.saturating_sub(1) / 2;
    let head: String = take(text.chars(), width - 1 - half);
    let tail: String = take(text.chars().rev(), half).chars().rev().collect();
    format!("{head}…{tail}")
}

fn take(chars: impl Iterator<Item = char>, width: usize) -> String {
    let mut taken = String::new();
    for c in chars {
        taken.push(c);
        if taken.width() > width {
            taken.pop();
            break;
        }
    }
    taken
}

/// Breaks a text into lines of at most `width` columns, each ended.
pub(crate) fn wrap(text: &str, width: usize) -> String {
    let mut out = String::new();
    let mut column = 0;
    for word in text.split_whitespace() {
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

/// Text that Markdown takes for nothing but text.
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
        let mut table = Table::new(
            "t",
            vec![
                left("model", 0),
                right("pass@1", 0),
                right("cost", 1),
                right("turns", 2),
            ],
        );
        table.row(vec![
            "a-model".into(),
            "52.56".into(),
            "0.44".into(),
            "10.1".into(),
        ]);
        table.row(vec!["ü".into(), "3.00".into(), "–".into(), "7.0".into()]);
        table
    }

    #[test]
    fn columns_go_until_the_rest_fits() {
        assert_eq!(
            table().text(80),
            "model    pass@1  cost  turns\na-model   52.56  0.44   10.1\nü          3.00     –    7.0\n"
        );
        assert_eq!(
            table().text(22),
            "model    pass@1  cost\na-model   52.56  0.44\nü          3.00     –\nnot shown here: turns\n"
        );
        let narrow = table().text(16);
        assert!(narrow.lines().all(|line| line.width() <= 16), "{narrow}");
        assert!(narrow.contains("cost, turns"), "{narrow}");
    }

    #[test]
    fn a_long_name_is_cut_in_its_middle() {
        assert_eq!(cut("filesystem/office/a-long-name", 13), "filesy…g-name");
        assert_eq!(cut("日本語日本語", 7), "日…語");
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
                .starts_with("| model | pass@1 | cost | turns |\n| --- | ---: |")
        );
    }
}
