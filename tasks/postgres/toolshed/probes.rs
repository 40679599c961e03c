//! Statements of several accounts in a throw-away copy of the final state.

#![allow(dead_code)]

use std::collections::{BTreeMap, BTreeSet};

use mcpmark_guest::Condition;
use mcpmark_guest_postgres::Database;
use mcpmark_guest_sql::{FINAL, Results, Scratch, StepId, params};

/// Day on which attempts begin.
pub const TODAY: &str = "2026-05-11";

/// Time at which attempts begin, in seconds since 1970.
pub const NOW: i64 = 1_778_486_400;

/// Number of rows by shop.
pub type Counts = BTreeMap<i64, i64>;

/// Begins a list of steps at the time at which attempts begin.
pub fn copy() -> Scratch {
    let mut copy = FINAL.scratch();
    copy.clock(NOW);
    copy
}

/// Lets a session of the app work for a shop.
pub fn work_for(copy: &mut Scratch, session: &str, shop: i64) -> StepId {
    copy.execute(session, &format!("SET app.tenant = '{shop}'"), params![])
}

/// Counts the rows of a table by shop.
pub fn count(copy: &mut Scratch, session: &str, relation: &str) -> StepId {
    let text = format!("SELECT tenant_id, count(*) FROM {relation} GROUP BY 1 ORDER BY 1");
    copy.execute(session, &text, params![])
}

/// Returns the numbers of rows by shop, of the shops that fulfil a condition.
pub fn expected(start: &Database, table: &str, keep: impl Fn(i64) -> bool) -> Counts {
    let mut counts = Counts::new();
    for row in start.rows(table).required().iter() {
        let shop = row.integer("tenant_id");
        if keep(shop) {
            *counts.entry(shop).or_default() += 1;
        }
    }
    counts
}

/// Checks the numbers of rows that a session saw.
pub fn saw(results: &Results, step: StepId, expected: &Counts, place: &str) -> Condition {
    let condition = match results.of(step) {
        Err(error) => Condition::fail(format!("expected rows, found {error}")),
        Ok(rows) => {
            let (shops, counts) = (rows.column::<i64>("tenant_id"), rows.column::<i64>("count"));
            match (shops, counts) {
                (Ok(shops), Ok(counts)) => {
                    let found: Counts = shops.into_iter().zip(counts).collect();
                    let first = expected.keys().chain(found.keys()).copied();
                    let different: BTreeSet<i64> = first
                        .filter(|it| expected.get(it) != found.get(it))
                        .collect();
                    let differs = different.first();
                    Condition::when(
                        differs.is_none(),
                        differs.map_or_else(String::new, |shop| {
                            format!(
                                "expected {} rows of shop {shop}, found {}",
                                expected.get(shop).unwrap_or(&0),
                                found.get(shop).unwrap_or(&0)
                            )
                        }),
                    )
                }
                (shops, counts) => Condition::fail(format!("{shops:?}, {counts:?}")),
            }
        }
    };
    condition.at(place)
}

/// Checks that a statement changed some number of rows.
pub fn changed(results: &Results, step: StepId, rows: u64, place: &str) -> Condition {
    match results.of(step) {
        Ok(found) => Condition::equal(&Some(rows), &found.affected()),
        Err(error) => Condition::fail(format!("expected {rows} changed rows, found {error}")),
    }
    .at(place)
}

/// Checks that a statement was refused, or found no row that it could change.
pub fn refused(results: &Results, step: StepId, place: &str) -> Condition {
    let affected = results.of(step).ok().and_then(|rows| rows.affected());
    Condition::when(
        affected.unwrap_or(0) == 0,
        format!("expected an error or no row, found {affected:?} changed rows"),
    )
    .at(place)
}

/// Checks that a statement failed with one of these codes.
pub fn failed(results: &Results, step: StepId, codes: &[&str], place: &str) -> Condition {
    let found = results.error(step);
    Condition::when(
        found.is_some_and(|error| codes.contains(&error.code.as_str())),
        format!("expected an error {codes:?}, found {found:?}"),
    )
    .at(place)
}

/// Checks that all steps of a preparation succeeded.
pub fn worked(results: &Results, steps: &[StepId], place: &str) -> Condition {
    let error = steps.iter().find_map(|step| results.error(*step));
    Condition::when(
        error.is_none(),
        format!("expected no error, found {error:?}"),
    )
    .at(place)
}
