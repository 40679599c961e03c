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

/// Returns the list of tables.
#[track_caller]
pub fn tables(tools: &mut Tools) -> String {
    tools.text(
        "list_objects",
        &json!({"schema_name": "public", "object_type": "table"}),
    )
}

/// Reads a section of the handbook.
#[track_caller]
pub fn section(tools: &mut Tools, name: &str) -> String {
    run(
        tools,
        &format!("SELECT body FROM handbook WHERE section = '{name}'"),
    )
}

/// Reads the notes of the desk, or those about one subject.
#[track_caller]
pub fn notes(tools: &mut Tools, subject: Option<&str>) -> String {
    match subject {
        Some(subject) => run(
            tools,
            &format!("SELECT * FROM desk_notes WHERE subject = '{subject}'"),
        ),
        None => run(tools, "SELECT * FROM desk_notes ORDER BY id"),
    }
}
