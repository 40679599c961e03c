//! Seats with two tickets, moved one by one by the rules of the handbook, and the index that refuses new ones.

#[path = "../chain.rs"]
mod chain;

use std::collections::{BTreeMap, BTreeSet};

use mcpmark_guest::{Condition, HashMap, Verifier};
use mcpmark_guest_postgres::{
    Constraint, ConstraintKind, Database, Expected, Index, RowsExt, normalized,
};

use chain::{NOW, Show, Ticket};

mcpmark_guest::verifier!(verify);

const TABLE: &str = "tickets";
const TODAY: &str = "2026-03-09";

/// Conditions that select the sold tickets, without parentheses and casts.
const SOLD: [&str; 7] = [
    "status = 'sold'",
    "'sold' = status",
    "status = ANY ARRAY [ 'sold' ]",
    "status <> 'refunded' AND status <> 'void'",
    "status <> 'void' AND status <> 'refunded'",
    "status <> ALL ARRAY [ 'refunded' , 'void' ]",
    "status <> ALL ARRAY [ 'void' , 'refunded' ]",
];

fn verify(task: &mut Verifier) {
    let (start, end) = (Database::of(task.start()), Database::of(task.end()));
    let shows = chain::shows(&start);
    let tickets = chain::tickets(&start);
    let (moved, lost) = sorted_out(&start, &shows, &tickets);

    let all = start.rows(TABLE).required();
    let of_shows = |ids: &BTreeMap<u32, Option<String>>| -> (BTreeSet<String>, Expected) {
        let known: HashMap<u32, &Ticket> =
            tickets.iter().map(|ticket| (ticket.id, ticket)).collect();
        let shows: BTreeSet<String> = ids.keys().map(|id| known[id].show.clone()).collect();
        let rows = all.filtered(|row| shows.contains(row.text("screening_id")));
        let mut expected = rows.expected(["id"]);
        for (id, seat) in ids {
            expected.set([&id.to_string()], "seat", seat.as_deref());
        }
        (shows, expected)
    };
    let found = end.rows(TABLE);
    let (to_come, expected) = of_shows(&moved);
    let rows = found.map(|rows| {
        rows.filtered(|row| {
            row.get("screening_id")
                .is_some_and(|id| to_come.contains(id))
        })
    });
    task.check(
        "the seats of shows to come",
        rows.columns_equal(&expected, &["seat"]),
    );
    let (past, expected) = of_shows(&lost);
    let rows = found.map(|rows| {
        rows.filtered(|row| row.get("screening_id").is_some_and(|id| past.contains(id)))
    });
    task.check(
        "the seats of shows that have been",
        rows.columns_equal(&expected, &["seat"]),
    );

    let mut expected = all.expected(["id"]);
    for (id, seat) in moved.iter().chain(&lost) {
        expected.set([&id.to_string()], "seat", seat.as_deref());
    }
    let others = [
        "booking_id",
        "screening_id",
        "ticket_type",
        "price",
        "status",
    ];
    task.check(
        "everything else about the tickets",
        found.columns_equal(&expected, &others),
    );
    let touched = |row: &mcpmark_guest_postgres::Record| {
        row.get("screening_id")
            .is_some_and(|id| to_come.contains(id) || past.contains(id))
    };
    let untouched = all.filtered(|row| !touched(row)).expected(["id"]);
    let rows = found.map(|rows| rows.filtered(|row| !touched(row)));
    task.check(
        "the seats of all other shows",
        rows.columns_equal(&untouched, &["seat"]),
    );

    task.check("a seat is sold once", refuses_doubles(&start, &end));
    task.check(
        "the indexes and constraints that were there",
        kept(&start, &end),
    );
    let logged = end.rows("schema_log").map(|rows| {
        rows.filtered(|row| {
            let object = row.get("object").unwrap_or_default();
            row.get("changed_on") == Some(TODAY)
                && object.strip_prefix("public.").unwrap_or(object) == TABLE
        })
    });
    task.check(
        "the log has one line about it",
        logged.satisfies(|rows| {
            let texts: Vec<_> = rows
                .iter()
                .map(|row| row.get("change").unwrap_or_default().to_owned())
                .collect();
            let says = texts
                .iter()
                .all(|text| text.split_whitespace().count() >= 3);
            let logged = start.rows("schema_log").required().len() + 1;
            let total = end.rows("schema_log").map(|rows| rows.len());
            Condition::when(
                texts.len() == 1 && says,
                format!(
                    "expected one line of {TODAY} about {TABLE} with a sentence, found {texts:?}"
                ),
            )
            .and(total.is(logged))
        }),
    );
    task.check("the other lines of the log", {
        let before = start
            .rows("schema_log")
            .required()
            .expected(["changed_on", "object"]);
        let old = end
            .rows("schema_log")
            .map(|rows| rows.filtered(|row| row.get("changed_on") != Some(TODAY)));
        old.equal(&before)
    });
    task.unchanged_except([
        Database::rows_path(TABLE),
        Database::rows_path("schema_log"),
        Database::definition_path("indexes", TABLE),
        Database::definition_path("constraints", TABLE),
    ]);
}

/// New seats of tickets in shows to come, and tickets without a seat in shows that have been.
type Seats = BTreeMap<u32, Option<String>>;

