//! Summaries of states in the terms of their service, for `mcpmark world show`.

use serde_json::Value;

/// A summary of a state, for people and for programs.
#[derive(Debug, Clone)]
pub struct Summary {
    /// The key under which programs find [`value`](Self::value).
    pub key: &'static str,
    /// The summary for programs.
    pub value: Value,
    /// The summary for people, from top to bottom.
    pub blocks: Vec<Block>,
    /// The names of directories whose entries say nothing to people.
    pub opaque: &'static [&'static str],
}

/// A part of a summary.
#[derive(Debug, Clone)]
pub enum Block {
    /// A line after an empty one.
    Heading(Cell),
    /// A table.
    Table {
        /// The names of the columns, with the marks of alignment that the tables of the command line have.
        columns: &'static [&'static str],
        /// The rows, each as long as `columns`.
        rows: Vec<Vec<Cell>>,
    },
    /// A line of texts one after the other.
    Line(Vec<Cell>),
}

/// A text that may hold anything: whoever shows it strips what a terminal would obey.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cell {
    /// The text.
    pub text: String,
    /// How it stands out.
    pub emphasis: Emphasis,
}

/// How a text stands out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Emphasis {
    /// Not at all.
    Plain,
    /// More than what is around it.
    Bold,
    /// Less than what is around it.
    Dim,
}

impl Cell {
    /// A text that does not stand out.
    pub fn plain(text: impl Into<String>) -> Self {
        Self::new(text, Emphasis::Plain)
    }

    /// A text that stands out.
    pub fn bold(text: impl Into<String>) -> Self {
        Self::new(text, Emphasis::Bold)
    }

    /// A text of less weight.
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
