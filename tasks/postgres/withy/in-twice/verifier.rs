//! Doubles of the starting state, worked out pair by pair, and a database that refuses them.

#[path = "../log.rs"]
mod log;
#[path = "../whole.rs"]
mod whole;

use std::collections::BTreeMap;

use mcpmark_guest::{Condition, HashMap, Verifier};
use mcpmark_guest_postgres::{Database, Expected, RowsExt};
use mcpmark_guest_sql::{FINAL, params};

mcpmark_guest::verifier!(verify);

const TABLE: &str = "readings";
const INSERT: &str = "INSERT INTO public.readings (device, station, quantity, taken_at, value, import_id) VALUES ($1, $2, 'level', $3, $4, 7)";

fn verify(task: &mut Verifier) {
    let (start, end) = (Database::of(task.start()), Database::of(task.end()));
    let (readings, alerts) = sorted_out(&start);
    let found = end.rows(TABLE);
    task.check(
        "no reading is there twice, and all others are",
        found.columns_equal(&readings, &[]),
    );
    task.check("the values", found.columns_equal(&readings, &["value"]));
    task.check(
        "the qualities",
        found.columns_equal(&readings, &["quality"]),
    );
    task.check(
        "everything else about the readings",
        found.columns_equal(
            &readings,
            &["device", "station", "quantity", "taken_at", "import_id"],
        ),
    );
    task.check(
        "the alerts find their readings",
        end.rows("alerts").equal(&alerts),
    );
    task.check("doubles are refused", whole::if_whole(&end, refuses));
    task.check("what was there for the readings", kept(&start, &end));
    task.check(
        "the log has a line about it",
        log::has_lines(&start, &end, &[TABLE]),
    );
    task.check("the other lines of the log", log::keeps_lines(&start, &end));
    task.unchanged_except([
        "data/public/readings.csv",
        "data/public/alerts.csv",
        "data/public/schema_log.csv",
        "schemas/public/constraints/readings.sql",
        "schemas/public/indexes/readings.sql",
        "schemas/public/triggers/readings.sql",
        "schemas/public/functions/",
    ]);
}

/// Returns the readings and the alerts as they should be.
fn sorted_out(start: &Database) -> (Expected, Expected) {
    let rows = start.rows(TABLE).required();
    let imports = start.rows("imports").required();
    let from_memory: HashMap<String, bool> = imports
        .iter()
        .map(|row| (row.text("id").to_owned(), row.text("source") == "memory"))
        .collect();
    let mut expected = rows.expected(["id"]);
    let mut first: HashMap<(&str, &str), [&str; 3]> = HashMap::default();
    let mut merged: BTreeMap<String, String> = BTreeMap::new();
    // Rows are in the order of their numbers.
    for row in rows.select(["id", "device", "taken_at", "value", "quality", "import_id"]) {
        let [id, device, at, value, quality, import] = row.map(Option::unwrap_or_default);
        let Some([stays, before, of_before]) = first.get(&(device, at)) else {
            first.insert((device, at), [id, value, quality]);
            continue;
        };
        if from_memory[import] && value != *before && *of_before != "corrected" {
            expected.set([stays], "value", Some(value));
            expected.set([stays], "quality", Some("corrected"));
        }
        expected.remove([id]);
        merged.insert(id.to_owned(), (*stays).to_owned());
    }
    let rows = start.rows("alerts").required();
    let mut alerts = rows.expected(["id"]);
    for row in rows.iter() {
        if let Some(id) = merged.get(row.text("reading_id")) {
            alerts.set([row.text("id")], "reading_id", Some(id));
        }
    }
    (expected, alerts)
}

/// Checks that a second reading of a device and a time is refused, also while the first is not yet committed, and that
/// other readings come in.
fn refuses() -> Condition {
    let mut copy = FINAL.scratch();
    copy.login("import", "importer");
    copy.login("again", "importer");
    let reading =
        |device: &str, station: &str, at: &str, value: &str| params![device, station, at, value];
    let new = "2026-05-04 08:00:00+00";
    let refused = [
        (
            "the same reading again",
            copy.execute(
                "import",
                INSERT,
                reading("L-131", "HAR", "2026-05-04 07:00:00+00", "122.20"),
            ),
        ),
        (
            "another value",
            copy.execute(
                "import",
                INSERT,
                reading("L-131", "HAR", "2026-05-04 07:00:00+00", "122.30"),
            ),
        ),
        (
            "an old reading",
            copy.execute(
                "import",
                INSERT,
                reading("L-104", "DUN", "2026-03-12 12:00:00+00", "136.30"),
            ),
        ),
    ];
    let accepted = [
        (
            "a new time",
            copy.execute("import", INSERT, reading("L-131", "HAR", new, "122.40")),
        ),
        (
            "another device",
            copy.execute("import", INSERT, reading("L-101", "ASH", new, "122.40")),
        ),
        (
            "a second gauge of a station",
            copy.execute("import", INSERT, reading("L-106", "FOX", new, "148.00")),
        ),
        (
            "its parallel gauge",
            copy.execute("import", INSERT, reading("L-132", "FOX", new, "148.00")),
        ),
    ];
    copy.execute("import", "BEGIN", params![]);
    copy.execute("import", INSERT, reading("L-102", "BRK", new, "58.00"));
    let meanwhile = copy.execute("again", INSERT, reading("L-102", "BRK", new, "58.00"));
    copy.execute("import", "COMMIT", params![]);
    let results = copy.run();
    let refused = refused
        .into_iter()
        .chain([("one that comes in at the same time", meanwhile)]);
    for (name, step) in refused {
        if results.error(step).is_none() {
            return Condition::fail(format!("{name}: expected an error, found none"));
        }
    }
    for (name, step) in accepted {
        if let Some(error) = results.error(step) {
            return Condition::fail(format!("{name}: expected a new row, found {error}"));
        }
    }
    Condition::pass("a device has one reading of a time")
}

/// Checks that nothing was dropped, and that one index or constraint was added at most.
fn kept(start: &Database, end: &Database) -> Condition {
    let names = ["constraints", "indexes"];
    let all = |database: &Database| -> Vec<String> {
        names
            .iter()
            .flat_map(|kind| database.statements(kind, TABLE))
            .collect()
    };
    let (before, after) = (all(start), all(end));
    let lost = before.iter().find(|it| !after.contains(it));
    let new: Vec<&String> = after.iter().filter(|it| !before.contains(it)).collect();
    Condition::when(lost.is_none(), format!("expected {lost:?}")).and(Condition::when(
        new.len() <= 1,
        format!("expected one new index or constraint, found {new:?}"),
    ))
}
