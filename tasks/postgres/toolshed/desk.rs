//! Calls of the tools by solutions.

#![allow(dead_code)]

use mcpmark_guest::Tools;
use mcpmark_guest::serde_json::json;

/// Executes a statement and returns the text of its result.
///
/// # Panics
///
/// Panics with the text of an error, which the tool returns as an ordinary result.
#[track_caller]
pub fn run(tools: &mut Tools, sql: &str) -> String {
    let text = tools.text("execute_sql", &json!({"sql": sql}));
    assert!(!text.starts_with("Error"), "{sql}\n{text}");
    text
}

/// Executes statements one after the other.
#[track_caller]
pub fn run_all(tools: &mut Tools, statements: &[&str]) {
    for sql in statements {
        run(tools, sql);
    }
}

/// Returns the description of a table.
#[track_caller]
pub fn describe(tools: &mut Tools, table: &str) -> String {
    let arguments = json!({"schema_name": "public", "object_name": table, "object_type": "table"});
    tools.text("get_object_details", &arguments)
}

/// Reads the decisions and the notes of the team.
#[track_caller]
pub fn read_rules(tools: &mut Tools) {
    run(tools, "SELECT * FROM decisions ORDER BY number");
    run(tools, "SELECT * FROM team_notes ORDER BY id");
}

/// Reads the definition of a function.
#[track_caller]
pub fn source(tools: &mut Tools, function: &str) -> String {
    run(
        tools,
        &format!("SELECT pg_get_functiondef('{function}'::regproc)"),
    )
}
