//! Doubles sorted out with a few statements, right or with one mistake.

#![allow(dead_code)]

use mcpmark_guest::Tools;

#[path = "../office.rs"]
mod office;

use office::run;

/// Deviation from the rules.
#[derive(Clone, Copy, PartialEq)]
pub enum Mistake {
    /// The one that came in last stays.
    KeepsTheLast,
    /// Values of the memory are not taken over.
    IgnoresTheMemory,
    /// The memory wins over people, too.
    MemoryOverPeople,
    /// Values that come by radio a second time are taken over as well.
    RadioAgain,
    /// The new value does not make the reading a corrected one.
    MarksNothing,
    /// All that the memory has confirmed become corrected.
    MarksAll,
    /// Two gauges at one station are doubles.
    ByStation,
    /// All readings of the memory are deleted.
    WholeImports,
    /// Alerts of doubles are deleted.
    DeletesAlerts,
    /// An index that refuses nothing.
    NotUnique,
    /// A trigger that does not see what others are about to write.
    ByTrigger,
    /// No line in the log.
    ForgetsTheLog,
}

/// Way in which the database is read and written.
#[derive(Clone, Copy, PartialEq)]
pub enum Manner {
    /// Handbook first; values, alerts, then readings.
    Plain,
    /// Alerts first, and the log before the index.
    AlertsFirst,
    /// Device by device, and a constraint.
    ByConstraint,
    /// The quantity belongs to the key.
    WithQuantity,
}

/// Sorts the doubles out.
pub fn play(tools: &mut Tools, mistake: Option<Mistake>, manner: Manner) -> String {
    let is = |other| mistake == Some(other);
    if manner == Manner::ByConstraint {
        run(
            tools,
            "SELECT body FROM handbook WHERE body ILIKE '%double%' OR body ILIKE '%schema_log%'",
        );
        run(
            tools,
            "SELECT * FROM imports WHERE source <> 'radio' OR started_at > '2026-04-28'",
        );
        run(
            tools,
            "SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint WHERE confrelid = 'readings'::regclass",
        );
    } else {
        office::handbook(tools, &["double readings", "definitions", "qualities"]);
        office::describe(tools, "readings");
        office::describe(tools, "alerts");
        run(tools, "SELECT source, count(*) FROM imports GROUP BY 1");
    }
    run(tools, DOUBLES);
    let key = if is(Mistake::ByStation) {
        "s.station = f.station AND s.quantity = f.quantity AND s.taken_at = f.taken_at"
    } else {
        "s.device = f.device AND s.taken_at = f.taken_at"
    };
    if manner == Manner::AlertsFirst {
        alerts(tools, mistake, key);
        values(tools, mistake, key, "");
        log(tools);
    } else if manner == Manner::ByConstraint {
        for device in ["L-104", "L-105"] {
            values(tools, mistake, key, &format!("AND f.device = '{device}'"));
        }
        alerts(tools, mistake, key);
    } else {
        values(tools, mistake, key, "");
        alerts(tools, mistake, key);
    }
    let order = if is(Mistake::KeepsTheLast) {
        "s.id < f.id"
    } else {
        "s.id > f.id"
    };
    run(
        tools,
        &format!("DELETE FROM readings s USING readings f WHERE {key} AND {order}"),
    );
    if is(Mistake::WholeImports) {
        run(
            tools,
            "DELETE FROM readings WHERE import_id IN (SELECT id FROM imports WHERE source = 'memory')",
        );
    }
    index(tools, mistake, manner);
    if manner != Manner::AlertsFirst && !is(Mistake::ForgetsTheLog) {
        log(tools);
    }
    run(tools, DOUBLES);
    "Each device has one reading of a time.".to_owned()
}

const DOUBLES: &str =
    "SELECT count(*) FROM (SELECT FROM readings GROUP BY device, taken_at HAVING count(*) > 1) x";

fn values(tools: &mut Tools, mistake: Option<Mistake>, key: &str, only: &str) {
    let is = |other| mistake == Some(other);
    if is(Mistake::IgnoresTheMemory) || is(Mistake::KeepsTheLast) {
        return;
    }
    let quality = if is(Mistake::MarksNothing) {
        "f.quality"
    } else {
        "'corrected'"
    };
    let source = if is(Mistake::RadioAgain) {
        ""
    } else {
        "AND i.source = 'memory'"
    };
    let people = if is(Mistake::MemoryOverPeople) {
        ""
    } else {
        "AND f.quality <> 'corrected'"
    };
    let differs = if is(Mistake::MarksAll) {
        ""
    } else {
        "AND s.value <> f.value"
    };
    run(
        tools,
        &format!(
            "UPDATE readings f SET value = s.value, quality = {quality}
            FROM readings s JOIN imports i ON i.id = s.import_id
            WHERE {key} AND s.id > f.id {source} {people} {differs} {only}"
        ),
    );
}

fn alerts(tools: &mut Tools, mistake: Option<Mistake>, key: &str) {
    let order = if mistake == Some(Mistake::KeepsTheLast) {
        "s.id < f.id"
    } else {
        "s.id > f.id"
    };
    let sql = if mistake == Some(Mistake::DeletesAlerts) {
        format!(
            "DELETE FROM alerts a USING readings s, readings f
            WHERE a.reading_id = s.id AND a.reading_at = s.taken_at AND {key} AND {order}"
        )
    } else {
        format!(
            "UPDATE alerts a SET reading_id = f.id FROM readings s, readings f
            WHERE a.reading_id = s.id AND a.reading_at = s.taken_at AND {key} AND {order}"
        )
    };
    run(tools, &sql);
}

fn index(tools: &mut Tools, mistake: Option<Mistake>, manner: Manner) {
    if mistake == Some(Mistake::ByTrigger) {
        run(
            tools,
            "CREATE FUNCTION refuse_double() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
            BEGIN
                IF EXISTS (SELECT FROM readings WHERE device = NEW.device AND taken_at = NEW.taken_at) THEN
                    RAISE EXCEPTION 'twice';
                END IF;
                RETURN NEW;
            END $$",
        );
        run(
            tools,
            "CREATE TRIGGER refuse_double BEFORE INSERT ON readings FOR EACH ROW EXECUTE FUNCTION refuse_double()",
        );
        return;
    }
    let sql = match (mistake, manner) {
        (Some(Mistake::NotUnique), _) => "CREATE INDEX ON readings (device, taken_at)",
        (Some(Mistake::ByStation), _) => {
            "CREATE UNIQUE INDEX ON readings (station, quantity, taken_at)"
        }
        (_, Manner::ByConstraint) => {
            "ALTER TABLE readings ADD CONSTRAINT one_reading_of_a_time UNIQUE (taken_at, device)"
        }
        (_, Manner::WithQuantity) => "CREATE UNIQUE INDEX ON readings (device, quantity, taken_at)",
        _ => "CREATE UNIQUE INDEX ON readings (device, taken_at)",
    };
    run(tools, sql);
}

fn log(tools: &mut Tools) {
    run(
        tools,
        "INSERT INTO schema_log VALUES ('2026-05-04', 'readings', 'A device has one reading of a time, because files had been read in twice.')",
    );
}
