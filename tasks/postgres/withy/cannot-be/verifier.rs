//! Readings that come in by the import program and by hand, one by one in a copy of the database.

mod cases;
#[path = "../log.rs"]
mod log;

use std::collections::BTreeMap;

use cases::{CASES, CORRECTED, Case, Fate, JUMP, RANGE, TIME};
use mcpmark_guest::{Condition, Verifier};
use mcpmark_guest_postgres::{Database, Grant, Index};
use mcpmark_guest_sql::{FINAL, Results, StepId, params};

mcpmark_guest::verifier!(verify);

/// Evening of the day of the task, so that all times of the cases but those from now are over.
const EVENING: i64 = 1_777_924_800;
const INSERT: &str = "INSERT INTO public.readings (device, station, quantity, taken_at, value, quality, import_id) VALUES ($1, $2, $3, $4, $5, $6, 7)";
const INSERT_AHEAD: &str = "INSERT INTO public.readings (device, station, quantity, taken_at, value, quality, import_id) VALUES ($1, $2, $3, now() + $4::interval, $5, $6, 7)";
/// Three readings in one statement, of which the second is out of range.
const THREE: &str =
    "INSERT INTO public.readings (device, station, quantity, taken_at, value, import_id) VALUES
    ('R-215', 'DUN', 'rain', '2026-05-04 08:00:00+00', 1.25, 7),
    ('R-215', 'DUN', 'rain', '2026-05-04 09:00:00+00', 81.25, 7),
    ('R-215', 'DUN', 'rain', '2026-05-04 10:00:00+00', 2.25, 7)";

fn verify(task: &mut Verifier) {
    let (start, end) = (Database::of(task.start()), Database::of(task.end()));
    let mut copy = FINAL.scratch();
    copy.clock(EVENING);
    copy.login("import", "importer");
    copy.login("office", "gauging");
    copy.login_superuser("look");
    let by_hand = [
        copy.execute("office", "UPDATE public.readings SET value = 200, quality = 'suspect' WHERE device = 'L-104' AND taken_at = '2026-05-04 07:00:00+00'", params![]),
        copy.execute("office", "INSERT INTO public.readings (device, station, quantity, taken_at, value, quality) VALUES ('L-106', 'FOX', 'level', '2026-05-04 08:00:00+00', 240, 'corrected')", params![]),
        copy.execute("office", "UPDATE public.readings SET value = 990, quality = 'good' WHERE device = 'L-107' AND taken_at = '2026-01-05 07:00:00+00'", params![]),
    ];
    let steps: Vec<StepId> = CASES
        .iter()
        .map(|case| {
            let [device, station, quantity, at, value, quality] = case.reading;
            match at.strip_prefix('+') {
                Some(minutes) => {
                    let ahead = format!("{minutes} minutes");
                    copy.execute(
                        "import",
                        INSERT_AHEAD,
                        params![device, station, quantity, ahead, value, quality],
                    )
                }
                None => copy.execute(
                    "import",
                    INSERT,
                    params![device, station, quantity, at, value, quality],
                ),
            }
        })
        .collect();
    let three = copy.execute("import", THREE, params![]);
    let kept = copy.execute("look", "SELECT device, station, quantity, value, quality, import_id FROM public.readings WHERE id > $1", params![last_id(&start)]);
    let changed = copy.execute("look", "SELECT device, value, quality FROM public.readings WHERE (device, taken_at) IN (('L-104', '2026-05-04 07:00:00+00'), ('L-107', '2026-01-05 07:00:00+00')) ORDER BY device", params![]);
    let rejected = copy.execute("look", "SELECT device, station, quantity, value, reason, import_id, CASE WHEN taken_at < '2026-05-04 20:00:00+00' THEN taken_at END AS taken_at FROM public.rejected_readings WHERE id > 6", params![]);
    let times = copy.execute("look", "SELECT count(*) FROM public.rejected_readings WHERE id > 6 AND (rejected_at < now() - interval '1 hour' OR rejected_at > now())", params![]);
    let of_others = copy.execute(
        "look",
        "SELECT count(*) FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND proowner <> 'gauging'::regrole",
        params![],
    );
    let results = copy.run();
    let (kept, rejected) = (by_value(&results, kept), by_value(&results, rejected));

    task.check(
        "the import goes on",
        all_work(&results, steps.iter().chain([&three])),
    );
    for name in [RANGE, JUMP, TIME] {
        let of_check = CASES.iter().filter(|case| case.check == name);
        task.check(name, fates(of_check, &kept, &rejected));
    }
    let corrected = CASES.iter().filter(|case| case.check == CORRECTED);
    let as_changed = [["L-104", "200.00", "suspect"], ["L-107", "990.00", "good"]];
    task.check(
        CORRECTED,
        fates(corrected, &kept, &rejected)
            .and(all_work(&results, by_hand.iter()))
            .and(is_table(&results, changed, &as_changed)),
    );
    let of_three = [("1.25", true), ("81.25", false), ("2.25", true)];
    let whole = of_three.iter().all(|(value, is_kept)| {
        let row = ["R-215", "DUN", "rain", value];
        find(&kept, &row).is_some() == *is_kept && find(&rejected, &row).is_some() != *is_kept
    });
    task.check(
        "one reading of a file keeps no other out",
        Condition::when(
            whole,
            "expected the first and the last of three readings that came in together",
        ),
    );
    let wanted = CASES
        .iter()
        .filter(|case| matches!(case.fate, Fate::Rejected(_)))
        .count()
        + 1;
    task.check(
        "rejected readings are as they came",
        as_they_came(&rejected, wanted).and(is_table(&results, times, &[["0"]])),
    );

    task.check(
        "the rights of others",
        grants(&start, &end).and(is_table(&results, of_others, &[["0"]])),
    );
    task.check("the indexes", indexes(&start, &end));
    task.check(
        "the log has a line about it",
        log::has_lines(&start, &end, &["readings"]),
    );
    task.check("the other lines of the log", log::keeps_lines(&start, &end));
    task.unchanged_except([
        "schemas/public/functions/",
        "schemas/public/triggers/readings.sql",
        "schemas/public/grants.sql",
        "schemas/public/indexes/readings.sql",
        "data/public/schema_log.csv",
    ]);
}

