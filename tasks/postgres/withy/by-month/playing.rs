//! The table in parts, right or with one mistake.

#![allow(dead_code)]

use mcpmark_guest::Tools;

#[path = "../office.rs"]
mod office;

use office::{run, run_all};

/// Deviation from the rules.
#[derive(Clone, Copy, PartialEq)]
pub enum Mistake {
    /// Parts for two more months, as the handbook has it.
    TwoMonths,
    /// A part for all the rest.
    WithARest,
    /// Months begin at nine, as those of the figures do.
    WaterMonths,
    /// Names of another form.
    OtherNames,
    /// Rights are not given again.
    ForgetsRights,
    /// Rights are given on the parts, too.
    RightsOnParts,
    /// Alerts do not reference readings any more.
    ForgetsAlerts,
    /// Readings do not reference devices, stations and imports any more.
    ForgetsReferences,
    /// The index on the import is on one part alone.
    IndexOnOnePart,
    /// The old table stays, and the map reads it.
    LeavesACopy,
    /// The sequence belongs to nothing.
    ForgetsTheSequence,
    /// Comments are lost.
    ForgetsComments,
    /// No line in the log.
    ForgetsTheLog,
    /// Further parts for the boreholes, which somebody else adds later.
    BoreholesToo,
}

/// Way in which the database is read and written.
#[derive(Clone, Copy, PartialEq)]
pub enum Manner {
    /// A new table, into which all rows are copied.
    Plain,
    /// The log first, and rights before rows.
    RightsFirst,
    /// Tables of the months first, which are attached.
    ByAttaching,
    /// Lines of the log for all tables that were touched.
    LogsAll,
}

const COLUMNS: &str = "id, device, station, quantity, taken_at, value, quality, import_id";

/// Puts the table into parts.
pub fn play(tools: &mut Tools, mistake: Option<Mistake>, manner: Manner) -> String {
    let is = |other| mistake == Some(other);
    read(tools, manner);
    if manner == Manner::RightsFirst {
        log(tools, "readings");
    }
    let view = "DO $$ DECLARE old text := pg_get_viewdef('latest_levels'::regclass);
        BEGIN EXECUTE 'CREATE OR REPLACE VIEW latest_levels AS ' || replace(old, 'readings_old', 'readings'); END $$";
    run(
        tools,
        "ALTER TABLE alerts DROP CONSTRAINT alerts_reading_id_reading_at_fkey",
    );
    run(tools, "ALTER TABLE readings RENAME TO readings_old");
    let comments = if is(Mistake::ForgetsComments) {
        ""
    } else {
        "INCLUDING COMMENTS"
    };
    run(
        tools,
        &format!(
            "CREATE TABLE readings (LIKE readings_old INCLUDING DEFAULTS INCLUDING CONSTRAINTS {comments}) PARTITION BY RANGE (taken_at)"
        ),
    );
    run(tools, "ALTER TABLE readings ADD PRIMARY KEY (id, taken_at)");
    if is(Mistake::RightsOnParts) || manner == Manner::RightsFirst {
        rights(tools);
    }
    parts(tools, mistake, manner);
    if manner != Manner::ByAttaching {
        run(
            tools,
            &format!("INSERT INTO readings ({COLUMNS}) SELECT {COLUMNS} FROM readings_old"),
        );
    }
    if is(Mistake::IndexOnOnePart) {
        run(tools, "CREATE INDEX ON readings_2026_05 (import_id)");
    } else {
        run(tools, "CREATE INDEX ON readings (import_id)");
    }
    if !is(Mistake::ForgetsReferences) {
        run(
            tools,
            "ALTER TABLE readings ADD FOREIGN KEY (device) REFERENCES devices,
            ADD FOREIGN KEY (station) REFERENCES stations, ADD FOREIGN KEY (import_id) REFERENCES imports",
        );
    }
    if !is(Mistake::ForgetsAlerts) {
        run(
            tools,
            "ALTER TABLE alerts ADD FOREIGN KEY (reading_id, reading_at) REFERENCES readings (id, taken_at)",
        );
    }
    let owner = if is(Mistake::ForgetsTheSequence) {
        "NONE"
    } else {
        "readings.id"
    };
    run(
        tools,
        &format!("ALTER SEQUENCE readings_id_seq OWNED BY {owner}"),
    );
    if is(Mistake::RightsOnParts) {
        run(
            tools,
            "DO $$ DECLARE part regclass; BEGIN
                FOR part IN SELECT inhrelid::regclass FROM pg_inherits WHERE inhparent = 'readings'::regclass LOOP
                    EXECUTE format('GRANT SELECT ON %s TO reporting', part);
                END LOOP; END $$",
        );
    } else if !is(Mistake::ForgetsRights) && manner != Manner::RightsFirst {
        rights(tools);
    }
    if !is(Mistake::LeavesACopy) {
        run(tools, view);
        if !is(Mistake::ForgetsComments) {
            run(
                tools,
                "DO $$ BEGIN EXECUTE format('COMMENT ON TABLE readings IS %L', obj_description('readings_old'::regclass)); END $$",
            );
        }
        run(tools, "DROP TABLE readings_old");
    }
    if !is(Mistake::ForgetsTheLog) && manner != Manner::RightsFirst {
        log(tools, "readings");
    }
    if is(Mistake::BoreholesToo) {
        for month in 8..=9 {
            run(
                tools,
                &format!(
                    "CREATE TABLE borehole_readings_2026_{month:02} PARTITION OF borehole_readings FOR VALUES FROM ('2026-{month:02}-01 00:00+00') TO ('2026-{:02}-01 00:00+00')",
                    month + 1
                ),
            );
        }
        log(tools, "borehole_readings");
    }
    if manner == Manner::LogsAll {
        run_all(
            tools,
            &[
                "INSERT INTO schema_log VALUES ('2026-05-04', 'alerts', 'References the table in parts in place of the old one.')",
                "INSERT INTO schema_log VALUES ('2026-05-04', 'latest_levels', 'Reads the table in parts in place of the old one.')",
            ],
        );
    }
    run(
        tools,
        "SELECT tableoid::regclass, count(*) FROM readings GROUP BY 1 ORDER BY 1",
    );
    "Readings are in parts by month.".to_owned()
}

