//! Rain in millimetres, right or with one mistake.

#![allow(dead_code)]

use mcpmark_guest::Tools;

#[path = "../office.rs"]
mod office;

use office::run;

/// Deviation from the rules.
#[derive(Clone, Copy, PartialEq)]
pub enum Mistake {
    /// Readings after the gauges were set are multiplied, too.
    ForgetsTheSetting,
    /// The day on which a gauge was set is left alone.
    WholeDays,
    /// The other gauge of this model is multiplied.
    BrookEndToo,
    /// Readings that people have corrected are multiplied too.
    HandToo,
    /// Suspect readings are left alone.
    LeavesSuspects,
    /// Suspect readings become corrected.
    BelievesSuspects,
    /// Qualities stay.
    LeavesQualities,
    /// Values are cut off behind the second decimal.
    CutsOff,
    /// Published days are added up again.
    PublishedToo,
    /// Days are left alone.
    ForgetsTheDays,
    /// Days begin at midnight.
    CalendarDays,
    /// Suspect readings are added up, too.
    CountsSuspects,
    /// The unit of the devices is changed.
    ChangesTheUnit,
}

/// Way in which the database is read and written.
#[derive(Clone, Copy, PartialEq)]
pub enum Manner {
    /// Both gauges with one statement, then the days.
    Plain,
    /// Dunmere first, and the days of each station after its readings.
    DunmereFirst,
    /// All provisional days are added up.
    AllDays,
}

/// A gauge that sent inches, its station, and when it was set.
const SET: [[&str; 3]; 2] = [
    ["R-214", "LOW", "2026-04-21 11:20+00"],
    ["R-215", "DUN", "2026-05-01 10:15+00"],
];

/// Multiplies the readings, and adds up the days.
pub fn play(tools: &mut Tools, mistake: Option<Mistake>, manner: Manner) -> String {
    let is = |other| mistake == Some(other);
    read(tools, manner);
    match manner {
        Manner::Plain | Manner::AllDays => {
            for [device, _, until] in SET {
                multiply(tools, mistake, device, until);
            }
            if is(Mistake::BrookEndToo) {
                multiply(tools, mistake, "R-216", "2026-05-04 08:00+00");
            }
            let stations = if manner == Manner::AllDays || is(Mistake::BrookEndToo) {
                "'BRK', 'DUN', 'LOW'"
            } else {
                "'DUN', 'LOW'"
            };
            if !is(Mistake::ForgetsTheDays) {
                add_up(tools, mistake, stations);
            }
        }
        Manner::DunmereFirst => {
            for [device, station, until] in SET.into_iter().rev() {
                multiply(tools, mistake, device, until);
                add_up(tools, mistake, &format!("'{station}'"));
            }
        }
    }
    if is(Mistake::ChangesTheUnit) {
        run(
            tools,
            "UPDATE devices SET unit = 'mm' WHERE serial IN ('R-214', 'R-215')",
        );
    }
    run(
        tools,
        "SELECT station, status, count(*), sum(rain_mm) FROM daily_rain WHERE day >= '2026-03-25' GROUP BY 1, 2 ORDER BY 1, 2",
    );
    "The rain of Lowmoor and Dunmere is in millimetres. Brook End had been right.".to_owned()
}

fn read(tools: &mut Tools, manner: Manner) {
    if manner == Manner::AllDays {
        run(
            tools,
            "SELECT title, body FROM handbook WHERE body ILIKE '%rain%' OR body ILIKE '%inch%' OR section = 'water day'",
        );
        run(
            tools,
            "SELECT * FROM notes WHERE body ILIKE '%rain%' ORDER BY id",
        );
    } else {
        office::handbook(tools, &["units", "water day", "qualities"]);
        office::notes(tools);
    }
    run(
        tools,
        "SELECT * FROM work_orders WHERE device LIKE 'R-%' ORDER BY id",
    );
    run(
        tools,
        "SELECT d.device, d.station, d.since, d.until, v.model, v.unit FROM deployments d JOIN devices v ON v.serial = d.device WHERE v.quantity = 'rain'",
    );
    run(
        tools,
        "SELECT obj_description('daily_rain'::regclass), count(*), min(day), max(day), status FROM daily_rain GROUP BY status",
    );
}

fn multiply(tools: &mut Tools, mistake: Option<Mistake>, device: &str, until: &str) {
    let is = |other| mistake == Some(other);
    let limit = if is(Mistake::ForgetsTheSetting) {
        String::new()
    } else if is(Mistake::WholeDays) {
        format!("AND taken_at < date_trunc('day', timestamptz '{until}')")
    } else {
        format!("AND taken_at <= '{until}'")
    };
    let qualities = if is(Mistake::HandToo) {
        ""
    } else if is(Mistake::LeavesSuspects) {
        "AND quality IN ('raw', 'good')"
    } else {
        "AND quality <> 'corrected'"
    };
    let quality = if is(Mistake::BelievesSuspects) {
        "'corrected'"
    } else if is(Mistake::LeavesQualities) {
        "quality"
    } else {
        "CASE quality WHEN 'suspect' THEN 'suspect' ELSE 'corrected' END"
    };
    let round = if is(Mistake::CutsOff) {
        "trunc"
    } else {
        "round"
    };
    run(
        tools,
        &format!(
            "UPDATE readings SET value = {round}(value * 25.4, 2), quality = {quality}
            WHERE device = '{device}' {limit} {qualities}"
        ),
    );
}

fn add_up(tools: &mut Tools, mistake: Option<Mistake>, stations: &str) {
    let is = |other| mistake == Some(other);
    let begin = if is(Mistake::CalendarDays) { 0 } else { 9 };
    let quality = if is(Mistake::CountsSuspects) {
        ""
    } else {
        "AND quality <> 'suspect'"
    };
    let status = if is(Mistake::PublishedToo) {
        ""
    } else {
        "AND d.status = 'provisional'"
    };
    run(
        tools,
        &format!(
            "UPDATE daily_rain d SET rain_mm = s.rain FROM (
                SELECT station, ((taken_at AT TIME ZONE 'UTC') - interval '{begin} hours')::date AS day, sum(value) AS rain
                FROM readings WHERE quantity = 'rain' AND station IN ({stations}) {quality} GROUP BY 1, 2
            ) s
            WHERE s.station = d.station AND s.day = d.day {status}"
        ),
    );
}
