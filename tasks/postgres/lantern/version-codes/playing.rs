//! The migration, right or with one mistake.

#![allow(dead_code)]

use mcpmark_guest::Tools;

#[path = "../desk.rs"]
mod desk;

use desk::{run, run_all};

/// Deviation from the rules.
#[derive(Clone, Copy, PartialEq)]
pub enum Mistake {
    /// The surcharge is that of the handbook.
    OldSurcharge,
    /// An empty version is always 2D.
    EmptyIsFlat,
    /// An English film in the original version is OV.
    OriginalIsOriginal,
    /// 3D counts in every auditorium.
    BelievesIn3d,
    /// The column can be empty.
    MayBeEmpty,
    /// The reference deletes shows together with their version.
    DeletesShows,
    /// New shows are 2D by default.
    MakesUpAVersion,
    /// An index on the new column.
    AddsAnIndex,
    /// The reference is not checked for the shows that exist.
    NotValid,
    /// The old column is dropped.
    DropsTheOld,
    /// The web shop cannot read the table.
    ForgetsTheShop,
    /// Everybody can read the table.
    OpensToAll,
    /// All groups that read the programme can read the table.
    OpensToReaders,
}

/// Way in which the database is read and written.
#[derive(Clone, Copy, PartialEq)]
pub enum Manner {
    /// One update with all rules.
    Plain,
    /// The column with its reference before the codes are filled.
    ReferenceFirst,
    /// One update for each rule.
    RuleByRule,
    /// Checks in place of the reference and of `NOT NULL`, and rights to columns.
    ByChecks,
}

/// Adds the table and the column.
pub fn play(tools: &mut Tools, mistake: Option<Mistake>, manner: Manner) -> String {
    let is = |other| mistake == Some(other);
    match manner {
        Manner::Plain | Manner::ByChecks => {
            desk::describe(tools, "screenings");
            desk::section(tools, "versions");
            desk::section(tools, "definitions");
        }
        Manner::ReferenceFirst => {
            desk::section(tools, "definitions");
            desk::section(tools, "versions");
            desk::describe(tools, "screenings");
        }
        Manner::RuleByRule => {
            run(tools, "SELECT section, body FROM handbook");
            run(
                tools,
                "SELECT column_name, data_type FROM information_schema.columns WHERE table_name = 'screenings'",
            );
        }
    }
    run(
        tools,
        "SELECT written_on, body FROM desk_notes WHERE body LIKE '%3D%' ORDER BY id",
    );
    run(
        tools,
        "SELECT version, count(*) FROM screenings GROUP BY version",
    );
    run(
        tools,
        "SELECT relacl FROM pg_class WHERE oid = 'screenings'::regclass",
    );

    let surcharge = if is(Mistake::OldSurcharge) {
        "2.50"
    } else {
        "3.00"
    };
    let by_checks = manner == Manner::ByChecks;
    let filled = if by_checks { "" } else { "NOT NULL" };
    run(
        tools,
        &format!("CREATE TABLE versions (code text PRIMARY KEY, surcharge numeric(4,2) {filled})"),
    );
    run(
        tools,
        &format!(
            "INSERT INTO versions VALUES ('2D', 0), ('3D', {surcharge}), ('OV', 0), ('SUB', 0), ('3D-SUB', {surcharge})"
        ),
    );
    run(tools, "ALTER TABLE screenings ADD COLUMN version_code text");
    let option = match mistake {
        Some(Mistake::DeletesShows) => "ON DELETE CASCADE",
        Some(Mistake::NotValid) => "NOT VALID",
        _ => "",
    };
    let reference = format!(
        "ALTER TABLE screenings ADD FOREIGN KEY (version_code) REFERENCES versions (code) {option}"
    );
    if manner == Manner::ReferenceFirst {
        run(tools, &reference);
    }
    if manner == Manner::RuleByRule {
        fill_by_rules(tools);
    } else {
        fill(tools, mistake);
    }
    if by_checks {
        run_all(
            tools,
            &[
                "ALTER TABLE screenings ADD CHECK (version_code IS NOT NULL)",
                "ALTER TABLE screenings ADD CHECK (version_code IN ('2D', '3D', 'OV', 'SUB', '3D-SUB'))",
            ],
        );
    } else if !is(Mistake::MayBeEmpty) {
        run(
            tools,
            "ALTER TABLE screenings ALTER COLUMN version_code SET NOT NULL",
        );
    }
    if !by_checks && manner != Manner::ReferenceFirst {
        run(tools, &reference);
    }
    if is(Mistake::MakesUpAVersion) {
        run(
            tools,
            "ALTER TABLE screenings ALTER COLUMN version_code SET DEFAULT '2D'",
        );
    }
    if is(Mistake::AddsAnIndex) {
        run(tools, "CREATE INDEX ON screenings (version_code)");
    }
    if is(Mistake::DropsTheOld) {
        run(tools, "ALTER TABLE screenings DROP COLUMN version");
    }
    if is(Mistake::OpensToAll) {
        run(tools, "GRANT SELECT ON versions TO PUBLIC");
    }
    if is(Mistake::OpensToReaders) {
        run(
            tools,
            "GRANT SELECT ON versions TO front_of_house, reporting, tills",
        );
    }
    if by_checks {
        run(
            tools,
            "GRANT SELECT (code, surcharge) ON versions TO web_shop",
        );
    } else if !is(Mistake::ForgetsTheShop) {
        run(tools, "GRANT SELECT ON versions TO web_shop");
    }
    "The table and the column are there.".to_owned()
}

