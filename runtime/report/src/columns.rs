//! Layout of columns for a terminal, split into blocks if it is too narrow.

use std::fmt::Write;

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Number of spaces between two columns.
const GAP: usize = 2;

/// Minimum width of a folded column.
const NARROWEST: usize = 8;

/// Layout of the columns of a table.
#[derive(Debug, Clone, Copy)]
pub struct Columns<'a> {
    /// Number of leading label columns, which are repeated in each block.
    pub labels: usize,
    /// Right alignment of each column.
    pub right: &'a [bool],
    /// Width of the terminal in columns. `None` means no limit.
    pub room: Option<usize>,
}

impl Columns<'_> {
    /// Renders the table as lines without trailing spaces. No content is lost: columns that do not fit are moved to
    /// further blocks, and a cell that is too wide by itself is folded.
    ///
    /// `cell` returns the text of a row and column, where row 0 is the header. `paint` gets the row, the column and the
    /// part of the text on one line, and may add characters of zero width.
    pub fn lines<'c>(
        &self,
        rows: usize,
        cell: impl Fn(usize, usize) -> &'c str,
        paint: impl Fn(usize, usize, &str) -> String,
    ) -> String {
        let widest = |column| (0..rows).map(|row| width(cell(row, column))).max();
        let columns = 0..self.right.len();
        let mut widths: Vec<usize> = columns.map(|c| widest(c).unwrap_or(0)).collect();
        let mut out = String::new();
        for (place, block) in self.blocks(&mut widths).iter().enumerate() {
            if place > 0 {
                out.push('\n');
            }
            for row in 0..rows {
                self.row(&mut out, row, block, &widths, &cell, &paint);
            }
        }
        out
    }

    fn row<'c>(
        &self,
        out: &mut String,
        row: usize,
        block: &[usize],
        widths: &[usize],
        cell: &impl Fn(usize, usize) -> &'c str,
        paint: &impl Fn(usize, usize, &str) -> String,
    ) {
        let folded = |column: &usize| fold(cell(row, *column), widths[*column]);
        let cells: Vec<Vec<&str>> = block.iter().map(folded).collect();
        for line in 0..cells.iter().map(Vec::len).max().unwrap_or(0) {
            let mut blanks = 0;
            for (column, texts) in block.iter().zip(&cells) {
                let text = texts.get(line).copied().unwrap_or_default();
                let gap = widths[*column].saturating_sub(width(text));
                let (before, after) = if self.right[*column] {
                    (gap, 0)
                } else {
                    (0, gap)
                };
                blanks += before;
                if !text.is_empty() {
                    // Writing to a string cannot fail.
                    let _ = write!(out, "{:blanks$}{}", "", paint(row, *column, text));
                    blanks = 0;
                }
                blanks += after + GAP;
            }
            out.push('\n');
        }
    }

    /// Splits the columns into blocks that fit, and reduces widths if necessary.
    fn blocks(&self, widths: &mut [usize]) -> Vec<Vec<usize>> {
        let all = || (0..self.right.len()).collect();
        let Some(room) = self.room.filter(|room| together(widths) > *room) else {
            return vec![all()];
        };
        let (labels, others) = widths.split_at_mut(self.labels);
        let Some(widest) = others.iter().max() else {
            shrink(labels, room);
            return vec![all()];
        };
        shrink(labels, room.saturating_sub(widest + GAP).max(room / 2));
        let taken = match labels {
            [] => 0,
            labels => together(labels) + GAP,
        };
        let left = room.saturating_sub(taken).max(NARROWEST);
        let mut blocks: Vec<Vec<usize>> = Vec::new();
        let mut used = usize::MAX;
        for (place, other) in others.iter_mut().enumerate() {
            *other = left.min(*other);
            if used.saturating_add(GAP + *other) > left {
                blocks.push((0..self.labels).collect());
                used = *other;
            } else {
                used += GAP + *other;
            }
            blocks
                .last_mut()
                .into_iter()
                .for_each(|block| block.push(self.labels + place));
        }
        blocks
    }
}

/// Returns the total width of adjacent columns.
fn together(widths: &[usize]) -> usize {
    widths.iter().sum::<usize>() + GAP * widths.len().saturating_sub(1)
}

/// Reduces the widest columns until all fit or have the minimum width.
fn shrink(widths: &mut [usize], room: usize) {
    while together(widths) > room
        && let Some(widest) = widths.iter_mut().max().filter(|width| **width > NARROWEST)
    {
        *widest -= 1;
    }
}

/// Returns the display width of a text, in columns.
pub fn width(text: &str) -> usize {
    // Fast path for ASCII, because long listings have very many plain cells.
    if text.bytes().all(|byte| (b' '..=b'~').contains(&byte)) {
        text.len()
    } else {
        text.width()
    }
}

/// Folds a text into lines of at most `columns` columns, and breaks after a separator in the second half of a line if
/// possible.
pub fn fold(text: &str, columns: usize) -> Vec<&str> {
    let mut lines = Vec::with_capacity(1);
    let mut rest = text;
    while width(rest) > columns {
        let (mut end, mut mark, mut used) = (0, 0, 0);
        for (place, c) in rest.char_indices() {
            used += c.width().unwrap_or(0);
            let next = place + c.len_utf8();
            // Each line has at least one character, because the loop would not end otherwise.
            if used > columns && end > 0 {
                break;
            }
            end = next;
            if " /:-_,".contains(c) && used * 2 > columns {
                mark = next;
            }
        }
        let (line, after) = rest.split_at(if mark > 0 { mark } else { end });
        lines.push(line.trim_end());
        rest = after.trim_start();
    }
    if lines.is_empty() || !rest.is_empty() {
        lines.push(rest);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folded_texts_lose_nothing() {
        assert_eq!(fold("short", 8), ["short"]);
        assert_eq!(fold("", 8), [""]);
        assert_eq!(
            fold("filesystem/office/a-long-name", 12),
            ["filesystem/", "office/a-", "long-name"]
        );
        assert_eq!(fold("日本語日本語", 7), ["日本語", "日本語"]);
        assert_eq!(fold("日本", 1), ["日", "本"]);
    }

    #[test]
    fn blocks_hold_every_column_once_and_fit() {
        let names = [
            "task",
            "openrouter/some/model (high)",
            "b",
            "a cell of its own",
            "d",
        ];
        let right = [false, true, true, true, true];
        for room in 20..90 {
            let columns = Columns {
                labels: 1,
                right: &right,
                room: Some(room),
            };
            let text = columns.lines(2, |_, column| names[column], |_, _, text| text.to_owned());
            for line in text.lines() {
                assert!(
                    width(line) <= room && line.trim_end() == line,
                    "{room}: {text}"
                );
            }
            let letters = |text: &str| text.chars().filter(|c| c.is_alphabetic()).count();
            let all: usize = names.iter().map(|name| letters(name)).sum();
            let again = text.split("\n\n").count() - 1;
            assert_eq!(letters(&text), 2 * (all + 4 * again), "{room}: {text}");
        }
    }
}
