//! The return of a distributor, counted from the tickets of the starting state.

#[path = "../chain.rs"]
mod chain;

use std::collections::BTreeMap;

use mcpmark_guest::jiff::ToSpan;
use mcpmark_guest::jiff::civil::{Date, date};
use mcpmark_guest::rust_decimal::Decimal;
use mcpmark_guest::{Verifier, numbers};
use mcpmark_guest_postgres::{Database, Expected, RowsExt};

mcpmark_guest::verifier!(verify);

const TABLE: &str = "weekly_returns";
const COLUMNS: [&str; 5] = [
    "week_ending",
    "cinema_code",
    "film_id",
    "admissions",
    "gross",
];
const KEY: [&str; 3] = ["week_ending", "cinema_code", "film_id"];
const WEEK_ENDING: Date = date(2026, 3, 5);
const DISTRIBUTOR: &str = "Halcyon Pictures";

fn verify(task: &mut Verifier) {
    let (start, end) = (Database::of(task.start()), Database::of(task.end()));
    let week = WEEK_ENDING.to_string();
    let expected = counted(&start);
    let found = end
        .rows(TABLE)
        .map(|rows| rows.filtered(|row| row.get("week_ending") == Some(&week)));
    task.check(
        "one row for each film and house",
        found.columns_equal(&expected, &[]),
    );
    task.check(
        "the admissions",
        found.columns_equal(&expected, &["admissions"]),
    );
    task.check("the gross", found.columns_equal(&expected, &["gross"]));

    let sent = start.rows(TABLE).required().expected(KEY);
    let others = end
        .rows(TABLE)
        .map(|rows| rows.filtered(|row| row.get("week_ending") != Some(&week)));
    task.check("the weeks that were sent", others.equal(&sent));
    task.unchanged_except([Database::rows_path(TABLE)]);
}

/// Returns the rows of the week, from the tickets one by one.
fn counted(start: &Database) -> Expected {
    let distributors = start.rows("distributors").required();
    let distributor = distributors
        .iter()
        .find(|row| row.text("name") == DISTRIBUTOR);
    let distributor = distributor
        .expect("the distributor exists")
        .text("id")
        .to_owned();
    let films = chain::by(start, "films", "id");
    let kinds = chain::by(start, "ticket_types", "code");
    let shows = chain::shows(start);
    let mut sums: BTreeMap<(String, String), (u32, Decimal)> = BTreeMap::new();
    for ticket in chain::tickets(start) {
        let show = &shows[&ticket.show];
        // A show before six in the morning is in the programme of the evening before.
        let evening = (show.starts - 6.hours()).date();
        let is_in_week = evening > WEEK_ENDING - 7.days() && evening <= WEEK_ENDING;
        let counts = ticket.status == "sold" && kinds[&ticket.kind].truth("in_returns");
        if is_in_week
            && counts
            && show.status != "cancelled"
            && films[&show.film].text("distributor_id") == distributor
        {
            let sum = sums
                .entry((show.cinema.clone(), show.film.clone()))
                .or_default();
            sum.0 += 1;
            sum.1 += ticket.price;
        }
    }
    let mut expected = Expected::new(&COLUMNS, &KEY);
    for ((cinema, film), (admissions, gross)) in sums {
        let (week, admissions, gross) = (
            WEEK_ENDING.to_string(),
            admissions.to_string(),
            numbers::fixed(gross, 2),
        );
        expected.insert([&week, &cinema, &film, &admissions, &gross]);
    }
    expected
}