fn sorted_out(
    start: &Database,
    shows: &HashMap<String, Show>,
    tickets: &[Ticket],
) -> (Seats, Seats) {
    let screens = chain::by(start, "screens", "id");
    let bookings = chain::by(start, "bookings", "id");
    let mut of_show: BTreeMap<&str, Vec<&Ticket>> = BTreeMap::new();
    for ticket in tickets.iter().filter(|ticket| ticket.status == "sold") {
        of_show.entry(&ticket.show).or_default().push(ticket);
    }
    let (mut moved, mut lost) = (Seats::new(), Seats::new());
    for (show, sold) in of_show {
        let show = &shows[show];
        if show.status == "cancelled" {
            continue;
        }
        let mut first: BTreeMap<&str, &Ticket> = BTreeMap::new();
        let mut later = Vec::new();
        for ticket in &sold {
            let Some(seat) = ticket.seat.as_deref() else {
                continue;
            };
            let order = |ticket: &Ticket| {
                let booking = &bookings[&ticket.booking];
                (booking.time("booked_at"), booking.integer("id"))
            };
            match first.get(seat).copied() {
                None => {
                    first.insert(seat, ticket);
                }
                Some(other) if order(other) <= order(ticket) => later.push(*ticket),
                Some(other) => {
                    later.push(other);
                    first.insert(seat, ticket);
                }
            }
        }
        later.sort_by_key(|ticket| ticket.id);
        if show.starts <= NOW {
            lost.extend(later.iter().map(|ticket| (ticket.id, None)));
            continue;
        }
        let screen = &screens[&show.screen];
        let (rows, seats) = (screen.integer("seat_rows"), screen.integer("seats_per_row"));
        let mut taken: BTreeSet<(i64, i64)> = first.keys().map(|seat| parsed(seat)).collect();
        for ticket in later {
            let (row, number) = parsed(ticket.seat.as_deref().expect("a double seat"));
            let free = |seat: &(i64, i64)| !taken.contains(seat) && !(seat.0 == 0 && seat.1 <= 2);
            let mut same: Vec<(i64, i64)> = (1..=seats)
                .map(|number| (row, number))
                .filter(free)
                .collect();
            same.sort_by_key(|seat| ((seat.1 - number).abs(), seat.1));
            let mut behind =
                (row + 1..rows).flat_map(|row| (1..=seats).map(move |number| (row, number)));
            let seat = same
                .first()
                .copied()
                .or_else(|| behind.find(free))
                .expect("the house has a free seat");
            taken.insert(seat);
            moved.insert(ticket.id, Some(named(seat)));
        }
    }
    (moved, lost)
}

fn parsed(seat: &str) -> (i64, i64) {
    let row = seat
        .bytes()
        .next()
        .map_or(0, |letter| i64::from(letter - b'A'));
    (row, seat[1..].parse().expect("a seat has a number"))
}

fn named((row, number): (i64, i64)) -> String {
    let letter = u8::try_from(row).map_or('?', |row| char::from(b'A' + row));
    format!("{letter}{number}")
}

/// Checks that there is a unique index, or a constraint, over show and seat of the sold tickets alone.
fn refuses_doubles(start: &Database, end: &Database) -> Condition {
    let new: Vec<Index> = new_indexes(start, end);
    let fits = new.iter().any(|index| {
        let keys: BTreeSet<&str> = index.keys.iter().map(String::as_str).collect();
        let predicate = index
            .predicate
            .as_deref()
            .map(normalized)
            .unwrap_or_default();
        index.unique && keys == BTreeSet::from(["screening_id", "seat"]) && selects_sold(&predicate)
    });
    let excludes = new_constraints(start, end).iter().any(|constraint| {
        let text = normalized(&constraint.definition);
        constraint.kind == ConstraintKind::Exclude
            && [
                "screening_id WITH = , seat WITH =",
                "seat WITH = , screening_id WITH =",
            ]
            .iter()
            .any(|keys| text.contains(keys))
            && text
                .split_once(" WHERE ")
                .is_some_and(|(_, condition)| selects_sold(condition))
    });
    Condition::when(
        fits || excludes,
        format!(
            "expected a unique index on screening_id and seat of the sold tickets, found {new:?}"
        ),
    )
}

/// Returns true if a condition selects the sold tickets, or those of them that have a seat, which alone can be double.
fn selects_sold(condition: &str) -> bool {
    const SEATED: &str = "seat IS NOT NULL";
    let without = condition
        .strip_suffix(SEATED)
        .and_then(|rest| rest.strip_suffix(" AND "))
        .or_else(|| condition.strip_prefix(SEATED)?.strip_prefix(" AND "));
    SOLD.contains(&without.unwrap_or(condition))
}

fn new_indexes(start: &Database, end: &Database) -> Vec<Index> {
    let before = start.indexes(TABLE);
    end.indexes(TABLE)
        .into_iter()
        .filter(|index| !before.contains(index))
        .collect()
}

fn new_constraints(start: &Database, end: &Database) -> Vec<Constraint> {
    let before = start.constraints(TABLE);
    end.constraints(TABLE)
        .into_iter()
        .filter(|constraint| !before.contains(constraint))
        .collect()
}

/// Checks that nothing was dropped, and that one index or constraint was added at most.
fn kept(start: &Database, end: &Database) -> Condition {
    let (indexes, constraints) = (end.indexes(TABLE), end.constraints(TABLE));
    let lost = start
        .indexes(TABLE)
        .into_iter()
        .find(|index| !indexes.contains(index));
    let other = start
        .constraints(TABLE)
        .into_iter()
        .find(|constraint| !constraints.contains(constraint));
    let new = new_indexes(start, end).len() + new_constraints(start, end).len();
    Condition::when(
        lost.is_none(),
        format!("expected {lost:?}, found {indexes:?}"),
    )
    .and(Condition::when(
        other.is_none(),
        format!("expected {other:?}, found {constraints:?}"),
    ))
    .and(Condition::when(
        new <= 1,
        format!("expected one new index, found {new}"),
    ))
}
