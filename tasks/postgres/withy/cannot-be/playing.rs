//! The trigger, right or with one mistake.

#![allow(dead_code)]

use mcpmark_guest::Tools;

#[path = "../office.rs"]
mod office;

use office::run;

/// Deviation from the rules.
#[derive(Clone, Copy, PartialEq)]
pub enum Mistake {
    /// The import fails at an implausible reading.
    StopsTheImport,
    /// The jump that was allowed before the flood.
    SixtyCentimetres,
    /// Kelder is like all others.
    KelderToo,
    /// The function has the rights of the import program, which may not write what it rejects.
    WithoutRights,
    /// Corrections are looked at.
    LooksAtCorrections,
    /// Changes of readings are looked at.
    LooksAtChanges,
    /// The reading before is that of the station.
    ByStation,
    /// The reading before is the last one that came in.
    LastIn,
    /// Suspect readings are readings before.
    BelievesSuspects,
    /// The limits themselves are implausible.
    WithoutLimits,
    /// Nothing is written down.
    DropsSilently,
    /// Jumps are looked at before ranges.
    JumpFirst,
    /// The import may do everything with rejected readings.
    GivesAllRights,
    /// No line in the log.
    ForgetsTheLog,
}

/// Way in which the database is read and written.
#[derive(Clone, Copy, PartialEq)]
pub enum Manner {
    /// Handbook first, and a function with the rights of its owner.
    Plain,
    /// Notes and log first.
    NotesFirst,
    /// The import program gets the rights that it needs.
    ByRights,
    /// An index for the reading before.
    WithIndex,
}

/// Adds the trigger.
pub fn play(tools: &mut Tools, mistake: Option<Mistake>, manner: Manner) -> String {
    let is = |other| mistake == Some(other);
    match manner {
        Manner::NotesFirst => {
            office::notes(tools);
            office::handbook(tools, &["plausibility", "definitions", "qualities"]);
        }
        Manner::ByRights => {
            run(
                tools,
                "SELECT body FROM handbook WHERE body ILIKE '%reject%' OR body ILIKE '%schema_log%'",
            );
            run(
                tools,
                "SELECT body FROM notes WHERE subject IN ('plausibility', 'Kelder')",
            );
        }
        Manner::Plain | Manner::WithIndex => {
            office::handbook(tools, &["plausibility", "definitions", "qualities"]);
            office::notes(tools);
        }
    }
    office::describe(tools, "readings");
    office::describe(tools, "rejected_readings");
    run(
        tools,
        "SELECT grantee, table_name, privilege_type FROM information_schema.role_table_grants WHERE grantee = 'importer'",
    );
    run(tools, "SELECT * FROM stations");
    if manner == Manner::NotesFirst {
        log(tools);
    }
    if manner == Manner::WithIndex {
        run(tools, "CREATE INDEX ON readings (device, taken_at)");
    }
    run(tools, &function(mistake, manner));
    if manner == Manner::ByRights {
        run(tools, "GRANT SELECT ON readings TO importer");
        run(tools, "GRANT INSERT ON rejected_readings TO importer");
    }
    if is(Mistake::GivesAllRights) {
        run(tools, "GRANT ALL ON rejected_readings TO importer");
    }
    let event = if is(Mistake::LooksAtChanges) {
        "INSERT OR UPDATE"
    } else {
        "INSERT"
    };
    run(
        tools,
        &format!(
            "CREATE TRIGGER keep_out BEFORE {event} ON readings FOR EACH ROW EXECUTE FUNCTION keep_out()"
        ),
    );
    if manner != Manner::NotesFirst && !is(Mistake::ForgetsTheLog) {
        log(tools);
    }
    "What cannot be is kept out from now on.".to_owned()
}

fn function(mistake: Option<Mistake>, manner: Manner) -> String {
    let is = |other| mistake == Some(other);
    let or =
        |other, wrong: &'static str, right: &'static str| if is(other) { wrong } else { right };
    let rights = if is(Mistake::WithoutRights) || manner == Manner::ByRights {
        ""
    } else {
        "SECURITY DEFINER SET search_path = public, pg_temp"
    };
    let jump = format!(
        "IF reason IS NULL AND NEW.quantity = 'level' {} THEN
            SELECT DISTINCT ON (device) value, taken_at INTO before FROM readings
            WHERE {} {} {} ORDER BY device, {} DESC;
            IF NEW.taken_at - before.taken_at <= interval '3 hours' AND abs(NEW.value - before.value) > {} THEN
                reason := 'jump';
            END IF;
        END IF;",
        or(Mistake::KelderToo, "", "AND NEW.station <> 'KEL'"),
        or(Mistake::ByStation, "station = NEW.station AND quantity = 'level'", "device = NEW.device"),
        or(Mistake::LastIn, "", "AND taken_at < NEW.taken_at"),
        or(Mistake::BelievesSuspects, "", "AND quality <> 'suspect'"),
        or(Mistake::LastIn, "id", "taken_at"),
        or(Mistake::SixtyCentimetres, "60", "80"),
    );
    let (below, above) = if is(Mistake::WithoutLimits) {
        ("<=", ">=")
    } else {
        ("<", ">")
    };
    let range = format!(
        "IF reason IS NULL AND (
            (NEW.quantity = 'level' AND (NEW.value {below} (SELECT lowest_cm FROM stations WHERE code = NEW.station)
                OR NEW.value {above} (SELECT highest_cm FROM stations WHERE code = NEW.station)))
            OR (NEW.quantity = 'rain' AND (NEW.value < 0 OR NEW.value {above} 50))
            OR (NEW.quantity = 'temperature' AND (NEW.value {below} -2 OR NEW.value {above} 35))
        ) THEN
            reason := 'range';
        END IF;"
    );
    let (first, second) = if is(Mistake::JumpFirst) {
        (&jump, &range)
    } else {
        (&range, &jump)
    };
    let corrected = or(
        Mistake::LooksAtCorrections,
        "",
        "IF NEW.quality = 'corrected' THEN RETURN NEW; END IF;",
    );
    let rejected = if is(Mistake::StopsTheImport) {
        "RAISE EXCEPTION 'implausible: %', reason;"
    } else if is(Mistake::DropsSilently) {
        "RETURN NULL;"
    } else {
        "INSERT INTO rejected_readings (device, station, quantity, taken_at, value, import_id, reason)
        VALUES (NEW.device, NEW.station, NEW.quantity, NEW.taken_at, NEW.value, NEW.import_id, reason);
        RETURN NULL;"
    };
    format!(
        "CREATE FUNCTION keep_out() RETURNS trigger LANGUAGE plpgsql {rights} AS $$
        DECLARE
            reason text;
            before record;
        BEGIN
            {corrected}
            IF NEW.taken_at > now() + interval '10 minutes' THEN
                reason := 'time';
            END IF;
            {first}
            {second}
            IF reason IS NULL THEN
                RETURN NEW;
            END IF;
            {rejected}
        END $$"
    )
}

fn log(tools: &mut Tools) {
    run(
        tools,
        "INSERT INTO schema_log VALUES ('2026-05-04', 'readings', 'Trigger that keeps implausible readings out, because the new import program does not.')",
    );
}
