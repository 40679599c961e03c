//! Two claims with their answers, right or with one mistake.

#![allow(dead_code)]

use mcpmark_guest::Tools;

#[path = "../office.rs"]
mod office;

use office::{run, run_all};

/// Deviation from the rules.
#[derive(Clone, Copy, PartialEq)]
pub enum Mistake {
    /// Times and levels as they are on the map.
    BelievesTheMap,
    /// The clock is set right, but the level is not.
    ForgetsTheOffset,
    /// The level is set right, but the clock is not.
    ForgetsTheClock,
    /// The first of the two readings counts.
    FirstReading,
    /// The rate of the handbook.
    HandbookRate,
    /// The rate that was asked for, and not the one that was decided.
    AskedRate,
    /// Minutes are paid, and not hours.
    PaysMinutes,
    /// A call that nobody answered counts as a warning.
    BelievesTheCall,
    /// The message counts for somebody who was told by telephone.
    ForgetsTheCall,
    /// The carpets are paid, too.
    PaysTheDamage,
    /// The letter does not say what was wrong on the map.
    WithoutReason,
    /// The letter says what was wrong with the clock alone.
    ClockAlone,
    /// The letter names somebody else.
    NamesTheOther,
    /// Times with the name of their zone.
    WithZone,
    /// All open claims are answered.
    AnswersTheMeadow,
    /// Decided by the flood desk.
    DecidedByTheDesk,
}

/// Way in which the database is read and written.
#[derive(Clone, Copy, PartialEq)]
pub enum Manner {
    /// Handbook first, then one claim after the other.
    Plain,
    /// Mr Tanner first.
    TannerFirst,
    /// Rows in place of sums, and values in place of expressions.
    RowByRow,
    /// Letters that tell more.
    LongerLetters,
}

/// Answers both claims.
pub fn play(tools: &mut Tools, mistake: Option<Mistake>, manner: Manner) -> String {
    read(tools, manner);
    match manner {
        Manner::Plain => {
            orrell(tools, mistake);
            tanner(tools, mistake);
        }
        Manner::TannerFirst => {
            tanner(tools, mistake);
            orrell(tools, mistake);
        }
        Manner::RowByRow => run_all(
            tools,
            &[
                "UPDATE claims SET status = 'granted', amount = 180 WHERE id = 4",
                "UPDATE claims SET status = 'refused', amount = 0 WHERE id = 5",
                "UPDATE claims SET decided_on = '2026-05-04', decided_by = 'gil' WHERE id IN (4, 5)",
                "UPDATE claims SET answer = 'Dear Mrs Orrell, you are right, our map was wrong. The clock of the gauge was an hour ahead, and its levels were 4.0 cm too low. A warning should have gone out at 15:30. You were not warned before 17:40, which was 130 minutes late, so you get 180.00 from us. Yours, Gil Ashdown' WHERE id = 4",
                "UPDATE claims SET answer = 'Dear Mr Tanner, a warning should have gone out at 15:30. Sunniva Dahl reached you by phone at 15:25, which was in time. So there is no money from us. Yours, Gil Ashdown' WHERE id = 5",
            ],
        ),
        Manner::LongerLetters => longer(tools),
    }
    run(
        tools,
        "SELECT household, status, amount, decided_on, decided_by, answer FROM claims WHERE id > 3 ORDER BY id",
    );
    "Both claims are answered.".to_owned()
}

