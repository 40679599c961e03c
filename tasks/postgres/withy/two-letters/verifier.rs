//! The claims of one flood, decided by what the gauge would have shown, and letters judged by their facts.

mod facts;

use std::collections::BTreeMap;

use facts::Flood;
use mcpmark_guest::jiff::ToSpan;
use mcpmark_guest::jiff::civil::{DateTime, date};
use mcpmark_guest::{Found, Verifier};
use mcpmark_guest_postgres::{Database, Record, RowsExt};

mcpmark_guest::verifier!(verify);

const STATION: &str = "HAR";
const ORRELL: &str = "4";
const TANNER: &str = "5";
/// From when to when the clock of the new gauge was fast, by that clock, and by how many hours.
const FAST: (DateTime, DateTime, i64) = (
    date(2026, 3, 17).at(11, 30, 0, 0),
    date(2026, 3, 30).at(13, 40, 0, 0),
    1,
);
/// Day of the flood.
const FLOOD: (DateTime, DateTime) = (
    date(2026, 3, 24).at(0, 0, 0, 0),
    date(2026, 3, 25).at(0, 0, 0, 0),
);
/// Rate of the board for each hour or part of one, and the largest amount for a household.
const RATE: (i64, i64) = (60, 200);
/// When Mr Tanner answered the telephone.
const TOLD: DateTime = date(2026, 3, 24).at(15, 25, 0, 0);

fn verify(task: &mut Verifier) {
    let (start, end) = (Database::of(task.start()), Database::of(task.end()));
    let flood = flood(&start);
    let before = start.rows("claims").required();
    let mut expected = before.expected(["id"]).ignoring("answer");
    let decisions = [
        (ORRELL, "granted", format!("{}.00", flood.amount)),
        (TANNER, "refused", "0.00".to_owned()),
    ];
    for (id, status, amount) in &decisions {
        expected.set([id], "status", Some(status));
        expected.set([id], "amount", Some(amount));
        expected.set([id], "decided_on", Some("2026-05-04"));
        expected.set([id], "decided_by", Some("gil"));
    }
    let claims = end.rows("claims");
    task.check(
        "who gets something",
        claims.columns_equal(&expected, &["status"]),
    );
    task.check("how much", claims.columns_equal(&expected, &["amount"]));
    task.check(
        "who decided and when",
        claims.columns_equal(&expected, &["decided_on", "decided_by"]),
    );
    let letters = ["received_on", "household", "station", "flood_on", "letter"];
    let is_other = |row: &Record| ![Some(ORRELL), Some(TANNER)].contains(&row.get("id"));
    let others = before.filtered(is_other).expected(["id"]);
    task.check(
        "the other claims and all letters to us",
        claims
            .columns_equal(&expected, &letters)
            .and(claims.map(|rows| rows.filtered(is_other)).equal(&others)),
    );

    let to_orrell = answer(&claims, ORRELL);
    for (name, condition) in facts::orrell(&to_orrell, &flood) {
        task.check(format!("the letter to Mrs Orrell: {name}"), condition);
    }
    let to_tanner = answer(&claims, TANNER);
    for (name, condition) in facts::tanner(&to_tanner, &flood) {
        task.check(format!("the letter to Mr Tanner: {name}"), condition);
    }
    task.unchanged_except([Database::rows_path("claims")]);
}

fn answer(claims: &Found<mcpmark_guest_postgres::Rows>, id: &str) -> Found<String> {
    claims.try_map(|rows| {
        let row = rows.iter().find(|row| row.get("id") == Some(id));
        let row = row.ok_or_else(|| format!("expected a claim {id}"))?;
        let answer = row.get("answer").filter(|text| !text.trim().is_empty());
        answer
            .map(str::to_owned)
            .ok_or_else(|| format!("claim {id}: expected an answer"))
    })
}

/// Returns when the warning was due, hour by hour from what the gauge would have shown with the right clock and zero.
fn flood(start: &Database) -> Flood {
    let stations = start.rows("stations").required();
    let warning = stations
        .iter()
        .find(|row| row.text("code") == STATION)
        .expect("the station")
        .decimal("warning_cm");
    let offsets: BTreeMap<String, _> = start
        .rows("calibrations")
        .required()
        .iter()
        .filter(|row| row.date("done_on") >= FLOOD.0.date())
        .map(|row| (row.text("device").to_owned(), row.decimal("offset_cm")))
        .collect();
    let mut levels = BTreeMap::new();
    for row in start.rows("readings").required().iter() {
        if row.text("station") != STATION || row.text("quantity") != "level" {
            continue;
        }
        let mut at = row.time("taken_at");
        if (FAST.0..FAST.1).contains(&at) {
            at = at - FAST.2.hours();
        }
        if (FLOOD.0..FLOOD.1).contains(&at) {
            let offset = offsets[row.text("device")];
            levels.insert(at, row.decimal("value") + offset >= warning);
        }
    }
    let second = levels
        .iter()
        .find(|(at, is_high)| **is_high && levels.get(&(**at - 1.hour())) == Some(&true));
    let due = *second.expect("two high levels in a row").0 + 30.minutes();
    let alerts = start.rows("alerts").required();
    let sent = alerts
        .iter()
        .filter(|row| row.text("station") == STATION)
        .map(|row| row.time("sent_at"))
        .find(|at| at.date() == FLOOD.0.date())
        .expect("a message");
    let late = (sent.duration_since(due)).as_mins();
    let hours = (late + 59) / 60;
    assert!(TOLD <= due, "the call was not late");
    let clock = |at: DateTime| (at.hour() as u32, at.minute() as u32);
    Flood {
        due: clock(due),
        sent: clock(sent),
        late,
        amount: (hours * RATE.0).min(RATE.1),
        told: clock(TOLD),
    }
}
