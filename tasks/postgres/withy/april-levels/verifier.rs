//! The levels of April, reading by reading from the starting state.

use std::collections::BTreeMap;

use mcpmark_guest::Verifier;
use mcpmark_guest::jiff::civil::{DateTime, date};
use mcpmark_guest_postgres::{Database, Expected, Record, RowsExt};

mcpmark_guest::verifier!(verify);

const TABLE: &str = "monthly_levels";
const KEY: [&str; 2] = ["month", "station"];
const COLUMNS: [&str; 6] = [
    "month",
    "station",
    "hours",
    "lowest_cm",
    "highest_cm",
    "mean_cm",
];
const MONTH: &str = "2026-04-01";
/// Water days of the month: from nine to nine.
const FROM: DateTime = date(2026, 4, 1).at(9, 0, 0, 0);
const TO: DateTime = date(2026, 5, 1).at(9, 0, 0, 0);

fn verify(task: &mut Verifier) {
    let (start, end) = (Database::of(task.start()), Database::of(task.end()));
    let expected = counted(&start);
    let of_april = |row: &Record| row.get("month") == Some(MONTH);
    let found = end.rows(TABLE).map(|rows| rows.filtered(of_april));
    task.check(
        "one row for each station",
        found.columns_equal(&expected, &[]),
    );
    task.check("the hours", found.columns_equal(&expected, &["hours"]));
    task.check(
        "the lowest and the highest level",
        found.columns_equal(&expected, &["lowest_cm", "highest_cm"]),
    );
    task.check("the mean", found.columns_equal(&expected, &["mean_cm"]));

    let reported = start.rows(TABLE).required().expected(KEY);
    let others = end
        .rows(TABLE)
        .map(|rows| rows.filtered(|row| !of_april(row)));
    task.check("the months that were reported", others.equal(&reported));
    task.unchanged_except([Database::rows_path(TABLE)]);
}

/// Returns the rows of the month. Levels have one decimal, so they are summed as whole tenths.
fn counted(start: &Database) -> Expected {
    let deployments = start.rows("deployments").required();
    let parallel: Vec<String> = deployments
        .iter()
        .filter(|row| row.text("part") == "parallel")
        .map(|row| row.text("device").to_owned())
        .collect();
    let mut levels: BTreeMap<String, Vec<i64>> = BTreeMap::new();
    let readings = start.rows("readings").required();
    for row in readings.iter() {
        let counts = row.text("quantity") == "level"
            && row.text("quality") != "suspect"
            && !parallel.iter().any(|device| device == row.text("device"));
        if counts && (FROM..TO).contains(&row.time("taken_at")) {
            let value: i64 = row
                .text("value")
                .replace('.', "")
                .parse()
                .expect("a level has two decimals");
            let of_station = levels.entry(row.text("station").to_owned()).or_default();
            of_station.push(value / 10);
        }
    }
    let mut expected = Expected::new(&COLUMNS, &KEY);
    for (station, levels) in levels {
        let (sum, count) = (levels.iter().sum::<i64>(), levels.len() as i64);
        let (low, high) = (
            levels.iter().min().copied().unwrap_or_default(),
            levels.iter().max().copied().unwrap_or_default(),
        );
        let mean = (2 * sum + count) / (2 * count);
        let [low, high, mean] = [low, high, mean].map(|it| format!("{}.{}", it / 10, it % 10));
        expected.insert([MONTH, &station, &count.to_string(), &low, &high, &mean]);
    }
    expected
}
