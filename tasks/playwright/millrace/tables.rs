//! Tables of the repairs desk in a state.

use mcpmark_guest::Tree;
use mcpmark_guest_site::state::Table;

/// Directory of the site in a state.
const ROWS: &str = "sites/repairs.test/rows";

/// Columns of a job.
pub const JOB_COLUMNS: [&str; 13] = [
    "id",
    "title",
    "text",
    "house",
    "place",
    "category",
    "priority",
    "status",
    "reporter",
    "firm",
    "duplicate_of",
    "opened",
    "closed",
];

/// Returns the path of a table.
pub fn path(name: &str) -> String {
    format!("{ROWS}/{name}.jsonl")
}

/// Returns a table of a state.
///
/// # Panics
///
/// Panics if the state has no such table, which the site cannot cause.
#[track_caller]
pub fn table(tree: Tree, name: &str) -> Table {
    let text = tree.file(path(name)).text().required();
    match Table::parse(&text) {
        Ok(table) => table,
        Err(line) => panic!("{name}: not a row: {line}"),
    }
}

/// Returns the lines of a table, sorted.
#[track_caller]
pub fn sorted_lines(tree: Tree, name: &str) -> Vec<String> {
    let text = tree.file(path(name)).text().required();
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    lines.sort_unstable();
    lines
}
