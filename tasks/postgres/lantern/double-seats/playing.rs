//! Seats sorted out by a block of PL/pgSQL, right or with one mistake.

#![allow(dead_code)]

use mcpmark_guest::Tools;

#[path = "../desk.rs"]
mod desk;

use desk::run;

/// Deviation from the rules.
#[derive(Clone, Copy, PartialEq)]
pub enum Mistake {
    /// The earlier booking moves.
    MovesTheFirst,
    /// Guests are moved to spaces for wheelchairs.
    GivesAwayTheSpaces,
    /// Tickets of shows that have been are moved too.
    MovesThePast,
    /// Tickets of shows that have been become void.
    VoidsThePast,
    /// Of two seats that are as near, the one with the higher number.
    HigherNumber,
    /// No line in the log.
    ForgetsTheLog,
    /// The index includes refunded tickets, which takes that their seats are emptied.
    ForAllTickets,
    /// An index that does not refuse anything.
    NotUnique,
    /// All are moved with one statement, each as if it were the only one.
    AllAtOnce,
}

/// Way in which the database is read and written.
#[derive(Clone, Copy, PartialEq)]
pub enum Manner {
    /// Handbook first; shows to come first.
    Plain,
    /// Shows that have been first, and the log before the index.
    PastFirst,
    /// Tables described by the catalogue, and a constraint in place of an index.
    ByConstraint,
    /// An index of the tickets that have a seat, and the table with its schema in the log.
    WithoutEmptySeats,
}

/// Later tickets of double seats.
const LATER: &str = "SELECT t.id, t.screening_id, t.seat, s.starts_at, s.screen_id,
        row_number() OVER (PARTITION BY t.screening_id, t.seat ORDER BY b.booked_at, b.id) AS place
    FROM tickets t JOIN bookings b ON b.id = t.booking_id JOIN screenings s ON s.id = t.screening_id
    WHERE t.status = 'sold' AND t.seat IS NOT NULL AND s.status <> 'cancelled'";

/// Sorts the double seats out and adds the index.
pub fn play(tools: &mut Tools, mistake: Option<Mistake>, manner: Manner) -> String {
    match manner {
        Manner::Plain | Manner::WithoutEmptySeats => {
            desk::section(tools, "double seats");
            desk::section(tools, "seats");
            desk::section(tools, "definitions");
            desk::describe(tools, "tickets");
        }
        Manner::PastFirst => {
            desk::describe(tools, "tickets");
            desk::section(tools, "definitions");
            desk::section(tools, "seats");
            desk::section(tools, "double seats");
        }
        Manner::ByConstraint => {
            run(
                tools,
                "SELECT section, body FROM handbook WHERE body ILIKE '%seat%'",
            );
            run(
                tools,
                "SELECT body FROM handbook WHERE body ILIKE '%schema_log%'",
            );
            run(
                tools,
                "SELECT indexdef FROM pg_indexes WHERE tablename = 'tickets'",
            );
        }
    }
    let doubles = "SELECT screening_id, seat, count(*) FROM tickets WHERE status = 'sold' AND seat IS NOT NULL GROUP BY 1, 2 HAVING count(*) > 1";
    run(tools, doubles);
    if manner == Manner::PastFirst {
        past(tools, mistake);
        to_come(tools, mistake);
        log(tools, "tickets");
        index(tools, mistake, manner);
    } else {
        to_come(tools, mistake);
        past(tools, mistake);
        index(tools, mistake, manner);
        let table = if manner == Manner::WithoutEmptySeats {
            "public.tickets"
        } else {
            "tickets"
        };
        if mistake != Some(Mistake::ForgetsTheLog) {
            log(tools, table);
        }
    }
    run(tools, doubles);
    "No seat is sold twice any more.".to_owned()
}

fn later(mistake: Option<Mistake>) -> String {
    if mistake == Some(Mistake::MovesTheFirst) {
        LATER.replace("b.booked_at, b.id", "b.booked_at DESC, b.id DESC")
    } else {
        LATER.to_owned()
    }
}

