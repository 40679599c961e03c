//! Lines of the log of changed definitions.

#![allow(dead_code)]

use std::collections::BTreeSet;

use mcpmark_guest::Condition;
use mcpmark_guest_postgres::Database;

/// Day on which the work is done.
const TODAY: &str = "2026-05-04";

type Line = [Option<String>; 3];

fn lines(database: &Database) -> Result<Vec<Line>, String> {
    let rows = database.rows("schema_log");
    let rows = rows.get().map_err(|error| error.to_string())?;
    let names = ["changed_on", "object", "change"];
    if let Some(missing) = names
        .iter()
        .find(|name| !rows.columns().iter().any(|it| it == *name))
    {
        return Err(format!("schema_log: expected a column {missing}"));
    }
    let lines = rows.select(names);
    Ok(lines
        .map(|line| line.map(|cell| cell.map(str::to_owned)))
        .collect())
}

/// Checks that there is one new line of today for each of these objects, with a sentence, and no other new line.
pub fn has_lines(start: &Database, end: &Database, objects: &[&str]) -> Condition {
    has_lines_or(start, end, objects, |_| false)
}

/// Checks the same, and allows lines about further objects.
pub fn has_lines_or(
    start: &Database,
    end: &Database,
    objects: &[&str],
    may_be: impl Fn(&str) -> bool,
) -> Condition {
    let (before, after) = match (lines(start), lines(end)) {
        (Ok(before), Ok(after)) => (before, after),
        (Err(error), _) | (_, Err(error)) => return Condition::fail(error),
    };
    let mut rest = before;
    let mut new = Vec::new();
    for line in after {
        match rest.iter().position(|other| *other == line) {
            Some(at) => drop(rest.swap_remove(at)),
            None => new.push(line),
        }
    }
    let named: Vec<&str> = new
        .iter()
        .filter(|[on, _, change]| {
            on.as_deref() == Some(TODAY) && is_sentence(change.as_deref().unwrap_or_default())
        })
        .filter_map(|[_, object, _]| object.as_deref())
        .map(|object| object.trim().trim_start_matches("public."))
        .collect();
    let (found, wanted): (BTreeSet<&str>, BTreeSet<&str>) = (
        named.iter().copied().collect(),
        objects.iter().copied().collect(),
    );
    let fits = wanted.is_subset(&found)
        && found
            .iter()
            .all(|object| wanted.contains(object) || may_be(object))
        && named.len() == new.len()
        && new.len() == found.len();
    Condition::when(
        fits,
        format!(
            "expected one line of {TODAY} with a sentence for each of {wanted:?}, found {new:?}"
        ),
    )
}

/// Returns true for at least three words with one end, or with an ellipsis.
fn is_sentence(text: &str) -> bool {
    let text = text.trim();
    let ends = text.len() - text.trim_end_matches('.').len();
    text.split_whitespace().count() >= 3 && ends != 2
}

/// Checks that all earlier lines are there.
pub fn keeps_lines(start: &Database, end: &Database) -> Condition {
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
    Condition::pass("all lines are there")
}
