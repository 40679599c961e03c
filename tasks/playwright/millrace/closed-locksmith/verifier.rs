//! Checks that the visits of the closed firm are cancelled, and its urgent jobs moved to its deputy.

#[path = "../changes.rs"]
mod changes;
#[path = "../tables.rs"]
mod tables;

use std::collections::BTreeSet;

use mcpmark_guest::{Condition, Verifier};

use crate::changes::{Visit, number, text, visit};
use crate::tables::table;

mcpmark_guest::verifier!(verify);

/// Firm that is closed, the one that stands in for it, and the days from the next one to the last.
const CLOSED: &str = "Keyes Locksmiths";
const DEPUTY: &str = "Tolliver Locks";
const DAYS: [&str; 4] = ["2026-01-13", "2026-01-14", "2026-01-15", "2026-01-16"];
const SLOTS: [&str; 2] = ["am", "pm"];

fn verify(task: &mut Verifier) {
    let (start, end) = (task.start(), task.end());
    let (firms, jobs, visits) = (
        table(start, "firms"),
        table(start, "jobs"),
        table(start, "visits"),
    );
    let id_of = |name: &str| {
        let firm = firms.records().find(|firm| firm.text("name") == Some(name));
        firm.map_or(0, |firm| number(firm, "id"))
    };
    let (closed, deputy) = (id_of(CLOSED), id_of(DEPUTY));
    let open: Vec<_> = jobs
        .records()
        .filter(|job| job.text("status") == Some("passed-on") && number(*job, "firm") == closed)
        .collect();
    let urgent: BTreeSet<i64> = open
        .iter()
        .filter(|job| job.text("priority") == Some("urgent"))
        .map(|job| number(*job, "id"))
        .collect();

    let all: BTreeSet<Visit> = visits.records().map(visit).collect();
    let of_firm = all.iter().filter(|(_, firm, ..)| *firm == closed);
    let cancelled: BTreeSet<Visit> = of_firm
        .filter(|(job, _, day, _)| {
            let is_later = day.as_str() >= DAYS[0];
            DAYS.contains(&day.as_str()) || (urgent.contains(job) && is_later)
        })
        .cloned()
        .collect();
    let free = DAYS
        .iter()
        .flat_map(|day| SLOTS.map(|slot| (day.to_string(), slot.to_owned())))
        .filter(|(day, slot)| {
            let is_taken =
                |(_, firm, other, at): &Visit| *firm == deputy && (other, at) == (day, slot);
            !all.iter().any(is_taken)
        });
    let booked: BTreeSet<Visit> = urgent
        .iter()
        .zip(free)
        .map(|(job, (day, slot))| (*job, deputy, day, slot))
        .collect();
    let comments: BTreeSet<(i64, String)> = open
        .iter()
        .map(|job| {
            let id = number(*job, "id");
            let comment = if urgent.contains(&id) {
                format!("Passed on to {DEPUTY}.")
            } else {
                format!("{CLOSED} is closed until 16 January 2026.")
            };
            (id, comment)
        })
        .collect();

    let after = table(end, "jobs");
    task.check(
        "urgent jobs",
        Condition::all(urgent.iter().map(|id| {
            match after.find("id", *id) {
                Some(job) => Condition::equal(&deputy, &number(job, "firm"))
                    .and(Condition::equal(&"passed-on", &text(job, "status")))
                    .at(format!("job #{id}")),
                None => Condition::fail(format!("job #{id} is missing")),
            }
        })),
    );
    task.check("visits", changes::visits(&cancelled, &booked, start, end));
    task.check("comments", changes::comments(&comments, start, end));
    let may_differ = |job: i64, column: &str| column == "firm" && urgent.contains(&job);
    task.check(
        "nothing else",
        changes::nothing_else(&may_differ, start, end),
    );
}
