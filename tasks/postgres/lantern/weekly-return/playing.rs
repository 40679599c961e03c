//! The return as a query, right or with one mistake.

#![allow(dead_code)]

use mcpmark_guest::Tools;

#[path = "../desk.rs"]
mod desk;

use desk::run;

/// Deviation from the rules.
#[derive(Clone, Copy, PartialEq)]
pub enum Mistake {
    /// A show after midnight counts for the day of the calendar.
    CalendarDays,
    /// Refunded and void tickets count.
    CountsRefunded,
    /// Tickets of the staff count.
    CountsStaff,
    /// Cancelled shows count.
    CountsCancelled,
    /// Tickets at no charge do not count.
    PaidOnly,
    /// All distributors are in it.
    Everybody,
    /// The week begins on Monday.
    FromMonday,
}

/// Way in which the database is read and written.
#[derive(Clone, Copy, PartialEq)]
pub enum Manner {
    /// Description of the table first, one statement for all houses.
    Plain,
    /// Handbook first, description last.
    HandbookFirst,
    /// Comments from the catalogue, and one statement for each house.
    HouseByHouse,
}

/// Adds the return of the week.
pub fn play(tools: &mut Tools, mistake: Option<Mistake>, manner: Manner) -> String {
    let is = |other| mistake == Some(other);
    match manner {
        Manner::Plain => {
            desk::tables(tools);
            desk::describe(tools, "weekly_returns");
            comments(tools);
            desk::section(tools, "returns");
        }
        Manner::HandbookFirst => {
            desk::section(tools, "returns");
            comments(tools);
            desk::tables(tools);
            desk::describe(tools, "weekly_returns");
        }
        Manner::HouseByHouse => {
            comments(tools);
            run(tools, "SELECT * FROM handbook WHERE body ILIKE '%return%'");
            run(tools, "SELECT * FROM distributors");
            run(tools, "SELECT code FROM cinemas ORDER BY code");
        }
    }
    run(
        tools,
        "SELECT * FROM weekly_returns WHERE week_ending = '2026-02-26'",
    );

    let (from, to) = match mistake {
        Some(Mistake::CalendarDays) => ("2026-02-27 00:00+00", "2026-03-06 00:00+00"),
        Some(Mistake::FromMonday) => ("2026-03-02 06:00+00", "2026-03-09 06:00+00"),
        _ => ("2026-02-27 06:00+00", "2026-03-06 06:00+00"),
    };
    let mut conditions = vec![format!("s.starts_at >= '{from}' AND s.starts_at < '{to}'")];
    conditions.push(match mistake {
        Some(Mistake::Everybody) => "true".to_owned(),
        _ => "d.name = 'Halcyon Pictures'".to_owned(),
    });
    if !is(Mistake::CountsCancelled) {
        conditions.push("s.status <> 'cancelled'".to_owned());
    }
    if !is(Mistake::CountsRefunded) {
        conditions.push("t.status = 'sold'".to_owned());
    }
    if !is(Mistake::CountsStaff) {
        conditions.push("k.in_returns".to_owned());
    }
    if is(Mistake::PaidOnly) {
        conditions.push("t.price > 0".to_owned());
    }
    let houses: &[&str] = match manner {
        Manner::HouseByHouse => &["'ALD'", "'BRK'", "'CAN'", "'DOM'", "'EST'", "'FER'"],
        _ => &["a.cinema_code"],
    };
    for house in houses {
        let sql = format!(
            "INSERT INTO weekly_returns (week_ending, cinema_code, film_id, admissions, gross)
             SELECT '2026-03-05', a.cinema_code, f.id, count(*), sum(t.price)
             FROM tickets t
             JOIN ticket_types k ON k.code = t.ticket_type
             JOIN screenings s ON s.id = t.screening_id
             JOIN screens a ON a.id = s.screen_id
             JOIN films f ON f.id = s.film_id
             JOIN distributors d ON d.id = f.distributor_id
             WHERE a.cinema_code = {house} AND {}
             GROUP BY a.cinema_code, f.id",
            conditions.join(" AND ")
        );
        run(tools, &sql);
    }
    run(
        tools,
        "SELECT * FROM weekly_returns WHERE week_ending = '2026-03-05'",
    );
    "The week is in the table.".to_owned()
}

fn comments(tools: &mut Tools) {
    run(tools, "SELECT obj_description('weekly_returns'::regclass)");
    run(
        tools,
        "SELECT col_description('weekly_returns'::regclass, n) FROM generate_series(1, 5) n",
    );
}
