//! Three queries about the pay of a month, decided by hours, contracts and supplements, and letters judged by their facts.

mod facts;
mod letters;

use std::collections::BTreeMap;

use mcpmark_guest::jiff::civil::{Date, date};
use mcpmark_guest::rust_decimal::{Decimal, RoundingStrategy};
use mcpmark_guest::{Condition, Found, Verifier};
use mcpmark_guest_postgres::{Database, Expected, Record, Rows, RowsExt};

mcpmark_guest::verifier!(verify);

/// Queries of the three.
const QUERIES: [&str; 3] = ["5", "6", "7"];
const MONTH: &str = "2026-05-01";
/// First and last day of the month, and the last day on which its hours are approved in time.
const MAY: (Date, Date, Date) = (date(2026, 5, 1), date(2026, 5, 31), date(2026, 6, 3));
/// Supplement for public holidays at this client, from May on.
const SUPPLEMENT: (i64, u32) = (60, 2);
const TODAY: &str = "2026-06-22";
const ADJUSTMENT: [&str; 8] = [
    "employee_id",
    "run_id",
    "kind",
    "for_month",
    "amount",
    "query_id",
    "entered_on",
    "entered_by",
];

fn verify(task: &mut Verifier) {
    let (start, end) = (Database::of(task.start()), Database::of(task.end()));
    let before = start.rows("queries").required();
    let people = QUERIES.map(|query| of_query(&before, query));
    let [rosa, tomas, iveta] = &people;
    let due = [
        ("arrears", late_hours(&start, rosa)),
        ("holiday_work", missing_supplement(&start, tomas)),
        ("correction", wrong_rate(&start, iveta)),
    ];
    let mut queries = before.expected(["id"]).ignoring("answer");
    let mut new = Vec::new();
    let run = open_run(&start, rosa);
    for ((query, person), (kind, amount)) in QUERIES.iter().zip(&people).zip(&due) {
        let is_due = *amount > Decimal::ZERO;
        let sum = format!("{amount:.2}");
        queries.set(
            [query],
            "status",
            Some(if is_due { "granted" } else { "refused" }),
        );
        queries.set([query], "amount", Some(&sum));
        queries.set([query], "decided_on", Some(TODAY));
        queries.set([query], "decided_by", Some("ceri"));
        if is_due {
            let row = [
                person.as_str(),
                &run,
                kind,
                MONTH,
                &sum,
                query,
                TODAY,
                "ceri",
            ];
            new.push(row.map(|cell| Some(cell.to_owned())).to_vec());
        }
    }
    let found = end.rows("queries");
    task.check(
        "who gets something",
        found.columns_equal(&queries, &["status"]),
    );
    task.check("how much", found.columns_equal(&queries, &["amount"]));
    task.check(
        "who decided and when",
        found.columns_equal(&queries, &["decided_on", "decided_by"]),
    );
    task.check(
        "the other queries and all letters to us",
        found
            .columns_equal(&queries, &["received_on", "employee_id", "month", "letter"])
            .and(
                found
                    .map(|rows| rows.filtered(is_other))
                    .equal(&others(&before)),
            ),
    );
    task.check("what comes with the next run", adjusted(&start, &end, &new));
    task.check("numbers go on", numbers(&start, &end));
    for (query, facts) in QUERIES.into_iter().zip(facts::all()) {
        let text = answer(&found, query);
        for (name, condition) in letters::conditions(&text, &facts) {
            task.check(format!("the letter to {}: {name}", facts.to), condition);
        }
    }
    task.unchanged_except([
        "data/public/queries.csv",
        "data/public/adjustments.csv",
        "schemas/public/sequence-values.csv",
    ]);
}

fn is_other(row: &Record) -> bool {
    !row.get("id").is_some_and(|id| QUERIES.contains(&id))
}

fn others(before: &Rows) -> Expected {
    before.filtered(is_other).expected(["id"])
}

/// Returns the number of the person of a query.
fn of_query(queries: &Rows, query: &str) -> String {
    let row = queries.iter().find(|row| row.get("id") == Some(query));
    row.expect("the query").text("employee_id").to_owned()
}

/// Returns the number of the open run of the client of a person.
fn open_run(start: &Database, person: &str) -> String {
    let people = start.rows("employees").required();
    let row = people.iter().find(|row| row.get("id") == Some(person));
    let client = row.expect("the person").text("client").to_owned();
    let runs = start.rows("pay_runs").required();
    let open = runs
        .iter()
        .find(|row| row.text("client") == client && row.text("status") == "open");
    open.expect("an open run").text("id").to_owned()
}

/// Returns the rate of a person on a day.
fn rate(start: &Database, person: &str, day: Date) -> Decimal {
    let contracts = start.rows("contracts").required();
    let holds = contracts.iter().find(|row| {
        row.text("employee_id") == person
            && row.date("since") <= day
            && row.get("until").is_none_or(|_| row.date("until") >= day)
    });
    holds.expect("a contract").decimal("pay")
}

fn in_pennies(amount: Decimal) -> Decimal {
    amount.round_dp_with_strategy(2, RoundingStrategy::MidpointAwayFromZero)
}

