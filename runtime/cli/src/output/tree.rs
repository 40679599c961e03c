//! Trees of files for terminals.

use anstyle::Style;

use super::{DIM, paint};
use mcpmark_report::columns::width;

/// Maximum width of a label that is used to align the notes, in columns.
const WIDEST: usize = 56;

/// Entry of a tree with its children.
#[derive(Default)]
pub(crate) struct Branch {
    /// Displayed name.
    pub(crate) label: String,
    /// Style of the name.
    pub(crate) style: Style,
    /// Note to the right of the name.
    pub(crate) note: String,
    /// Children, in order.
    pub(crate) below: Vec<Branch>,
}

struct Line {
    guide: String,
    columns: usize,
    /// Label with its style.
    label: String,
    note: String,
}

/// Draws a tree without its root. Notes begin in the same column; `right` aligns their ends instead.
pub(crate) fn draw(below: Vec<Branch>, right: bool) -> String {
    let mut lines = Vec::new();
    collect(below, "", &mut lines);
    let fitting = lines
        .iter()
        .map(|line| line.columns)
        .filter(|columns| *columns <= WIDEST);
    let column = fitting.max().unwrap_or(WIDEST) + 2;
    let notes = lines.iter().map(|line| width(&line.note)).max();
    let notes = notes.filter(|_| right).unwrap_or(0);
    let mut text = String::new();
    for line in lines {
        text.push_str(&paint(DIM, line.guide));
        text.push_str(&line.label);
        if !line.note.is_empty() {
            let gap = column.saturating_sub(line.columns).max(2);
            let gap = gap + notes.saturating_sub(width(&line.note));
            text.push_str(&" ".repeat(gap));
            text.push_str(&paint(DIM, line.note));
        }
        text.push('\n');
    }
    text
}

fn collect(below: Vec<Branch>, prefix: &str, lines: &mut Vec<Line>) {
    let count = below.len();
    for (number, branch) in below.into_iter().enumerate() {
        let (corner, bar) = if number + 1 == count {
            ("└── ", "    ")
        } else {
            ("├── ", "│   ")
        };
        let guide = format!("{prefix}{corner}");
        lines.push(Line {
            columns: width(&guide) + width(&branch.label),
            guide,
            label: paint(branch.style, branch.label),
            note: branch.note,
        });
        collect(branch.below, &format!("{prefix}{bar}"), lines);
    }
}
