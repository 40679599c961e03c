//! Lines of the log of changed definitions.

use mcpmark_guest::Condition;
use mcpmark_guest_postgres::Database;

/// Day on which the work is done.
const TODAY: &str = "2026-06-22";

type Line = [Option<String>; 3];

fn lines(database: &Database) -> Result<Vec<Line>, String> {
    let rows = database.rows("schema_log");
    let rows = rows.get().map_err(|error| error.to_string())?;
    let lines = rows.select(["changed_on", "object", "change"]);
    Ok(lines
        .map(|line| line.map(|cell| cell.map(str::to_owned)))
        .collect())
}

/// Checks that one line of today about a table was added, with at least three words, and that all others stay.
pub fn has_line(start: &Database, end: &Database, table: &str) -> Condition {
    let (before, mut after) = match (lines(start), lines(end)) {
        (Ok(before), Ok(after)) => (before, after),
        (Err(error), _) | (_, Err(error)) => return Condition::fail(error),
    };
    for line in before {
        match after.iter().position(|other| *other == line) {
            Some(at) => drop(after.swap_remove(at)),
            None => return Condition::fail(format!("schema_log: expected the line {line:?}")),
        }
    }
    let is_right = |[on, object, change]: &Line| {
        let object = object.as_deref().unwrap_or_default();
        let change = change.as_deref().unwrap_or_default().trim();
        on.as_deref() == Some(TODAY)
            && object.trim().trim_start_matches("public.") == table
            && change.split_whitespace().count() >= 3
            && !change.ends_with("..")
    };
    let is_one = after.len() == 1 && after.iter().all(is_right);
    Condition::when(
        is_one,
        format!("expected one line of {TODAY} with a sentence about {table}, found {after:?}"),
    )
}
