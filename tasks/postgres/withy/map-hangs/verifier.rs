//! Plans of the two questions of the map, and its answers before and after new readings.

#[path = "../log.rs"]
mod log;

use std::collections::BTreeMap;

use mcpmark_guest::serde_json::Value as Json;
use mcpmark_guest::{Condition, Verifier, serde_json};
use mcpmark_guest_postgres::{Database, Index};
use mcpmark_guest_sql::{Error, FINAL, Results, Rows, StepId, params};

mcpmark_guest::verifier!(verify);

const VIEW: &str = "latest_levels";
const COLUMNS: [&str; 6] = [
    "code",
    "name",
    "warning_cm",
    "device",
    "taken_at",
    "level_cm",
];
const PAGE: &str = "SELECT * FROM public.latest_levels ORDER BY code, device";
const STATION: &str = "SELECT taken_at, value FROM public.readings WHERE station = 'HAR' AND quantity = 'level' AND taken_at >= '2026-05-02 08:00:00+00' ORDER BY taken_at";
/// A tenth of the costs at the beginning, which are 12,849 and 664.
const LIMITS: [f64; 2] = [1284.0, 66.4];
/// New readings: device, station, quantity, value, quality.
const NEW: [[&str; 5]; 6] = [
    ["L-131", "HAR", "level", "131.70", "raw"],
    ["L-132", "FOX", "level", "150.20", "raw"],
    ["L-102", "BRK", "level", "999.00", "suspect"],
    ["R-215", "DUN", "rain", "0.60", "raw"],
    ["L-109", "LOW", "level", "52.40", "corrected"],
    ["L-110", "MIL", "level", "47.00", "raw"],
];
const NEW_AT: &str = "2026-05-04 08:00:00+00";

type Row = Vec<Option<String>>;

fn verify(task: &mut Verifier) {
    let (start, end) = (Database::of(task.start()), Database::of(task.end()));
    let readings = readings(&start);
    let mut with_new = readings.clone();
    with_new.extend(NEW.map(|[device, station, quantity, value, quality]| {
        [device, station, quantity, NEW_AT, value, quality].map(str::to_owned)
    }));

    let mut copy = FINAL.scratch();
    copy.login("map", "river_map");
    copy.login("import", "importer");
    let before = copy.execute("map", PAGE, params![]);
    let plans = ["SELECT * FROM public.latest_levels", STATION]
        .map(|sql| copy.execute("map", &format!("EXPLAIN (FORMAT JSON) {sql}"), params![]));
    for [device, station, quantity, value, quality] in NEW {
        let sql = "INSERT INTO public.readings (device, station, quantity, taken_at, value, quality, import_id) VALUES ($1, $2, $3, $4, $5, $6, 1)";
        copy.execute(
            "import",
            sql,
            params![device, station, quantity, NEW_AT, value, quality],
        );
    }
    let after = copy.execute("map", PAGE, params![]);
    let of_station = copy.execute("map", STATION, params![]);
    let results = copy.run();

    task.check(
        "the front page shows what it showed",
        shows(results.of(before), &page(&start, &readings)),
    );
    task.check(
        "new readings are on it at once",
        shows(results.of(after), &page(&start, &with_new))
            .and(same(results.of(of_station), &of_harrow(&with_new))),
    );
    for ((name, plan), limit) in ["the front page", "the days of a station"]
        .into_iter()
        .zip(plans)
        .zip(LIMITS)
    {
        task.check(
            format!("{name}: a tenth of the cost"),
            costs(&results, plan, limit),
        );
    }
    task.check("one index for both", one_index(&start, &end));
    let is_view_changed = start.statements("views", VIEW) != end.statements("views", VIEW);
    let objects: &[&str] = if is_view_changed {
        &["readings", VIEW]
    } else {
        &["readings"]
    };
    task.check(
        "the log has a line about it",
        log::has_lines(&start, &end, objects),
    );
    task.check("the other lines of the log", log::keeps_lines(&start, &end));
    task.unchanged_except([
        Database::definition_path("indexes", "readings"),
        Database::definition_path("views", VIEW),
        Database::rows_path("schema_log"),
    ]);
}

