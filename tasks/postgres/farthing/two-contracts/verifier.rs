//! Contracts of the starting state, put in order person by person, and a database that refuses two at once.

mod log;
mod order;

use mcpmark_guest::jiff::ToSpan;
use mcpmark_guest::{Condition, Verifier};
use mcpmark_guest_postgres::{Database, Record, RowsExt};
use mcpmark_guest_sql::{FINAL, params};

use order::{Contract, Ordered};

mcpmark_guest::verifier!(verify);

const TABLE: &str = "contracts";
const TERMS: [&str; 8] = [
    "employee_id",
    "temporary",
    "pattern",
    "pay_kind",
    "pay",
    "annual_leave",
    "signed_on",
    "source",
];
const INSERT: &str = "INSERT INTO public.contracts (employee_id, since, until, temporary, pattern, pay_kind, pay, annual_leave, signed_on, source)
    VALUES ($1, $2, $3, $4, 'MTWTF--', 'hourly', 13.20, 25.0, '2026-06-22', 'portal')";

fn verify(task: &mut Verifier) {
    let (start, end) = (Database::of(task.start()), Database::of(task.end()));
    let ordered = Ordered::of(&start);
    let before = start.rows(TABLE).required();
    let mut expected = before.expected(["id"]);
    for (id, until) in &ordered.ends {
        expected.set([id], "until", Some(until));
    }
    for id in ordered.replaced.keys() {
        expected.remove([id]);
    }
    let ids = ordered.ids.clone();
    let is_old = move |row: &Record| {
        row.get("id")
            .is_some_and(|id| ids.iter().any(|it| it == id))
    };
    let found = end.rows(TABLE);
    let old = found.map(|rows| rows.filtered(&is_old));
    let stay = old.columns_equal(&expected, &[]);
    let when = old.columns_equal(&expected, &["since", "until"]);
    let terms = old.columns_equal(&expected, &TERMS);
    let is_ordered = [&stay, &when, &terms].iter().all(|it| it.passed());
    task.check("which contracts stay", stay);
    task.check("when contracts begin and end", when);
    task.check("the terms of contracts", terms);
    let new = found.map(|rows| rows.filtered(|row| !is_old(row)));
    let continued: Vec<Vec<Option<String>>> = ordered.continued.clone();
    let goes_on = new.satisfies(|rows| {
        let mut rows: Vec<Vec<Option<String>>> = rows
            .iter()
            .map(|row| {
                let columns = order::COLUMNS.iter();
                columns
                    .map(|name| row.get(name).map(str::to_owned))
                    .collect()
            })
            .collect();
        rows.sort();
        let missing = continued.iter().find(|row| !rows.contains(row));
        let other = rows.iter().find(|row| !continued.contains(row));
        Condition::when(
            rows == continued,
            format!(
                "expected {} new contracts, found {}; missing {missing:?}, not expected {other:?}",
                continued.len(),
                rows.len()
            ),
        )
    });
    let is_continued = goes_on.passed();
    task.check("what goes on after a temporary contract", goes_on);
    let mut payslips = start.rows("payslips").required().expected(["id"]);
    for row in start.rows("payslips").required().iter() {
        if let Some(holds) = ordered.replaced.get(row.text("contract_id")) {
            payslips.set([row.text("id")], "contract_id", Some(holds));
        }
    }
    let named = end.rows("payslips").equal(&payslips);
    let is_whole = is_ordered && is_continued && named.passed();
    task.check("payslips name their contracts", named);
    task.check(
        "two at once are refused",
        match is_whole {
            true => refuses(&ordered),
            false => {
                Condition::fail("expected contracts in order, which a database can be built from")
            }
        },
    );
    task.check("what was there for contracts", kept(&start, &end));
    task.check("numbers go on", numbers(&start, &end));
    task.check(
        "the log has a line about it",
        log::has_line(&start, &end, TABLE),
    );
    task.unchanged_except([
        "data/public/contracts.csv",
        "data/public/payslips.csv",
        "data/public/schema_log.csv",
        "extensions.sql",
        "schemas/public/constraints/contracts.sql",
        "schemas/public/indexes/contracts.sql",
        "schemas/public/triggers/contracts.sql",
        "schemas/public/functions/",
        "schemas/public/sequence-values.csv",
    ]);
}

