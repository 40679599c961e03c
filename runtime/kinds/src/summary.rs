//! Summaries of states in the terms of their service, for `mcpmark world show`.

use std::borrow::Cow;

use serde_json::Value;

/// Summary of a state, as text for people and as JSON for programs.
#[derive(Debug, Clone)]
pub struct Summary {
    /// Key of [`value`](Self::value) in JSON output.
    pub key: &'static str,
    /// Summary as JSON.
    pub value: Value,
    /// Summary as text, from top to bottom.
    pub blocks: Vec<Block>,
    /// Names of directories whose entries are not readable for people.
    pub opaque: &'static [&'static str],
}

/// Part of a textual summary.
#[derive(Debug, Clone)]
pub enum Block {
    /// Line that is preceded by a blank line.
    Heading(Cell),
    /// Table.
    Table {
        /// Names of the columns, with the alignment prefixes (`>`, `~`, `<`) of the tables of the command line. A name may
        /// be untrusted text.
        columns: Vec<Cow<'static, str>>,
        /// Rows, each with as many cells as `columns`.
        rows: Vec<Vec<Cell>>,
    },
    /// Line of consecutive texts.
    Line(Vec<Cell>),
}

/// Returns fixed names of columns.
pub(crate) fn columns(names: &[&'static str]) -> Vec<Cow<'static, str>> {
    names.iter().copied().map(Cow::Borrowed).collect()
}

/// Untrusted text with an emphasis. The code that displays it must remove terminal control sequences.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cell {
    /// Content of the cell.
    pub text: String,
    /// Emphasis of the text.
    pub emphasis: Emphasis,
}

/// Emphasis of a text in a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Emphasis {
    /// No emphasis.
    Plain,
    /// Stronger than the surrounding text.
    Bold,
    /// Weaker than the surrounding text.
    Dim,
}

impl Cell {
    /// Creates a cell without emphasis.
    pub fn plain(text: impl Into<String>) -> Self {
        Self::new(text, Emphasis::Plain)
    }

    /// Creates a bold cell.
    pub fn bold(text: impl Into<String>) -> Self {
        Self::new(text, Emphasis::Bold)
    }

    /// Creates a dim cell.
    pub fn dim(text: impl Into<String>) -> Self {
        Self::new(text, Emphasis::Dim)
    }

    fn new(text: impl Into<String>, emphasis: Emphasis) -> Self {
        Self {
            text: text.into(),
            emphasis,
        }
    }
}