/// Returns device, station, quantity, time, value and quality of all readings.
fn readings(start: &Database) -> Vec<[String; 6]> {
    let rows = start.rows("readings").required();
    let columns = [
        "device", "station", "quantity", "taken_at", "value", "quality",
    ];
    let all = rows.select(columns);
    all.map(|row| row.map(|cell| cell.unwrap_or_default().to_owned()))
        .collect()
}

/// Returns the rows of the front page: all readings of the newest time that a station has.
fn page(start: &Database, readings: &[[String; 6]]) -> Vec<Row> {
    let mut newest: BTreeMap<&str, (&str, BTreeMap<&str, &str>)> = BTreeMap::new();
    for [device, station, quantity, at, value, quality] in readings {
        if quantity != "level" || quality == "suspect" {
            continue;
        }
        let (time, levels) = newest.entry(station).or_default();
        if *time < at.as_str() {
            *time = at;
            levels.clear();
        }
        if *time == at {
            levels.insert(device, value);
        }
    }
    let mut page = Vec::new();
    for station in start.rows("stations").required().iter() {
        let code = station.text("code");
        if let (None, Some((at, levels))) = (station.get("closed_on"), newest.get(code)) {
            for (device, level) in levels {
                let row = [
                    code,
                    station.text("name"),
                    station.text("warning_cm"),
                    device,
                    at,
                    level,
                ];
                page.push(row.map(|cell| Some(cell.to_owned())).to_vec());
            }
        }
    }
    page
}

fn of_harrow(readings: &[[String; 6]]) -> Vec<Row> {
    let of_harrow = readings.iter().filter(|[_, station, quantity, at, ..]| {
        station == "HAR" && quantity == "level" && at.as_str() >= "2026-05-02 08:00:00+00"
    });
    of_harrow
        .map(|[_, _, _, at, value, _]| vec![Some(at.clone()), Some(value.clone())])
        .collect()
}

fn shows(found: Result<&Rows, &Error>, expected: &[Row]) -> Condition {
    let names = match found {
        Ok(rows) => rows.columns().iter().map(|it| it.name.clone()).collect(),
        Err(_) => Vec::new(),
    };
    same(found, expected).and(Condition::when(
        names == COLUMNS,
        format!("expected the columns {COLUMNS:?}, found {names:?}"),
    ))
}

fn same(found: Result<&Rows, &Error>, expected: &[Row]) -> Condition {
    match found {
        Ok(rows) => {
            let differs = expected
                .iter()
                .zip(rows.texts())
                .find(|(one, other)| one != other);
            Condition::when(
                rows.texts() == expected,
                format!(
                    "expected {} rows, found {}; first difference: {differs:?}",
                    expected.len(),
                    rows.len()
                ),
            )
        }
        Err(error) => Condition::fail(error.to_string()),
    }
}

fn costs(results: &Results, step: StepId, limit: f64) -> Condition {
    let cost = results.of(step).ok().and_then(|rows| {
        let text: String = rows.value().ok()?;
        let plan: Json = serde_json::from_str(&text).ok()?;
        plan[0]["Plan"]["Total Cost"].as_f64()
    });
    Condition::when(
        cost.is_some_and(|cost| cost <= limit),
        match cost {
            // Costs are estimated from samples, so they differ a little each time.
            Some(_) => {
                format!("expected a plan that costs at most {limit}, found one that costs more")
            }
            None => "expected a plan, found none".to_owned(),
        },
    )
}

/// Checks that nothing was dropped, and that one index was added.
fn one_index(start: &Database, end: &Database) -> Condition {
    let (before, now) = (start.indexes("readings"), end.indexes("readings"));
    let lost = before.iter().find(|index| !now.contains(index));
    let new: Vec<&Index> = now.iter().filter(|index| !before.contains(index)).collect();
    let is_lookup = new.iter().all(|index| !index.unique);
    Condition::when(lost.is_none(), format!("expected {lost:?}, found {now:?}")).and(
        Condition::when(
            new.len() == 1 && is_lookup,
            format!("expected one new index that refuses nothing, found {new:?}"),
        ),
    )
}
