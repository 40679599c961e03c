//! Shows, bookings and tickets of the starting state, for verifiers.

#![allow(dead_code)]

use mcpmark_guest::jiff::civil::{DateTime, date};
use mcpmark_guest::rust_decimal::Decimal;
use mcpmark_guest::{HashMap, numbers};
use mcpmark_guest_postgres::{Database, Record};

/// Time at which attempts begin.
pub const NOW: DateTime = date(2026, 3, 9).at(9, 0, 0, 0);

/// A screening.
#[derive(Clone, Debug)]
pub struct Show {
    pub id: String,
    pub screen: String,
    pub cinema: String,
    pub film: String,
    pub starts: DateTime,
    pub status: String,
    pub version: Option<String>,
}

/// Returns the shows by id.
pub fn shows(start: &Database) -> HashMap<String, Show> {
    let screens = start.rows("screens").required();
    let cinemas: HashMap<String, String> = screens
        .iter()
        .map(|screen| {
            (
                screen.text("id").to_owned(),
                screen.text("cinema_code").to_owned(),
            )
        })
        .collect();
    let rows = start.rows("screenings").required();
    let shows = rows.iter().map(|row| {
        let screen = row.text("screen_id").to_owned();
        let show = Show {
            id: row.text("id").to_owned(),
            cinema: cinemas[&screen].clone(),
            screen,
            film: row.text("film_id").to_owned(),
            starts: row.time("starts_at"),
            status: row.text("status").to_owned(),
            version: row.get("version").map(str::to_owned),
        };
        (show.id.clone(), show)
    });
    shows.collect()
}

/// A ticket, with the price as a number.
#[derive(Clone, Debug)]
pub struct Ticket {
    pub id: u32,
    pub booking: String,
    pub show: String,
    pub seat: Option<String>,
    pub kind: String,
    pub price: Decimal,
    pub status: String,
}

/// Returns the tickets, sorted by id.
pub fn tickets(start: &Database) -> Vec<Ticket> {
    let rows = start.rows("tickets").required();
    let columns = [
        "id",
        "booking_id",
        "screening_id",
        "seat",
        "ticket_type",
        "price",
        "status",
    ];
    let tickets = rows
        .select(columns)
        .map(|[id, booking, show, seat, kind, price, status]| Ticket {
            id: id
                .and_then(|id| id.parse().ok())
                .expect("a ticket has an id"),
            booking: booking.unwrap_or_default().to_owned(),
            show: show.unwrap_or_default().to_owned(),
            seat: seat.map(str::to_owned),
            kind: kind.unwrap_or_default().to_owned(),
            price: numbers::parse(price.unwrap_or_default()).expect("a ticket has a price"),
            status: status.unwrap_or_default().to_owned(),
        });
    tickets.collect()
}

/// Returns the rows of a table by one column.
pub fn by(start: &Database, table: &str, column: &str) -> HashMap<String, Record> {
    let rows = start.rows(table).required();
    rows.iter()
        .map(|row| (row.text(column).to_owned(), row))
        .collect()
}