/// Returns days, hours and approvals of a person in the month.
fn sheets(start: &Database, person: &str) -> BTreeMap<Date, (Decimal, Option<Date>)> {
    let rows = start.rows("timesheets").required();
    let own = rows.iter().filter(|row| {
        row.text("employee_id") == person && (MAY.0..=MAY.1).contains(&row.date("day"))
    });
    own.map(|row| {
        let approved = row.get("approved_on").map(|_| row.date("approved_on"));
        (row.date("day"), (row.decimal("hours"), approved))
    })
    .collect()
}

/// Returns the pay for hours that were approved after the month was closed.
fn late_hours(start: &Database, person: &str) -> Decimal {
    let late = sheets(start, person).into_iter();
    late.filter(|(_, (_, approved))| approved.is_some_and(|on| on > MAY.2))
        .map(|(day, (hours, _))| in_pennies(hours * rate(start, person, day)))
        .sum()
}

/// Returns the supplement for all public holidays of the month, less what the payslip has.
fn missing_supplement(start: &Database, person: &str) -> Decimal {
    let days: Vec<Date> = start
        .rows("public_holidays")
        .required()
        .iter()
        .map(|row| row.date("day"))
        .collect();
    let all: Decimal = sheets(start, person)
        .into_iter()
        .filter(|(day, (_, approved))| days.contains(day) && approved.is_some_and(|on| on <= MAY.2))
        .map(|(day, (hours, _))| {
            let pay = in_pennies(hours * rate(start, person, day));
            in_pennies(pay * Decimal::new(SUPPLEMENT.0, SUPPLEMENT.1))
        })
        .sum();
    all - paid(start, person, "holiday_work")
}

/// Returns what is missing if each hour of the month is paid with the rate of its day.
fn wrong_rate(start: &Database, person: &str) -> Decimal {
    let all: Decimal = sheets(start, person)
        .into_iter()
        .filter(|(_, (_, approved))| approved.is_some_and(|on| on <= MAY.2))
        .map(|(day, (hours, _))| in_pennies(hours * rate(start, person, day)))
        .sum();
    all - paid(start, person, "hours")
}

/// Returns the sum of the lines of a kind on the payslip of the month.
fn paid(start: &Database, person: &str, kind: &str) -> Decimal {
    let runs = start.rows("pay_runs").required();
    let of_month: Vec<String> = runs
        .iter()
        .filter(|row| row.text("month") == MONTH)
        .map(|row| row.text("id").to_owned())
        .collect();
    let slips = start.rows("payslips").required();
    let slip = slips
        .iter()
        .find(|row| {
            row.text("employee_id") == person && of_month.iter().any(|id| id == row.text("run_id"))
        })
        .expect("a payslip")
        .text("id")
        .to_owned();
    let lines = start.rows("payslip_lines").required();
    let own = lines
        .iter()
        .filter(|row| row.text("payslip_id") == slip && row.text("kind") == kind);
    own.map(|row| row.decimal("amount")).sum()
}

/// Checks that the adjustments of before are there, and these new ones.
fn adjusted(start: &Database, end: &Database, expected: &[Vec<Option<String>>]) -> Condition {
    let (before, after) = (
        start.rows("adjustments").required(),
        end.rows("adjustments"),
    );
    let is_old = |row: &Record| before.iter().any(|old| old.get("id") == row.get("id"));
    let old = after.map(|rows| rows.filtered(is_old));
    let new = after.map(|rows| rows.filtered(|row| !is_old(row)));
    old.equal(&before.expected(["id"]))
        .and(new.satisfies(|rows| {
            let mut found: Vec<Vec<Option<String>>> = rows
                .iter()
                .map(|row| {
                    let cells = ADJUSTMENT.iter().map(|name| row.get(name));
                    cells.map(|cell| cell.map(str::to_owned)).collect()
                })
                .collect();
            found.sort();
            let mut expected = expected.to_vec();
            expected.sort();
            Condition::when(
                found == expected,
                format!("expected the new adjustments {expected:?}, found {found:?}"),
            )
        }))
}

/// Checks that no other sequence changed, and that the next number of adjustments is a new one.
fn numbers(start: &Database, end: &Database) -> Condition {
    let name = "adjustments_id_seq";
    let (mut before, mut after) = (start.sequences("public"), end.sequences("public"));
    before.remove(name);
    let next = after.remove(name);
    let rows = end.rows("adjustments");
    let highest = rows.get().ok().and_then(|rows| {
        let ids = rows.select(["id"]);
        ids.filter_map(|[id]| id?.parse::<i64>().ok()).max()
    });
    Condition::when(
        before == after && next >= highest,
        format!("expected {before:?} and at least {highest:?}, found {after:?} and {next:?}"),
    )
}

fn answer(queries: &Found<Rows>, id: &str) -> Found<String> {
    queries.try_map(|rows| {
        let row = rows.iter().find(|row| row.get("id") == Some(id));
        let row = row.ok_or_else(|| format!("expected a query {id}"))?;
        let answer = row.get("answer").filter(|text| !text.trim().is_empty());
        answer
            .map(str::to_owned)
            .ok_or_else(|| format!("query {id}: expected an answer"))
    })
}
