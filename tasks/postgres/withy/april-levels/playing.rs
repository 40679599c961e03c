//! The levels of April, right or with one mistake.

#![allow(dead_code)]

use mcpmark_guest::Tools;

#[path = "../office.rs"]
mod office;

use office::run;

/// Deviation from the rules on the table.
#[derive(Clone, Copy, PartialEq)]
pub enum Mistake {
    /// From midnight to midnight.
    CalendarMonth,
    /// Suspect readings count.
    BelievesSuspects,
    /// The second gauge at Foxley Lock counts.
    CountsTheParallel,
    /// Corrected readings do not count.
    OnlyGood,
    /// Means are cut off.
    CutsOff,
    /// A row without readings for the station that was given up.
    NamesTheClosed,
    /// March is added up again.
    RenewsMarch,
}

/// Way in which the database is read and written.
#[derive(Clone, Copy, PartialEq)]
pub enum Manner {
    /// Description of the table first, and one statement for all stations.
    Plain,
    /// Handbook first.
    HandbookFirst,
    /// One statement for each station.
    StationByStation,
}

/// Asks for the rules on the table.
const COMMENT: &str = "SELECT obj_description('monthly_levels'::regclass)";

/// Adds the rows of April.
pub fn play(tools: &mut Tools, mistake: Option<Mistake>, manner: Manner) -> String {
    match manner {
        Manner::HandbookFirst => {
            office::handbook(tools, &["water day", "qualities"]);
            office::describe(tools, "monthly_levels");
            run(tools, COMMENT);
        }
        Manner::Plain => {
            office::describe(tools, "monthly_levels");
            run(tools, COMMENT);
            office::handbook(tools, &["water day", "qualities"]);
        }
        Manner::StationByStation => {
            run(tools, "SELECT * FROM handbook");
            run(
                tools,
                "SELECT obj_description(oid), relname FROM pg_class WHERE relname LIKE '%levels'",
            );
        }
    }
    run(
        tools,
        "SELECT * FROM monthly_levels ORDER BY month, station",
    );
    run(tools, "SELECT * FROM deployments WHERE part <> 'gauge'");
    match manner {
        Manner::StationByStation => {
            for station in [
                "ASH", "BRK", "CAL", "DUN", "ELM", "FOX", "HAR", "KEL", "LOW", "MIL",
            ] {
                let of_station = format!("AND r.station = '{station}'");
                insert(tools, mistake, "2026-04-01", &of_station);
            }
        }
        Manner::Plain | Manner::HandbookFirst => insert(tools, mistake, "2026-04-01", ""),
    }
    if mistake == Some(Mistake::RenewsMarch) {
        run(
            tools,
            "DELETE FROM monthly_levels WHERE month = '2026-03-01'",
        );
        insert(tools, None, "2026-03-01", "");
    }
    if mistake == Some(Mistake::NamesTheClosed) {
        run(
            tools,
            "INSERT INTO monthly_levels VALUES ('2026-04-01', 'MIL', 0, 0, 0, 0)",
        );
    }
    run(
        tools,
        "SELECT * FROM monthly_levels WHERE month = '2026-04-01'",
    );
    "April is in monthly_levels.".to_owned()
}

fn insert(tools: &mut Tools, mistake: Option<Mistake>, month: &str, only: &str) {
    let is = |other| mistake == Some(other);
    let clock = if is(Mistake::CalendarMonth) {
        "00:00"
    } else {
        "09:00"
    };
    let quality = if is(Mistake::BelievesSuspects) {
        "true"
    } else if is(Mistake::OnlyGood) {
        "r.quality = 'good'"
    } else {
        "r.quality <> 'suspect'"
    };
    let gauge = if is(Mistake::CountsTheParallel) {
        ""
    } else {
        "AND NOT EXISTS (SELECT FROM deployments d WHERE d.device = r.device AND d.part = 'parallel')"
    };
    let mean = if is(Mistake::CutsOff) {
        "trunc"
    } else {
        "round"
    };
    let sql = format!(
        "INSERT INTO monthly_levels
        SELECT date '{month}', r.station, count(*), min(r.value), max(r.value), {mean}(avg(r.value), 1)
        FROM readings r
        WHERE r.quantity = 'level' AND {quality} {gauge} {only}
            AND r.taken_at >= timestamptz '{month} {clock}+00'
            AND r.taken_at < timestamptz '{month} {clock}+00' + interval '1 month'
        GROUP BY r.station"
    );
    run(tools, &sql);
}
