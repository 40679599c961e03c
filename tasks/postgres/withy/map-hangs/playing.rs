//! The index, right or with one mistake.

#![allow(dead_code)]

use mcpmark_guest::Tools;
use mcpmark_guest::serde_json::json;

#[path = "../office.rs"]
mod office;

use office::run;

/// Deviation from what is asked.
#[derive(Clone, Copy, PartialEq)]
pub enum Mistake {
    /// The station alone.
    StationAlone,
    /// Only readings that are not suspect, which the second question cannot use.
    FrontPageOnly,
    /// One index for each question.
    TwoIndexes,
    /// A copy that is filled once.
    StoresTheView,
    /// One row for each station.
    OneRowEach,
    /// No line in the log.
    ForgetsTheLog,
    /// The index on the import is dropped.
    DropsTheOld,
    /// A view without the rights that it had.
    LosesTheRights,
}

/// Way in which the database is read and written.
#[derive(Clone, Copy, PartialEq)]
pub enum Manner {
    /// Plans first.
    Plain,
    /// The line of the log before the index.
    LogFirst,
    /// The catalogue in place of plans, and a part of the readings.
    LevelsOnly,
    /// By time alone, which is enough for a tenth.
    ByTime,
    /// The view asks for the newest time of each station in another way, too.
    OtherView,
}

const INDEX: &str = "CREATE INDEX ON readings (station, quantity, taken_at)";

/// Adds the index.
pub fn play(tools: &mut Tools, mistake: Option<Mistake>, manner: Manner) -> String {
    if manner == Manner::LevelsOnly {
        run(tools, "SELECT pg_get_viewdef('latest_levels'::regclass)");
        run(
            tools,
            "SELECT indexdef FROM pg_indexes WHERE tablename = 'readings'",
        );
        run(
            tools,
            "SELECT body FROM handbook WHERE body ILIKE '%index%'",
        );
    } else {
        plan(tools);
        office::describe(tools, "readings");
        office::handbook(tools, &["definitions"]);
    }
    if manner == Manner::LogFirst {
        log(tools, "readings");
    }
    match manner {
        Manner::LevelsOnly => {
            run(
                tools,
                "CREATE INDEX ON readings (station, taken_at DESC) WHERE quantity = 'level'",
            );
        }
        Manner::ByTime => {
            run(
                tools,
                "CREATE INDEX readings_by_time ON readings (taken_at, station)",
            );
        }
        _ => wrong(tools, mistake),
    }
    if manner == Manner::OtherView {
        run(
            tools,
            "CREATE OR REPLACE VIEW latest_levels AS
            SELECT s.code, s.name, s.warning_cm, r.device, r.taken_at, r.value AS level_cm
            FROM stations s
            CROSS JOIN LATERAL (SELECT x.taken_at FROM readings x
                WHERE x.station = s.code AND x.quantity = 'level' AND x.quality <> 'suspect'
                ORDER BY x.taken_at DESC LIMIT 1) newest
            JOIN readings r ON r.station = s.code AND r.quantity = 'level' AND r.quality <> 'suspect'
                AND r.taken_at = newest.taken_at
            WHERE s.closed_on IS NULL",
        );
        log(tools, "latest_levels");
    }
    if manner != Manner::LogFirst && mistake != Some(Mistake::ForgetsTheLog) {
        log(tools, "readings");
    }
    plan(tools);
    "Both questions use an index now.".to_owned()
}

fn wrong(tools: &mut Tools, mistake: Option<Mistake>) {
    let view = "SELECT DISTINCT ON (s.code) s.code, s.name, s.warning_cm, r.device, r.taken_at, r.value AS level_cm
        FROM stations s JOIN readings r ON r.station = s.code
        WHERE s.closed_on IS NULL AND r.quantity = 'level' AND r.quality <> 'suspect'
        ORDER BY s.code, r.taken_at DESC";
    match mistake {
        Some(Mistake::StationAlone) => {
            run(tools, "CREATE INDEX ON readings (station)");
        }
        Some(Mistake::FrontPageOnly) => {
            run(
                tools,
                "CREATE INDEX ON readings (station, taken_at) WHERE quantity = 'level' AND quality <> 'suspect'",
            );
        }
        Some(Mistake::TwoIndexes) => {
            run(tools, INDEX);
            run(
                tools,
                "CREATE INDEX ON readings (station, taken_at) WHERE quantity = 'level' AND quality <> 'suspect'",
            );
        }
        Some(Mistake::StoresTheView) => {
            run(tools, INDEX);
            run(tools, "CREATE TABLE newest AS SELECT * FROM latest_levels");
            run(tools, "GRANT SELECT ON newest TO river_map, reporting");
            run(
                tools,
                "CREATE OR REPLACE VIEW latest_levels AS SELECT * FROM newest",
            );
            log(tools, "latest_levels");
        }
        Some(Mistake::OneRowEach) => {
            run(tools, INDEX);
            run(
                tools,
                &format!("CREATE OR REPLACE VIEW latest_levels AS {view}"),
            );
            log(tools, "latest_levels");
        }
        Some(Mistake::DropsTheOld) => {
            run(tools, INDEX);
            run(tools, "DROP INDEX readings_import_id_idx");
        }
        Some(Mistake::LosesTheRights) => {
            run(tools, INDEX);
            run(
                tools,
                "DO $$ DECLARE old text := pg_get_viewdef('latest_levels'::regclass);
                BEGIN DROP VIEW latest_levels; EXECUTE 'CREATE VIEW latest_levels AS ' || old; END $$",
            );
        }
        Some(Mistake::ForgetsTheLog) | None => {
            run(tools, INDEX);
        }
    }
}

fn plan(tools: &mut Tools) {
    tools.text(
        "explain_query",
        &json!({"sql": "SELECT * FROM latest_levels"}),
    );
}

fn log(tools: &mut Tools, object: &str) {
    let sql = format!(
        "INSERT INTO schema_log VALUES ('2026-05-04', '{object}', 'The public map asks for the newest readings of a station, and was slow.')"
    );
    run(tools, &sql);
}