fn last_id(start: &Database) -> i64 {
    start.sequences("public")["readings_id_seq"]
}

/// Rows with the device, the station, the quantity and the value as their key. No two cases share it.
type ByValue = BTreeMap<Vec<String>, Vec<Vec<Option<String>>>>;

fn by_value(results: &Results, step: StepId) -> ByValue {
    let mut found = ByValue::new();
    if let Ok(rows) = results.of(step) {
        for row in rows.texts() {
            let key = row
                .iter()
                .take(4)
                .map(|cell| cell.clone().unwrap_or_default());
            found.entry(key.collect()).or_default().push(row.clone());
        }
    }
    found
}

/// Returns the only row with this key.
fn find<'a>(rows: &'a ByValue, key: &[&str; 4]) -> Option<&'a Vec<Option<String>>> {
    let key: Vec<String> = key.iter().map(|it| (*it).to_owned()).collect();
    match rows.get(&key).map(Vec::as_slice) {
        Some([row]) => Some(row),
        _ => None,
    }
}

fn fates<'a>(
    cases: impl Iterator<Item = &'a Case>,
    kept: &ByValue,
    rejected: &ByValue,
) -> Condition {
    for case in cases {
        let [device, station, quantity, at, value, quality] = case.reading;
        let key = [device, station, quantity, value];
        let (is_kept, is_rejected) = (find(kept, &key), find(rejected, &key));
        let fits = match case.fate {
            Fate::Kept => {
                is_rejected.is_none()
                    && is_kept.is_some_and(|row| row[4].as_deref() == Some(quality))
            }
            Fate::Rejected(reason) => {
                let time = Some(at).filter(|at| !at.starts_with('+'));
                is_kept.is_none()
                    && is_rejected.is_some_and(|row| {
                        row[4].as_deref() == Some(reason) && row[6].as_deref() == time
                    })
            }
        };
        if !fits {
            let wanted = match case.fate {
                Fate::Kept => "to be kept".to_owned(),
                Fate::Rejected(reason) => format!("to be rejected because of {reason}"),
            };
            return Condition::fail(format!(
                "{quantity} {value} of {device} at {at}: expected {wanted}, found {is_kept:?} and {is_rejected:?}"
            ));
        }
    }
    Condition::pass("all readings are where they belong")
}

fn all_work<'a>(results: &Results, mut steps: impl Iterator<Item = &'a StepId>) -> Condition {
    match steps.find_map(|step| results.error(*step)) {
        Some(error) => Condition::fail(error.to_string()),
        None => Condition::pass("no statement failed"),
    }
}

fn as_they_came(rejected: &ByValue, wanted: usize) -> Condition {
    let rows: Vec<_> = rejected.values().flatten().collect();
    let other = rows.iter().find(|row| row[5].as_deref() != Some("7"));
    Condition::when(
        other.is_none(),
        format!("expected the import 7, found {other:?}"),
    )
    .and(Condition::when(
        rows.len() == wanted,
        format!("expected {wanted} rejected readings, found {}", rows.len()),
    ))
}

fn is_table<const N: usize>(results: &Results, step: StepId, expected: &[[&str; N]]) -> Condition {
    let expected: Vec<Vec<Option<String>>> = expected
        .iter()
        .map(|row| row.iter().map(|cell| Some((*cell).to_owned())).collect())
        .collect();
    match results.of(step) {
        Ok(rows) => Condition::when(
            rows.texts() == expected,
            format!("expected {expected:?}, found {:?}", rows.texts()),
        ),
        Err(error) => Condition::fail(error.to_string()),
    }
}

/// Checks that nobody lost a right, and that only the import program, which meets the rules, may have got one.
fn grants(start: &Database, end: &Database) -> Condition {
    let (before, after) = (start.grants("public"), end.grants("public"));
    let lost = before.difference(&after).next();
    let is_needed = |grant: &Grant| {
        grant.object.starts_with("FUNCTION ")
            || (grant.role == "importer"
                && ["SELECT", "INSERT", "USAGE"].contains(&grant.privilege.as_str())
                && !grant.grantable)
    };
    let more = after.difference(&before).find(|grant| !is_needed(grant));
    Condition::when(lost.is_none(), format!("expected {lost:?}")).and(Condition::when(
        more.is_none(),
        format!("expected no {more:?}"),
    ))
}

/// Checks that no index was dropped, and that one at most was added, which the look-up of the reading before can use.
fn indexes(start: &Database, end: &Database) -> Condition {
    let (before, now) = (start.indexes("readings"), end.indexes("readings"));
    let lost = before.iter().find(|index| !now.contains(index));
    let new: Vec<&Index> = now.iter().filter(|index| !before.contains(index)).collect();
    let serves =
        |index: &&Index| !index.unique && index.keys.first().is_some_and(|key| key == "device");
    Condition::when(lost.is_none(), format!("expected {lost:?}")).and(Condition::when(
        new.len() <= 1 && new.iter().all(serves),
        format!("expected no index but one on the device, found {new:?}"),
    ))
}
