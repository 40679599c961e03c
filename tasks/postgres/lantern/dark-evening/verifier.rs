//! The evening of the power cut, booking by booking: shows, tickets, payments and vouchers as the handbook and a later note
//! have it.

#[path = "../chain.rs"]
mod chain;

use std::collections::{BTreeMap, BTreeSet};

use mcpmark_guest::jiff::ToSpan;
use mcpmark_guest::jiff::civil::{DateTime, date};
use mcpmark_guest::rust_decimal::Decimal;
use mcpmark_guest::{Condition, Found, HashMap, Verifier, numbers};
use mcpmark_guest_postgres::{Database, Expected, Rows, RowsExt};

use chain::{Show, Ticket};

mcpmark_guest::verifier!(verify);

const TODAY: &str = "2026-03-09";
/// Two years, by the note of 20 February.
const EXPIRES: &str = "2028-03-09";
const HOUSE: &str = "CAN";
const FAILED: DateTime = date(2026, 3, 7).at(19, 40, 0, 0);
const BACK: DateTime = date(2026, 3, 8).at(10, 0, 0, 0);

/// Refunds that are owed for the shows.
#[derive(Default)]
struct Owed {
    shows: BTreeSet<String>,
    bookings: BTreeSet<String>,
    tickets: BTreeSet<String>,
    /// Amount by booking.
    refunds: BTreeMap<String, Decimal>,
    /// Account and amount by code.
    vouchers: BTreeMap<String, (Option<String>, Decimal)>,
}

fn verify(task: &mut Verifier) {
    let (start, end) = (Database::of(task.start()), Database::of(task.end()));
    let owed = owed(&start);

    let status = |table: &str, ids: &BTreeSet<String>, value: &str| -> Expected {
        let mut expected = start.rows(table).required().expected(["id"]);
        for id in ids {
            expected.set([id], "status", Some(value));
        }
        expected
    };
    task.check(
        "the cancelled shows",
        end.rows("screenings")
            .equal(&status("screenings", &owed.shows, "cancelled")),
    );
    task.check(
        "the bookings",
        end.rows("bookings")
            .equal(&status("bookings", &owed.bookings, "refunded")),
    );
    task.check(
        "the tickets",
        end.rows("tickets")
            .equal(&status("tickets", &owed.tickets, "refunded")),
    );

    let old = start.rows("payments").required();
    let known: BTreeSet<String> = old.iter().map(|row| row.text("id").to_owned()).collect();
    let is_known =
        |row: &mcpmark_guest_postgres::Record| row.get("id").is_some_and(|id| known.contains(id));
    let payments = end.rows("payments");
    let before = payments.map(|rows| rows.filtered(is_known));
    task.check(
        "the payments that were there",
        before.equal(&old.expected(["id"])),
    );
    let new = payments.map(|rows| rows.filtered(|row| !is_known(row)));
    task.check(
        "the money that goes back to cards",
        refunds(&new, &owed.refunds),
    );

    let mut expected = start.rows("vouchers").required().expected(["code"]);
    for (code, (customer, value)) in &owed.vouchers {
        let value = numbers::fixed(*value, 2);
        let row = [
            Some(code),
            customer.as_ref(),
            Some(&value),
            Some(&TODAY.to_owned()),
            Some(&EXPIRES.to_owned()),
            None,
        ];
        expected.add(row.map(|cell| cell.cloned()).to_vec());
    }
    let vouchers = end.rows("vouchers");
    let amounts = ["customer_id", "value", "spent_on"];
    task.check("the vouchers", vouchers.columns_equal(&expected, &amounts));
    task.check(
        "the dates of the vouchers",
        vouchers.columns_equal(&expected, &["issued_on", "expires_on"]),
    );

    let (before, after) = (start.sequences("public"), end.sequences("public"));
    let highest = payments.map(|rows| {
        rows.iter()
            .filter_map(|row| row.get("id")?.parse::<i64>().ok())
            .max()
    });
    let last = after.get("payments_id_seq").copied().unwrap_or_default();
    task.check(
        "the numbers of payments go on",
        highest.satisfies(|highest| {
            let highest = highest.unwrap_or_default();
            Condition::when(
                last >= highest,
                format!("expected payments_id_seq to be {highest} at least, found {last}"),
            )
        }),
    );
    task.check(
        "the numbers of notes stay",
        Condition::equal(
            &before.get("desk_notes_id_seq"),
            &after.get("desk_notes_id_seq"),
        ),
    );
    let tables = ["screenings", "bookings", "tickets", "payments", "vouchers"];
    let mut paths: Vec<String> = tables
        .iter()
        .map(|table| Database::rows_path(table))
        .collect();
    paths.push("schemas/public/sequence-values.csv".to_owned());
    task.unchanged_except(paths);
}