/// Checks that a second contract for the same days is refused, by whatever way it comes in, and that all others come in.
fn refuses(ordered: &Ordered) -> Condition {
    let Some((open, ended, pair)) = ordered.examples() else {
        return Condition::fail("expected people with one contract, found none");
    };
    let mut copy = FINAL.scratch();
    copy.login("portal", "portal");
    copy.login("office", "ceri");
    copy.login("owner", "payroll");
    copy.login("again", "portal");
    let days = |contract: &Contract, since: &str, until: Option<&str>, temporary: bool| {
        params![
            contract.employee.as_str(),
            since,
            until,
            if temporary { "t" } else { "f" }
        ]
    };
    let summer = ("2026-07-01", Some("2026-08-31"));
    let first = pair.0.since.to_string();
    let before = (pair.0.since - 30.days()).to_string();
    let day_after = (ended.until.unwrap_or(ended.since) + 1.day()).to_string();
    let mut refused = vec![
        (
            "a new one beside an open one",
            copy.execute("portal", INSERT, days(&open, summer.0, None, false)),
        ),
        (
            "a limited one beside an open one",
            copy.execute("portal", INSERT, days(&open, summer.0, summer.1, false)),
        ),
        (
            "a temporary one beside an open one",
            copy.execute("office", INSERT, days(&open, summer.0, summer.1, true)),
        ),
        (
            "one day too many",
            copy.execute(
                "office",
                INSERT,
                days(&pair.0, &before, Some(&first), false),
            ),
        ),
        (
            "one that the owner of the table enters",
            copy.execute("owner", INSERT, days(&open, summer.0, None, false)),
        ),
        (
            "an old one that is open again",
            copy.execute(
                "portal",
                "UPDATE public.contracts SET until = NULL WHERE id = $1",
                params![pair.0.id.as_str()],
            ),
        ),
        (
            "one that begins earlier",
            copy.execute(
                "office",
                "UPDATE public.contracts SET since = since - 1 WHERE id = $1",
                params![pair.1.id.as_str()],
            ),
        ),
    ];
    let end = "UPDATE public.contracts SET until = '2026-06-30' WHERE id = $1";
    let mut accepted = vec![
        (
            "one that was called off",
            copy.execute(
                "portal",
                INSERT,
                days(&open, "2026-08-01", Some("2026-07-31"), false),
            ),
        ),
        (
            "another one that was called off",
            copy.execute(
                "office",
                INSERT,
                days(&open, "2026-08-01", Some("2026-07-31"), false),
            ),
        ),
        (
            "the day before the first one",
            copy.execute(
                "portal",
                INSERT,
                days(
                    &pair.0,
                    &before,
                    Some(&(pair.0.since - 1.day()).to_string()),
                    false,
                ),
            ),
        ),
        (
            "the end of an open one",
            copy.execute("portal", end, params![open.id.as_str()]),
        ),
        (
            "a temporary one after it",
            copy.execute("portal", INSERT, days(&open, summer.0, summer.1, true)),
        ),
        (
            "the next one after that",
            copy.execute("portal", INSERT, days(&open, "2026-09-01", None, false)),
        ),
        (
            "a note on an old one",
            copy.execute(
                "office",
                "UPDATE public.contracts SET source = 'office' WHERE id = $1",
                params![pair.0.id.as_str()],
            ),
        ),
    ];
    copy.execute("portal", "BEGIN", params![]);
    let again = copy.execute("portal", INSERT, days(&ended, &day_after, None, false));
    accepted.push(("a return on the day after the last one", again));
    refused.push((
        "one that comes in at the same time",
        copy.execute(
            "again",
            INSERT,
            days(&ended, &day_after, Some("2027-12-31"), false),
        ),
    ));
    copy.execute("portal", "COMMIT", params![]);
    let results = copy.run();
    for (name, step) in refused {
        if results.error(step).is_none() {
            return Condition::fail(format!("{name}: expected an error, found none"));
        }
    }
    for (name, step) in accepted {
        if let Some(error) = results.error(step) {
            return Condition::fail(format!("{name}: expected no error, found {error}"));
        }
    }
    Condition::pass("a person has one contract at a time")
}

/// Checks that no constraint, index or function was dropped or changed, and that no other extension was added.
fn kept(start: &Database, end: &Database) -> Condition {
    let all = |database: &Database| -> Vec<String> {
        let of_table = ["constraints", "indexes", "triggers"]
            .iter()
            .flat_map(|kind| database.statements(kind, TABLE));
        let functions = ["check_pay_run", "pattern_days"]
            .iter()
            .flat_map(|name| database.statements("functions", name));
        of_table.chain(functions).collect()
    };
    let (before, after) = (all(start), all(end));
    let lost = before.iter().find(|it| !after.contains(it));
    Condition::when(
        lost.is_none(),
        format!("expected {lost:?}, found {after:?}"),
    )
}

/// Checks that no other sequence changed, and that the next number of contracts is a new one.
fn numbers(start: &Database, end: &Database) -> Condition {
    let name = "contracts_id_seq";
    let (mut before, mut after) = (start.sequences("public"), end.sequences("public"));
    before.remove(name);
    let next = after.remove(name);
    let rows = end.rows("contracts");
    let highest = rows.get().ok().and_then(|rows| {
        let ids = rows.select(["id"]);
        ids.filter_map(|[id]| id?.parse::<i64>().ok()).max()
    });
    Condition::when(
        before == after && next >= highest,
        format!("expected {before:?} and at least {highest:?}, found {after:?} and {next:?}"),
    )
}
