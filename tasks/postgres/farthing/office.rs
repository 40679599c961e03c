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

/// Returns the description of a table.
#[track_caller]
pub fn describe(tools: &mut Tools, table: &str) -> String {
    let arguments = json!({"schema_name": "public", "object_name": table, "object_type": "table"});
    tools.text("get_object_details", &arguments)
}

/// Reads some sections of the handbook.
#[track_caller]
pub fn handbook(tools: &mut Tools, sections: &[&str]) -> String {
    let list: Vec<String> = sections.iter().map(|name| format!("'{name}'")).collect();
    let sql = format!(
        "SELECT title, body FROM handbook WHERE section IN ({})",
        list.join(", ")
    );
    run(tools, &sql)
}

/// Reads all notes.
#[track_caller]
pub fn notes(tools: &mut Tools) -> String {
    run(
        tools,
        "SELECT written_on, author, subject, body FROM notes ORDER BY id",
    )
}

/// Executes statements one after the other.
#[track_caller]
pub fn run_all(tools: &mut Tools, statements: &[&str]) {
    for sql in statements {
        run(tools, sql);
    }
}