fn read(tools: &mut Tools, manner: Manner) {
    run(tools, "SELECT * FROM claims ORDER BY id");
    if manner == Manner::RowByRow {
        run(
            tools,
            "SELECT body FROM handbook WHERE body ILIKE '%warning%' OR body ILIKE '%late%' OR body ILIKE '%clock%'",
        );
        run(
            tools,
            "SELECT * FROM notes WHERE subject IN ('goodwill', 'Harrow Bridge') ORDER BY id",
        );
        run(
            tools,
            "SELECT id, taken_at, value, quality FROM readings WHERE station = 'HAR' AND quantity = 'level' AND taken_at BETWEEN '2026-03-24 10:00+00' AND '2026-03-24 20:00+00' ORDER BY taken_at",
        );
    } else {
        office::handbook(tools, &["goodwill", "warnings", "clocks", "calibrations"]);
        office::notes(tools);
    }
    run(tools, "SELECT * FROM alerts WHERE station = 'HAR'");
    run(
        tools,
        "SELECT * FROM work_orders WHERE station = 'HAR' ORDER BY id",
    );
    run(
        tools,
        "SELECT * FROM calibrations WHERE device IN (SELECT device FROM deployments WHERE station = 'HAR')",
    );
}

/// Returns a query of the time at which the warning was due.
fn due(mistake: Option<Mistake>) -> String {
    let is = |other| mistake == Some(other);
    let is_map = is(Mistake::BelievesTheMap);
    let clock = if is_map || is(Mistake::ForgetsTheClock) {
        0
    } else {
        1
    };
    let offset = if is_map || is(Mistake::ForgetsTheOffset) {
        "0"
    } else {
        "c.offset_cm"
    };
    let second = if is(Mistake::FirstReading) {
        "lead(level) OVER (ORDER BY at)"
    } else {
        "lag(level) OVER (ORDER BY at)"
    };
    format!(
        "SELECT min(at) + interval '30 minutes' AS due FROM (
            SELECT at, level, {second} AS other FROM (
                SELECT r.taken_at - interval '{clock} hours' AS at, r.value + {offset} AS level
                FROM readings r JOIN calibrations c ON c.device = r.device
                WHERE r.station = 'HAR' AND r.quantity = 'level' AND r.quality <> 'suspect'
                    AND r.taken_at BETWEEN '2026-03-24 08:00+00' AND '2026-03-25 00:00+00'
            ) AS levels
        ) AS pairs
        WHERE least(level, other) >= (SELECT warning_cm FROM stations WHERE code = 'HAR')"
    )
}

fn orrell(tools: &mut Tools, mistake: Option<Mistake>) {
    let is = |other| mistake == Some(other);
    let rate = if is(Mistake::HandbookRate) {
        40
    } else if is(Mistake::AskedRate) {
        50
    } else {
        60
    };
    let hours = if is(Mistake::PaysMinutes) {
        "minutes / 60.0"
    } else {
        "ceil(minutes / 60.0)"
    };
    let amount = if is(Mistake::PaysTheDamage) {
        "200".to_owned()
    } else {
        format!("least(200, {rate} * {hours})")
    };
    let (warned, how) = if is(Mistake::BelievesTheCall) {
        ("timestamptz '2026-03-24 15:35+00'", "we rang you at")
    } else {
        (
            "(SELECT sent_at FROM alerts WHERE station = 'HAR')",
            "our message went out at",
        )
    };
    let map = if is(Mistake::BelievesTheMap) || is(Mistake::WithoutReason) {
        ""
    } else if is(Mistake::ClockAlone) {
        "Our map was wrong, because the clock of the new gauge there was one hour fast. "
    } else {
        "Our map was wrong: the clock of the new gauge there was one hour fast, and it showed 4 cm too little. "
    };
    let other = if is(Mistake::NamesTheOther) {
        "Mr Tanner was told by telephone. "
    } else {
        ""
    };
    let damage = if is(Mistake::PaysTheDamage) {
        "This is for the carpets, too."
    } else {
        "For the carpets and the dresser, please ask your insurers."
    };
    let zone = if is(Mistake::WithZone) { " UTC" } else { "" };
    let by = if is(Mistake::DecidedByTheDesk) {
        "sunniva"
    } else {
        "gil"
    };
    run(
        tools,
        &format!(
            "WITH times AS (
                SELECT due, {warned} AS warned FROM ({}) AS due
            ), delays AS (
                SELECT due, warned, extract(epoch FROM warned - due)::int / 60 AS minutes FROM times
            ), sums AS (
                SELECT *, round({amount}, 2) AS amount FROM delays
            )
            UPDATE claims SET status = 'granted', amount = sums.amount, decided_on = '2026-05-04', decided_by = '{by}',
                answer = format('Dear Mrs Orrell, the warning was due at %s{zone}, and {how} %s{zone}. That is %s minutes late, for which we pay you %s. {map}{other}{damage} Yours, Gil Ashdown',
                    to_char(due AT TIME ZONE 'UTC', 'HH24:MI'), to_char(warned AT TIME ZONE 'UTC', 'HH24:MI'), minutes, sums.amount)
            FROM sums WHERE id = 4",
            due(mistake)
        ),
    );
}