/// Compares the new payments, whose ids are free.
fn refunds(found: &Found<Rows>, expected: &BTreeMap<String, Decimal>) -> Condition {
    let mut rows = Expected::new(
        &["booking_id", "kind", "method", "amount", "paid_on"],
        &["booking_id"],
    );
    for (booking, amount) in expected {
        rows.insert([
            booking,
            "refund",
            "card",
            &numbers::fixed(*amount, 2),
            TODAY,
        ]);
    }
    found.equal(&rows)
}

fn owed(start: &Database) -> Owed {
    let films = chain::by(start, "films", "id");
    let shows = chain::shows(start);
    let mut owed = Owed::default();
    let is_cancelled = |show: &Show| {
        show.cinema == HOUSE && show.status == "played" && {
            let minutes = minutes(films[&show.film].text("running_time"));
            let begins = show.starts + 20.minutes();
            let ends = begins + minutes.minutes();
            let missing = (ends - begins.max(FAILED))
                .total(mcpmark_guest::jiff::Unit::Minute)
                .unwrap_or_default();
            begins < BACK && ends > FAILED && missing * 4.0 > minutes as f64
        }
    };
    owed.shows = shows
        .values()
        .filter(|show| is_cancelled(show))
        .map(|show| show.id.clone())
        .collect();

    let mut tickets: HashMap<String, Vec<Ticket>> = HashMap::default();
    for ticket in chain::tickets(start)
        .into_iter()
        .filter(|ticket| owed.shows.contains(&ticket.show))
    {
        tickets
            .entry(ticket.booking.clone())
            .or_default()
            .push(ticket);
    }
    let mut charges: HashMap<String, Vec<(String, Decimal)>> = HashMap::default();
    for row in start.rows("payments").required().iter() {
        if tickets.contains_key(row.text("booking_id")) && row.text("kind") == "charge" {
            let charge = (row.text("method").to_owned(), row.decimal("amount"));
            charges
                .entry(row.text("booking_id").to_owned())
                .or_default()
                .push(charge);
        }
    }
    let mut spent: HashMap<String, (String, Option<String>)> = HashMap::default();
    for row in start.rows("vouchers").required().iter() {
        if let Some(booking) = row.get("spent_on") {
            let voucher = (
                row.text("code").to_owned(),
                row.get("customer_id").map(str::to_owned),
            );
            assert!(
                spent.insert(booking.to_owned(), voucher).is_none(),
                "one voucher for booking {booking}"
            );
        }
    }
    for booking in start.rows("bookings").required().iter() {
        let id = booking.text("id");
        let Some(tickets) = tickets
            .get(id)
            .filter(|_| booking.text("status") != "refunded")
        else {
            continue;
        };
        let charges = charges.get(id).map_or(&[][..], |charges| charges);
        if charges.iter().any(|(method, _)| method == "cash") {
            continue;
        }
        let sold: Vec<&Ticket> = tickets
            .iter()
            .filter(|ticket| ticket.status == "sold")
            .collect();
        owed.bookings.insert(id.to_owned());
        owed.tickets
            .extend(sold.iter().map(|ticket| ticket.id.to_string()));
        if booking.text("status") == "invoiced" {
            continue;
        }
        let mut due: Decimal = sold.iter().map(|ticket| ticket.price).sum();
        if let Some((_, amount)) = charges.iter().find(|(method, _)| method == "voucher") {
            let (code, customer) = &spent[id];
            owed.vouchers
                .insert(format!("{code}-R"), (customer.clone(), *amount));
            due -= amount;
        }
        if due > Decimal::ZERO {
            owed.refunds.insert(id.to_owned(), due);
        }
    }
    owed
}

/// Returns the minutes of `104 min`, `1h 58m` or `2 h 16`.
fn minutes(text: &str) -> i64 {
    let numbers: Vec<i64> = text
        .split(|c: char| !c.is_ascii_digit())
        .filter_map(|part| part.parse().ok())
        .collect();
    match numbers[..] {
        [minutes] => minutes,
        [hours, minutes] => 60 * hours + minutes,
        _ => panic!("{text:?} is no running time"),
    }
}
