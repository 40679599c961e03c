//! The rain of two gauges reading by reading, and the sums of the days, from the starting state.

use std::collections::BTreeMap;

use mcpmark_guest::jiff::ToSpan;
use mcpmark_guest::jiff::civil::{Date, DateTime, date};
use mcpmark_guest::{Condition, Found, Verifier};
use mcpmark_guest_postgres::{Database, Expected, Record, Rows, RowsExt};

mcpmark_guest::verifier!(verify);

const READINGS: &str = "readings";
const DAYS: &str = "daily_rain";
/// Gauges that sent inches, and when they were set.
const SET: [(&str, DateTime); 2] = [
    ("R-214", date(2026, 4, 21).at(11, 20, 0, 0)),
    ("R-215", date(2026, 5, 1).at(10, 15, 0, 0)),
];
/// Hour at which a water day begins.
const BEGIN: i64 = 9;

/// Kind of a reading.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    /// It is multiplied, and becomes corrected.
    Inches,
    /// It is multiplied, and stays suspect.
    Doubtful,
    /// It stays.
    Other,
}

impl Kind {
    fn of(row: &Record) -> Self {
        let is_inch = SET
            .iter()
            .any(|(device, until)| row.text("device") == *device && row.time("taken_at") <= *until);
        match row.text("quality") {
            "corrected" => Self::Other,
            _ if !is_inch => Self::Other,
            "suspect" => Self::Doubtful,
            _ => Self::Inches,
        }
    }

    /// Returns the value in hundredths of a millimetre, halves up.
    fn value(self, row: &Record) -> i64 {
        let value = hundredths(row.text("value"));
        match self {
            Self::Inches | Self::Doubtful => (value * 254 + 5) / 10,
            Self::Other => value,
        }
    }
}

/// Sums in hundredths of a millimetre, by day and station.
type Sums = BTreeMap<(Date, String), i64>;

fn verify(task: &mut Verifier) {
    let (start, end) = (Database::of(task.start()), Database::of(task.end()));
    let before = start.rows(READINGS).required();
    let kinds: BTreeMap<String, Kind> = before
        .iter()
        .map(|row| (row.text("id").to_owned(), Kind::of(&row)))
        .filter(|(_, kind)| *kind != Kind::Other)
        .collect();
    let readings = end.rows(READINGS);
    let same = |kind: Kind, columns: &[&str]| -> Condition {
        let is_kind = |row: &Record| {
            let found = row.get("id").and_then(|id| kinds.get(id));
            found.copied().unwrap_or(Kind::Other) == kind
        };
        let mut expected = before.filtered(is_kind).expected(["id"]);
        if kind != Kind::Other {
            for row in before.iter().filter(is_kind) {
                let id = row.text("id");
                expected.set([id], "value", Some(&shown(kind.value(&row))));
                if kind == Kind::Inches {
                    expected.set([id], "quality", Some("corrected"));
                }
            }
        }
        let found = readings.map(|rows| rows.filtered(is_kind));
        found.columns_equal(&expected, columns)
    };
    task.check(
        "the values that came in inches",
        same(Kind::Inches, &["value"]).and(same(Kind::Doubtful, &["value"])),
    );
    task.check("what becomes corrected", same(Kind::Inches, &["quality"]));
    task.check("what stays suspect", same(Kind::Doubtful, &["quality"]));
    let rest = ["device", "station", "quantity", "taken_at", "import_id"];
    task.check(
        "the other readings",
        same(Kind::Other, &["value", "quality"])
            .and(same(Kind::Other, &rest))
            .and(same(Kind::Inches, &rest))
            .and(same(Kind::Doubtful, &rest)),
    );
    check_days(task, &start, &end.rows(DAYS), &sums(&before));
    task.unchanged_except([Database::rows_path(READINGS), Database::rows_path(DAYS)]);
}

/// Returns the rain of each water day, without suspect readings.
fn sums(readings: &Rows) -> Sums {
    let mut sums = Sums::new();
    for row in readings.iter() {
        if row.text("quantity") == "rain" && row.text("quality") != "suspect" {
            let day = (row.time("taken_at") - BEGIN.hours()).date();
            let key = (day, row.text("station").to_owned());
            *sums.entry(key).or_default() += Kind::of(&row).value(&row);
        }
    }
    sums
}

/// Checks the days that are provisional, and those that are published, each known by its date.
fn check_days(task: &mut Verifier, start: &Database, found: &Found<Rows>, sums: &Sums) {
    let before = start.rows(DAYS).required();
    let is_provisional = |row: &Record| row.text("status") == "provisional";
    let first = before
        .iter()
        .filter(is_provisional)
        .map(|row| row.text("day").to_owned())
        .min()
        .expect("a provisional day");
    let names = ["the published days", "the provisional days"];
    for (is_late, name) in [false, true].into_iter().zip(names) {
        let is_part =
            |row: &Record| row.get("day").is_some_and(|day| day >= first.as_str()) == is_late;
        let mut expected: Expected = before.filtered(is_part).expected(["day", "station"]);
        for row in before.iter().filter(is_part).filter(is_provisional) {
            let station = row.text("station");
            if let Some(sum) = sums.get(&(row.date("day"), station.to_owned())) {
                expected.set([row.text("day"), station], "rain_mm", Some(&shown(*sum)));
            }
        }
        let days = found.map(|rows| rows.filtered(is_part));
        task.check(name, days.equal(&expected));
    }
}

fn hundredths(number: &str) -> i64 {
    let digits = number.replace('.', "");
    digits.parse().expect("a value has two decimals")
}

fn shown(hundredths: i64) -> String {
    format!("{}.{:02}", hundredths / 100, hundredths % 100)
}