fn to_come(tools: &mut Tools, mistake: Option<Mistake>) {
    let is = |other| mistake == Some(other);
    let spaces = if is(Mistake::GivesAwayTheSpaces) {
        ""
    } else {
        "AND NOT (r = 0 AND n <= 2)"
    };
    let tie = if is(Mistake::HigherNumber) {
        "n DESC"
    } else {
        "n"
    };
    let time = if is(Mistake::MovesThePast) {
        ""
    } else {
        "AND starts_at > '2026-03-09 09:00+00'"
    };
    let at = if is(Mistake::AllAtOnce) {
        "snapshot_of_tickets"
    } else {
        "tickets"
    };
    if is(Mistake::AllAtOnce) {
        run(
            tools,
            "CREATE TABLE snapshot_of_tickets AS SELECT * FROM tickets",
        );
    }
    let sql = format!(
        "DO $$
        DECLARE
            double record;
            new_seat text;
        BEGIN
            FOR double IN SELECT * FROM ({}) x WHERE place > 1 {time} ORDER BY id LOOP
                SELECT chr(65 + r) || n INTO new_seat
                FROM screens c, generate_series(0, c.seat_rows - 1) r, generate_series(1, c.seats_per_row) n
                WHERE c.id = double.screen_id AND r >= ascii(double.seat) - 65 {spaces}
                    AND NOT EXISTS (SELECT FROM {at} o WHERE o.screening_id = double.screening_id
                        AND o.seat = chr(65 + r) || n AND o.status = 'sold')
                ORDER BY r,
                    CASE WHEN r = ascii(double.seat) - 65 THEN abs(n - substr(double.seat, 2)::int) ELSE n END, {tie}
                LIMIT 1;
                UPDATE tickets SET seat = new_seat WHERE id = double.id;
            END LOOP;
        END $$",
        later(mistake)
    );
    run(tools, &sql);
    if is(Mistake::AllAtOnce) {
        run(tools, "DROP TABLE snapshot_of_tickets");
    }
}

fn past(tools: &mut Tools, mistake: Option<Mistake>) {
    let change = if mistake == Some(Mistake::VoidsThePast) {
        "status = 'void'"
    } else {
        "seat = NULL"
    };
    let sql = format!(
        "UPDATE tickets SET {change} WHERE id IN (
            SELECT id FROM ({}) x WHERE place > 1 AND starts_at <= '2026-03-09 09:00+00')",
        later(mistake)
    );
    run(tools, &sql);
}

fn index(tools: &mut Tools, mistake: Option<Mistake>, manner: Manner) {
    let sql = match (mistake, manner) {
        (Some(Mistake::ForAllTickets), _) => {
            run(
                tools,
                "UPDATE tickets t SET seat = NULL WHERE status <> 'sold' AND EXISTS (SELECT FROM tickets o
                    WHERE o.screening_id = t.screening_id AND o.seat = t.seat AND o.id <> t.id)",
            );
            "CREATE UNIQUE INDEX tickets_screening_id_seat_idx ON tickets (screening_id, seat)"
        }
        (Some(Mistake::AllAtOnce), _) => {
            // Two guests may have the same new seat, so the index cannot be created.
            let sql = "CREATE UNIQUE INDEX ON tickets (screening_id, seat) WHERE status = 'sold'";
            let arguments = mcpmark_guest::serde_json::json!({"sql": sql});
            tools.text("execute_sql", &arguments);
            return;
        }
        (Some(Mistake::NotUnique), _) => {
            "CREATE INDEX tickets_screening_id_seat_idx ON tickets (screening_id, seat) WHERE status = 'sold'"
        }
        (_, Manner::WithoutEmptySeats) => {
            "CREATE UNIQUE INDEX ON tickets (screening_id, seat) WHERE status = 'sold' AND seat IS NOT NULL"
        }
        (_, Manner::ByConstraint) => {
            "ALTER TABLE tickets ADD CONSTRAINT one_ticket_for_a_seat EXCLUDE (seat WITH =, screening_id WITH =) WHERE (status = 'sold')"
        }
        _ => {
            "CREATE UNIQUE INDEX tickets_screening_id_seat_idx ON tickets (screening_id, seat) WHERE status = 'sold'"
        }
    };
    run(tools, sql);
}

fn log(tools: &mut Tools, table: &str) {
    run(
        tools,
        &format!(
            "INSERT INTO schema_log VALUES ('2026-03-09', '{table}',
            'A seat of a show can have one sold ticket only, because the web shop had sold some twice.')"
        ),
    );
}
