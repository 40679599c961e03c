//! Open jobs are closed if they work again, and their firms chased if they are late.

#[path = "../changes.rs"]
mod changes;
#[path = "../tables.rs"]
mod tables;

use std::collections::BTreeSet;

use mcpmark_guest::{Condition, Tree, Verifier};
use mcpmark_guest_site::state::{Record, Table};

use crate::changes::{Visit, internal, number, text, visit};
use crate::tables::table;

mcpmark_guest::verifier!(verify);

/// First second of the day on which the world begins, 12 January 2026.
const TODAY: i64 = 1_768_176_000;
const TODAY_NAME: &str = "12 January 2026";
const DAY: i64 = 86_400;

/// Decision about an open job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Decision {
    Close,
    Chase,
    Leave,
}

/// Returns the comments on a job, in their order.
fn comments_on<'a>(comments: &'a Table, job: i64) -> impl DoubleEndedIterator<Item = Record<'a>> {
    comments
        .records()
        .filter(move |comment| number(*comment, "job") == job)
}

fn decide(job: Record<'_>, comments: &Table, visits: &BTreeSet<Visit>, note: &str) -> Decision {
    let id = number(job, "id");
    let last = comments_on(comments, id)
        .rfind(|comment| text(*comment, "author") == text(job, "reporter"));
    if last.is_some_and(|comment| text(comment, "text").contains("works again")) {
        return Decision::Close;
    }
    let told = comments_on(comments, id)
        .rfind(|comment| text(*comment, "text").starts_with("Passed on to "));
    let told = told.map_or(TODAY, |comment| number(comment, "time"));
    // Whole days, from midnight to midnight.
    let waited = (TODAY - told.div_euclid(DAY) * DAY) / DAY;
    let patience = match text(job, "priority") {
        "urgent" => 1,
        "high" => 3,
        _ => 5,
    };
    let is_expected = visits.iter().any(|(other, ..)| *other == id);
    let is_closed = note.contains("Closed from 12 to 16 January 2026");
    if waited > patience && !is_expected && !is_closed {
        Decision::Chase
    } else {
        Decision::Leave
    }
}

/// Checks that comments are marked as internal, or not, as the site does it.
fn marks(start: Tree, end: Tree) -> Condition {
    let before = table(start, "comments");
    let after = table(end, "comments");
    let new = after
        .records()
        .filter(|comment| before.find("id", number(*comment, "id")).is_none());
    let of = |comment: Record<'_>| {
        let is_known = matches!(comment.integer("internal"), Some(0 | 1));
        let id = number(comment, "id");
        Condition::when(is_known, format!("comment {id} has an unknown mark"))
    };
    Condition::all(new.map(of))
}

fn verify(task: &mut Verifier) {
    let (start, end) = (task.start(), task.end());
    let (firms, jobs, said) = (
        table(start, "firms"),
        table(start, "jobs"),
        table(start, "comments"),
    );
    let to_come: BTreeSet<Visit> = table(start, "visits")
        .records()
        .map(visit)
        .filter(|(_, _, day, _)| day.as_str() > "2026-01-12")
        .collect();
    let (mut done, mut closing, mut chasing) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    let open = jobs
        .records()
        .filter(|job| job.text("status") == Some("passed-on"));
    for job in open {
        let (id, firm) = (number(job, "id"), firms.find("id", number(job, "firm")));
        let firm = |column| firm.map_or("", |firm| text(firm, column));
        match decide(job, &said, &to_come, firm("note")) {
            Decision::Close => {
                done.insert(id);
                closing.insert((id, "Closed, because it works again.".to_owned()));
            }
            Decision::Chase => {
                let comment = format!("Chased {} on {TODAY_NAME}.", firm("name"));
                chasing.insert((id, internal(&comment)));
            }
            Decision::Leave => {}
        }
    }
    let off: BTreeSet<Visit> = to_come
        .into_iter()
        .filter(|(job, ..)| done.contains(job))
        .collect();
    let comments: BTreeSet<(i64, String)> = closing.union(&chasing).cloned().collect();

    let after = table(end, "jobs");
    task.check(
        "closed jobs",
        Condition::all(done.iter().map(|id| {
            match after.find("id", *id) {
                Some(job) => Condition::equal(&"done", &text(job, "status"))
                    .and(Condition::when(
                        job.integer("closed").is_some(),
                        "it has no closing time",
                    ))
                    .at(format!("job #{id}")),
                None => Condition::fail(format!("job #{id} is missing")),
            }
        })),
    );
    task.check(
        "comments",
        changes::comments(&comments, start, end).and(marks(start, end)),
    );
    task.check(
        "visits",
        changes::visits(&off, &BTreeSet::new(), start, end),
    );
    let may_differ =
        |job: i64, column: &str| matches!(column, "status" | "closed") && done.contains(&job);
    task.check(
        "nothing else",
        changes::nothing_else(&may_differ, start, end),
    );
}