fn read(tools: &mut Tools, manner: Manner) {
    if manner == Manner::ByAttaching {
        run(
            tools,
            "SELECT body FROM handbook WHERE body ILIKE '%parts%' OR section = 'definitions'",
        );
        run(tools, "SELECT * FROM notes WHERE subject = 'parts'");
        run(
            tools,
            "SELECT inhrelid::regclass FROM pg_inherits WHERE inhparent = 'borehole_readings'::regclass",
        );
        run(
            tools,
            "SELECT conrelid::regclass, pg_get_constraintdef(oid) FROM pg_constraint WHERE 'readings'::regclass IN (conrelid, confrelid)",
        );
    } else {
        office::handbook(tools, &["tables in parts", "definitions"]);
        office::notes(tools);
        office::describe(tools, "readings");
        office::describe(tools, "borehole_readings_2026_07");
    }
    run(
        tools,
        "SELECT grantee, privilege_type FROM information_schema.role_table_grants WHERE table_name = 'readings'",
    );
    run(tools, "SELECT pg_get_viewdef('latest_levels'::regclass)");
}

fn parts(tools: &mut Tools, mistake: Option<Mistake>, manner: Manner) {
    let is = |other| mistake == Some(other);
    let last = if is(Mistake::TwoMonths) { 7 } else { 9 };
    let clock = if is(Mistake::WaterMonths) {
        "09:00"
    } else {
        "00:00"
    };
    for month in 1..=last {
        let name = if is(Mistake::OtherNames) {
            format!("readings_p{month:02}")
        } else {
            format!("readings_2026_{month:02}")
        };
        let (from, to) = match (month, mistake) {
            // The first readings are of the night before the first water month.
            (1, Some(Mistake::WaterMonths)) => (
                "2025-12-31 09:00+00".to_owned(),
                "2026-02-01 09:00+00".to_owned(),
            ),
            _ => (
                format!("2026-{month:02}-01 {clock}+00"),
                format!("2026-{:02}-01 {clock}+00", month + 1),
            ),
        };
        if manner == Manner::ByAttaching {
            run_all(
                tools,
                &[
                    &format!(
                        "CREATE TABLE {name} (LIKE readings INCLUDING ALL EXCLUDING COMMENTS)"
                    ),
                    &format!(
                        "INSERT INTO {name} ({COLUMNS}) SELECT {COLUMNS} FROM readings_old WHERE taken_at >= '{from}' AND taken_at < '{to}'"
                    ),
                    &format!(
                        "ALTER TABLE readings ATTACH PARTITION {name} FOR VALUES FROM ('{from}') TO ('{to}')"
                    ),
                ],
            );
        } else {
            run(
                tools,
                &format!(
                    "CREATE TABLE {name} PARTITION OF readings FOR VALUES FROM ('{from}') TO ('{to}')"
                ),
            );
        }
    }
    if is(Mistake::WithARest) {
        run(
            tools,
            "CREATE TABLE readings_rest PARTITION OF readings DEFAULT",
        );
    }
}

fn rights(tools: &mut Tools) {
    run_all(
        tools,
        &[
            "GRANT SELECT ON readings TO reporting, river_map",
            "GRANT INSERT ON readings TO importer",
        ],
    );
}

fn log(tools: &mut Tools, object: &str) {
    let sql = format!(
        "INSERT INTO schema_log VALUES ('2026-05-04', '{object}', 'In parts by month, since only the last weeks are asked for.')"
    );
    run(tools, &sql);
}