const TYPED: &str = "regexp_replace(lower(coalesce(s.version, '')), '[ .-]', '', 'g')";

fn fill(tools: &mut Tools, mistake: Option<Mistake>) {
    let is = |other| mistake == Some(other);
    let empty = if is(Mistake::EmptyIsFlat) {
        "'2D'"
    } else {
        "CASE WHEN f.language = 'en' THEN '2D' ELSE 'SUB' END"
    };
    let original = if is(Mistake::OriginalIsOriginal) {
        "'OV'"
    } else {
        "CASE WHEN f.language = 'en' THEN '2D' ELSE 'OV' END"
    };
    let can_3d = if is(Mistake::BelievesIn3d) {
        "true"
    } else {
        "a.can_3d"
    };
    let sql = format!(
        "UPDATE screenings s SET version_code = CASE {TYPED}
            WHEN '' THEN {empty}
            WHEN '2d' THEN '2D'
            WHEN 'imax' THEN '2D'
            WHEN 'ov' THEN {original}
            WHEN 'sub' THEN 'SUB'
            WHEN 'omu' THEN 'SUB'
            WHEN '3d' THEN CASE WHEN {can_3d} THEN '3D' ELSE '2D' END
            WHEN '3dsub' THEN CASE WHEN {can_3d} THEN '3D-SUB' ELSE 'SUB' END
            WHEN '3domu' THEN CASE WHEN {can_3d} THEN '3D-SUB' ELSE 'SUB' END
        END
        FROM films f, screens a
        WHERE f.id = s.film_id AND a.id = s.screen_id"
    );
    run(tools, &sql);
}

fn fill_by_rules(tools: &mut Tools) {
    let typed = TYPED.replace("s.version", "version");
    for (code, words) in [
        ("2D", "'2d', 'imax', ''"),
        ("3D", "'3d'"),
        ("OV", "'ov'"),
        ("SUB", "'sub', 'omu'"),
        ("3D-SUB", "'3dsub', '3domu'"),
    ] {
        run(
            tools,
            &format!("UPDATE screenings SET version_code = '{code}' WHERE {typed} IN ({words})"),
        );
    }
    let english = "film_id IN (SELECT id FROM films WHERE language = 'en')";
    let flat = "screen_id IN (SELECT id FROM screens WHERE NOT can_3d)";
    run_all(
        tools,
        &[
            &format!(
                "UPDATE screenings SET version_code = 'SUB' WHERE coalesce(trim(version), '') = '' AND NOT {english}"
            ),
            &format!(
                "UPDATE screenings SET version_code = '2D' WHERE version_code = 'OV' AND {english}"
            ),
            &format!(
                "UPDATE screenings SET version_code = '2D' WHERE version_code = '3D' AND {flat}"
            ),
            &format!(
                "UPDATE screenings SET version_code = 'SUB' WHERE version_code = '3D-SUB' AND {flat}"
            ),
        ],
    );
}
