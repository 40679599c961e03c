//! The leave of the people of one client, day by day from the starting state.

use std::collections::BTreeMap;

use mcpmark_guest::Verifier;
use mcpmark_guest::jiff::ToSpan;
use mcpmark_guest::jiff::civil::{Date, date};
use mcpmark_guest_postgres::{Database, Expected, Record, RowsExt};

mcpmark_guest::verifier!(verify);

const TABLE: &str = "leave_balances";
const KEY: [&str; 2] = ["as_of", "employee_id"];
const COLUMNS: [&str; 5] = ["as_of", "employee_id", "entitled", "taken", "remaining"];
const CLIENT: &str = "QUI";
const FIRST: Date = date(2026, 1, 1);
const AS_OF: Date = date(2026, 5, 31);

fn verify(task: &mut Verifier) {
    let (start, end) = (Database::of(task.start()), Database::of(task.end()));
    let expected = counted(&start);
    let is_new = |row: &Record| row.get("as_of") == Some("2026-05-31");
    let found = end.rows(TABLE).map(|rows| rows.filtered(is_new));
    task.check(
        "one row for each of them",
        found.columns_equal(&expected, &[]),
    );
    task.check(
        "the days entitled",
        found.columns_equal(&expected, &["entitled"]),
    );
    task.check("the days taken", found.columns_equal(&expected, &["taken"]));
    task.check(
        "the days that remain",
        found.columns_equal(&expected, &["remaining"]),
    );
    let sent = start.rows(TABLE).required().expected(KEY);
    let others = end
        .rows(TABLE)
        .map(|rows| rows.filtered(|row| !is_new(row)));
    task.check("the balances that were sent", others.equal(&sent));
    task.unchanged_except([Database::rows_path(TABLE)]);
}

/// Terms of a contract.
struct Terms {
    since: Date,
    until: Option<Date>,
    pattern: String,
    /// Days of a whole year, in tenths.
    leave: i64,
}

/// State of a day of a person.
#[derive(Default)]
struct Day {
    /// Half days of leave.
    halves: i64,
    is_sick: bool,
}

/// Returns the rows of the client.
fn counted(start: &Database) -> Expected {
    let (contracts, absences) = (
        start.rows("contracts").required(),
        start.rows("absences").required(),
    );
    let public: Vec<Date> = start
        .rows("public_holidays")
        .required()
        .iter()
        .map(|row| row.date("day"))
        .collect();
    let mut expected = Expected::new(&COLUMNS, &KEY);
    for person in start.rows("employees").required().iter() {
        let (started, left) = (person.date("started_on"), day_of(&person, "left_on"));
        let is_there = started <= AS_OF && left.is_none_or(|left| left >= AS_OF);
        if person.text("client") != CLIENT || !is_there {
            continue;
        }
        let id = person.text("id");
        let is_own = |row: &Record| row.get("employee_id") == Some(id);
        let terms: Vec<Terms> = contracts
            .filtered(is_own)
            .iter()
            .map(|row| Terms {
                since: row.date("since"),
                until: day_of(&row, "until"),
                pattern: row.text("pattern").to_owned(),
                leave: tenths(row.text("annual_leave")),
            })
            .collect();
        let on = |day: Date| {
            let holds = |it: &&Terms| it.since <= day && it.until.is_none_or(|last| day <= last);
            terms.iter().find(holds)
        };
        let months = (1..=12).map(|month| date(2026, month, 1));
        let sum: i64 = months
            .filter(|first| {
                started <= *first && left.is_none_or(|left| first.last_of_month() <= left)
            })
            .filter_map(on)
            .map(|terms| terms.leave)
            .sum();
        // Twelfths of tenths, in half days of which each has five tenths.
        let halves = (sum + 59) / 60;

        let mut days: BTreeMap<Date, Day> = BTreeMap::new();
        for row in absences.filtered(is_own).iter() {
            if row.get("withdrawn_on").is_some() {
                continue;
            }
            let mut day = row.date("from_day").max(FIRST);
            while day <= row.date("to_day").min(AS_OF) {
                let state = days.entry(day).or_default();
                match row.text("kind") {
                    "holiday" => {
                        let halves = if row.truth("half") { 1 } else { 2 };
                        state.halves = state.halves.max(halves);
                    }
                    "sick" if row.truth("certificate") => state.is_sick = true,
                    _ => {}
                }
                day = day + 1.day();
            }
        }
        let counts = |day: Date| {
            let at = day.weekday().to_monday_zero_offset() as usize;
            !public.contains(&day) && on(day).is_some_and(|it| it.pattern.as_bytes()[at] != b'-')
        };
        let taken: i64 = days
            .iter()
            .filter(|(day, state)| !state.is_sick && counts(**day))
            .map(|(_, state)| state.halves)
            .sum();
        let [entitled, taken, remaining] = [halves, taken, halves - taken].map(in_days);
        expected.insert(["2026-05-31", id, &entitled, &taken, &remaining]);
    }
    expected
}

fn day_of(row: &Record, column: &str) -> Option<Date> {
    row.get(column).map(|_| row.date(column))
}

fn tenths(text: &str) -> i64 {
    text.replace('.', "").parse().expect("one decimal")
}

/// Writes half days as days with one decimal.
fn in_days(halves: i64) -> String {
    let sign = if halves < 0 { "-" } else { "" };
    let halves = halves.abs();
    format!("{sign}{}.{}", halves / 2, halves % 2 * 5)
}
