//! Changes of the repairs desk between the starting state and the final one.

use std::collections::{BTreeMap, BTreeSet};

use mcpmark_guest::{Condition, Tree};
use mcpmark_guest_site::state::{Record, Table};

use crate::tables::{JOB_COLUMNS, sorted_lines, table};

/// Account of the agent.
const CLERK: &str = "ines.okoro";
/// Tables that no task of the desk changes.
const FIXED: [&str; 4] = ["accounts", "firms", "houses", "pages"];

/// Visit: job, firm, day, slot.
pub type Visit = (i64, i64, String, String);

/// Returns the value of an integer column, or 0.
pub fn number(record: Record<'_>, column: &str) -> i64 {
    record.integer(column).unwrap_or_default()
}

/// Returns the value of a text column, or an empty text.
pub fn text<'a>(record: Record<'a>, column: &str) -> &'a str {
    record.text(column).unwrap_or_default()
}

/// Returns a visit of a row.
pub fn visit(record: Record<'_>) -> Visit {
    let text = |column| text(record, column).to_owned();
    let (job, firm) = (number(record, "job"), number(record, "firm"));
    (job, firm, text("day"), text("slot"))
}

/// Returns the rows of a table that another one lacks, by their ids.
fn only_in<'a>(table: &'a Table, other: &Table) -> Vec<Record<'a>> {
    let is_missing = |record: &Record<'_>| other.find("id", number(*record, "id")).is_none();
    table.records().filter(is_missing).collect()
}

/// Compares the new comments with the expected ones: job and text, marked if only the desk can read it.
pub fn comments(expected: &BTreeSet<(i64, String)>, start: Tree, end: Tree) -> Condition {
    let (start, end) = (table(start, "comments"), table(end, "comments"));
    let mut found: BTreeMap<i64, Vec<String>> = BTreeMap::new();
    for comment in only_in(&end, &start) {
        let mut written = text(comment, "text").trim().to_owned();
        if comment.integer("internal") != Some(0) {
            written = internal(&written);
        }
        if comment.text("author") != Some(CLERK) {
            written.push_str(" (of another account)");
        }
        found
            .entry(number(comment, "job"))
            .or_default()
            .push(written);
    }
    let mut wanted: BTreeMap<i64, Vec<String>> = BTreeMap::new();
    for (job, comment) in expected {
        wanted.entry(*job).or_default().push(comment.clone());
    }
    Condition::equal(&wanted, &found)
}

/// Returns an expected comment that only the desk can read.
pub fn internal(comment: &str) -> String {
    format!("{comment} (internal)")
}

/// Compares the cancelled and the new visits with the expected ones.
pub fn visits(
    cancelled: &BTreeSet<Visit>,
    booked: &BTreeSet<Visit>,
    start: Tree,
    end: Tree,
) -> Condition {
    let (start, end) = (table(start, "visits"), table(end, "visits"));
    // A visit that is cancelled and booked again has another id, and is the same for everybody.
    let all = |table: &Table| -> BTreeSet<Visit> { table.records().map(visit).collect() };
    let mut wanted = all(&start);
    wanted.retain(|visit| !cancelled.contains(visit));
    wanted.extend(booked.iter().cloned());
    let found = all(&end);
    let missing: Vec<_> = wanted.difference(&found).collect();
    let surplus: Vec<_> = found.difference(&wanted).collect();
    let is_once = end.records().len() == found.len();
    Condition::when(missing.is_empty(), format!("missing: {missing:?}"))
        .and(Condition::when(
            surplus.is_empty(),
            format!("not expected: {surplus:?}"),
        ))
        .and(Condition::when(is_once, "a visit is there twice"))
}

/// Checks that only those values of jobs differ that may, and nothing of other tables except comments that were added
/// and visits.
pub fn nothing_else(may_differ: &dyn Fn(i64, &str) -> bool, start: Tree, end: Tree) -> Condition {
    let mut conditions = Vec::new();
    for name in FIXED {
        // Rows have no order of their own.
        let is_same = sorted_lines(start, name) == sorted_lines(end, name);
        conditions.push(Condition::when(is_same, format!("{name}: rows differ")));
    }
    let (before, after) = (table(start, "comments"), table(end, "comments"));
    for record in before.records() {
        let id = number(record, "id");
        let is_kept = after.find("id", id) == Some(record);
        conditions.push(Condition::when(is_kept, format!("comment {id} differs")));
    }
    let (before, after) = (table(start, "visits"), table(end, "visits"));
    for record in before.records() {
        let id = number(record, "id");
        let is_kept = after.find("id", id).is_none_or(|other| other == record);
        conditions.push(Condition::when(is_kept, format!("visit {id} differs")));
    }
    let (before, after) = (table(start, "jobs"), table(end, "jobs"));
    let is_as_many = before.records().len() == after.records().len();
    conditions.push(Condition::when(is_as_many, "the number of jobs differs"));
    for job in before.records() {
        let id = number(job, "id");
        let Some(found) = after.find("id", id) else {
            conditions.push(Condition::fail(format!("job #{id} is missing")));
            continue;
        };
        for column in JOB_COLUMNS {
            let is_kept = job.get(column) == found.get(column) || may_differ(id, column);
            conditions.push(Condition::when(
                is_kept,
                format!("job #{id}: its {column} differs"),
            ));
        }
    }
    Condition::all(conditions)
}
