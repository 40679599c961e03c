//! The new jobs of Tanner's Row are handled as the handbook of the desk says.

#[path = "../../../../worlds/playwright/millrace/reports.rs"]
#[allow(dead_code, reason = "the setup routine uses the rest of it")]
mod reports;
mod rules;
#[path = "../tables.rs"]
mod tables;

use std::collections::BTreeMap;

use mcpmark_guest::{Condition, Tree, Verifier};
use mcpmark_guest_site::state::{Record, Table};

use crate::rules::{Decision, Outcome, decisions};
use crate::tables::table;

mcpmark_guest::verifier!(verify);

/// Account of the agent.
const CLERK: &str = "ines.okoro";
/// Tables that do not change.
const FIXED: [&str; 4] = ["accounts", "firms", "houses", "pages"];
/// Columns of a job that the desk changes.
const CHANGED: [&str; 6] = [
    "category",
    "priority",
    "status",
    "firm",
    "duplicate_of",
    "closed",
];

fn verify(task: &mut Verifier) {
    let expected = decisions(task.start());
    let jobs = table(task.end(), "jobs");
    let of_job = |id: i64, test: &dyn Fn(Record<'_>) -> Condition| match jobs.find("id", id) {
        Some(job) => test(job).at(format!("job #{id}")),
        None => Condition::fail(format!("job #{id} is missing")),
    };
    let each = |select: &dyn Fn(&Decision) -> Option<Condition>| {
        Condition::all(expected.iter().filter_map(select))
    };
    task.check(
        "duplicates",
        each(&|decision| {
            let original = match decision.outcome {
                Outcome::Duplicate { original } => Some(original),
                Outcome::PassedOn { .. } => None,
            };
            Some(of_job(decision.job, &|job| {
                let found = job.integer("duplicate_of");
                let is_closed = job.integer("closed").is_some();
                let is_duplicate = job.text("status") == Some("duplicate");
                Condition::equal(&original, &found)
                    .and(Condition::equal(&original.is_some(), &is_duplicate))
                    .and(Condition::equal(&original.is_some(), &is_closed))
            }))
        }),
    );
    task.check(
        "categories",
        each(&|decision| {
            let Outcome::PassedOn { .. } = decision.outcome else {
                return None;
            };
            Some(of_job(decision.job, &|job| {
                Condition::equal(&Some(decision.category), &job.text("category"))
            }))
        }),
    );
    task.check(
        "priorities",
        each(&|decision| {
            let Outcome::PassedOn { priority, .. } = decision.outcome else {
                return None;
            };
            Some(of_job(decision.job, &|job| {
                Condition::equal(&Some(priority), &job.text("priority"))
            }))
        }),
    );
    task.check(
        "firms",
        each(&|decision| {
            let Outcome::PassedOn { firm, .. } = decision.outcome else {
                return None;
            };
            Some(of_job(decision.job, &|job| {
                Condition::equal(&Some("passed-on"), &job.text("status"))
                    .and(Condition::equal(&Some(firm), &job.integer("firm")))
            }))
        }),
    );
    let (start, end) = (task.start(), task.end());
    task.check("comments", comments(&expected, start, end));
    task.check("visits", visits(&expected, start, end));
    task.check("nothing else", untouched(&expected, start, end));
}

/// Returns the rows that only the final state has.
fn added<'a>(start: &Table, end: &'a Table) -> Vec<Record<'a>> {
    let is_new = |record: &Record<'_>| {
        let id = record.integer("id").unwrap_or_default();
        start.find("id", id).is_none()
    };
    end.records().filter(is_new).collect()
}

fn comments(expected: &[Decision], start: Tree, end: Tree) -> Condition {
    let (start, end) = (table(start, "comments"), table(end, "comments"));
    let mut found: BTreeMap<i64, Vec<String>> = BTreeMap::new();
    for comment in added(&start, &end) {
        let text = comment.text("text").unwrap_or_default().trim().to_owned();
        let is_internal = comment.integer("internal") != Some(0);
        let is_of_clerk = comment.text("author") == Some(CLERK);
        let text = match (is_of_clerk, is_internal) {
            (true, false) => text,
            (true, true) => format!("{text} (internal)"),
            (false, _) => format!("{text} (of another account)"),
        };
        found
            .entry(comment.integer("job").unwrap_or_default())
            .or_default()
            .push(text);
    }
    let wanted: BTreeMap<i64, Vec<String>> = expected
        .iter()
        .map(|decision| (decision.job, vec![decision.comment.clone()]))
        .collect();
    Condition::equal(&wanted, &found)
}

fn visits(expected: &[Decision], start: Tree, end: Tree) -> Condition {
    let (start, end) = (table(start, "visits"), table(end, "visits"));
    let found: Vec<(i64, i64, &str, &str)> = added(&start, &end)
        .into_iter()
        .map(|visit| {
            let number = |column| visit.integer(column).unwrap_or_default();
            let text = |column| visit.text(column).unwrap_or_default();
            (number("job"), number("firm"), text("day"), text("slot"))
        })
        .collect();
    let mut wanted = Vec::new();
    for decision in expected {
        if let Outcome::PassedOn {
            firm,
            visit: Some((day, slot)),
            ..
        } = &decision.outcome
        {
            wanted.push((decision.job, *firm, day.as_str(), *slot));
        }
    }
    let sorted = |mut visits: Vec<_>| {
        visits.sort_unstable();
        visits
    };
    Condition::equal(&sorted(wanted), &sorted(found))
}

/// Everything else is as at the start: other tables, other jobs, the reports themselves, earlier comments and visits.
fn untouched(expected: &[Decision], start: Tree, end: Tree) -> Condition {
    let mut conditions = Vec::new();
    for name in FIXED {
        // Rows have no order of their own.
        let is_same = tables::sorted_lines(start, name) == tables::sorted_lines(end, name);
        conditions.push(Condition::when(is_same, format!("{name}: rows differ")));
    }
    for name in ["comments", "visits"] {
        let (before, after) = (table(start, name), table(end, name));
        for record in before.records() {
            let id = record.integer("id").unwrap_or_default();
            let is_kept = after.find("id", id) == Some(record);
            if !is_kept {
                conditions.push(Condition::fail(format!("{name}: entry {id} differs")));
            }
        }
    }
    let (before, after) = (table(start, "jobs"), table(end, "jobs"));
    if after.records().len() != before.records().len() {
        conditions.push(Condition::fail("the number of jobs differs"));
    }
    for job in before.records() {
        let id = job.integer("id").unwrap_or_default();
        let decision = expected.iter().find(|decision| decision.job == id);
        let Some(found) = after.find("id", id) else {
            conditions.push(Condition::fail(format!("job #{id} is missing")));
            continue;
        };
        let is_duplicate =
            decision.is_some_and(|it| matches!(it.outcome, Outcome::Duplicate { .. }));
        for column in tables::JOB_COLUMNS {
            let is_open_to_change = match decision {
                None => false,
                // The category of a duplicate may be corrected first, because it decides.
                Some(_) if is_duplicate => {
                    matches!(column, "category" | "status" | "duplicate_of" | "closed")
                }
                Some(_) => CHANGED.contains(&column),
            };
            if !is_open_to_change && job.get(column) != found.get(column) {
                conditions.push(Condition::fail(format!("job #{id}: its {column} differs")));
            }
        }
    }
    Condition::all(conditions)
}