fn tanner(tools: &mut Tools, mistake: Option<Mistake>) {
    let is = |other| mistake == Some(other);
    if is(Mistake::ForgetsTheCall) {
        run(
            tools,
            "UPDATE claims SET status = 'granted', amount = 180, decided_on = '2026-05-04', decided_by = 'gil',
                answer = 'Dear Mr Tanner, the warning was due at 15:30, and our message went out at 17:40. That is 130 minutes late, for which we pay you 180.00. Yours, Gil Ashdown'
            WHERE id = 5",
        );
        return;
    }
    let zone = if is(Mistake::WithZone) { " UTC" } else { "" };
    let by = if is(Mistake::DecidedByTheDesk) {
        "sunniva"
    } else {
        "gil"
    };
    run(
        tools,
        &format!(
            "UPDATE claims SET status = 'refused', amount = 0, decided_on = '2026-05-04', decided_by = '{by}',
                answer = format('Dear Mr Tanner, the warning was due at %s{zone}. Sunniva Dahl told you by telephone at 15:25{zone}, so you were not warned late, and we cannot pay you anything. Yours, Gil Ashdown',
                    to_char(due AT TIME ZONE 'UTC', 'HH24:MI'))
            FROM ({}) AS due WHERE id = 5",
            due(mistake)
        ),
    );
    if is(Mistake::AnswersTheMeadow) {
        run(
            tools,
            "UPDATE claims SET status = 'refused', amount = 0, decided_on = '2026-05-04', decided_by = 'gil',
                answer = 'Dear Amberly, the river did not reach the warning level at Kelder, so no warning was due, and we cannot pay you anything. Yours, Gil Ashdown'
            WHERE id = 6",
        );
    }
}

fn longer(tools: &mut Tools) {
    run_all(
        tools,
        &[
            "UPDATE claims SET status = 'granted', amount = 180, decided_on = '2026-05-04', decided_by = 'gil',
                answer = 'Dear Mrs Orrell,

thank you for your letter of 30 March. You are right, and we are sorry. The Withy was over the warning level of 210 cm at 14:00 and again at 15:00, so the warning was due half an hour later, at 15:30. Sunniva Dahl tried to ring you at 15:35, but nobody answered, and the message to your telephone did not go out before 17:40. That is 130 minutes late.

On our map it looks like only ten minutes, since the warning would have been due at 17:30 there. The map was wrong: the clock of the new gauge ran one hour fast, and the gauge itself showed four centimetres too little. Both were put right on 30 March.

For this flood we pay 60.00 for each hour or part of an hour, so you receive 180.00 from us. We cannot pay for the carpets and the dresser; please ask your insurers about those.

Yours, Gil Ashdown' WHERE household = 'Orrell'",
            "UPDATE claims SET status = 'refused', amount = 0.00, decided_on = '2026-05-04', decided_by = 'gil',
                answer = 'Dear Mr Tanner,

thank you for your letter. The warning for Harrow Bridge was due at 15:30 on 24 March. It is true that our message did not go out before 17:40. But Sunniva Dahl rang you at 15:25 and told you that the river was rising, five minutes before the warning was due. Goodwill is paid to households that were warned late, and you were warned in time, so we are not able to pay you any.

Yours, Gil Ashdown' WHERE household = 'Tanner'",
        ],
    );
}
