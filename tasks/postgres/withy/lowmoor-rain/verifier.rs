//! The rain of two gauges reading by reading, and the sums of the days, from the starting state.

use std::collections::BTreeMap;

use mcpmark_guest::jiff::ToSpan;
use mcpmark_guest::jiff::civil::{Date, DateTime};
use mcpmark_guest::{Condition, Found, HashMap, Verifier};
use mcpmark_guest_postgres::{Database, Expected, Record, Rows, RowsExt};

mcpmark_guest::verifier!(verify);

const READINGS: &str = "readings";
const DAYS: &str = "daily_rain";
/// Gauges that sent inches, and when they were set.
const SET: [(&str, &str); 2] = [
    ("R-214", "2026-04-21 11:20:00+00"),
    ("R-215", "2026-05-01 10:15:00+00"),
];
/// Hour at which a water day begins.
const BEGIN: i64 = 9;

/// Columns of a reading: those that may change, and the others.
const COLUMNS: [&str; 8] = [
    "id",
    "value",
    "quality",
    "device",
    "station",
    "quantity",
    "taken_at",
    "import_id",
];

type Reading<'a> = [Option<&'a str>; 8];

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
    fn of([_, _, quality, device, _, _, at, _]: &Reading<'_>) -> Self {
        let is_inch = SET
            .iter()
            .any(|(other, until)| *device == Some(other) && at.is_some_and(|at| at <= *until));
        match quality {
            Some("corrected") => Self::Other,
            _ if !is_inch => Self::Other,
            Some("suspect") => Self::Doubtful,
            _ => Self::Inches,
        }
    }

    /// Returns a value in hundredths of a millimetre, halves up.
    fn value(self, value: Option<&str>) -> i64 {
        let value = hundredths(value.expect("a reading has a value"));
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
    let names = [
        "the values that came in inches",
        "what becomes corrected",
        "what stays suspect",
        "the other readings",
    ];
    match end
        .rows(READINGS)
        .get()
        .map(|after| compared(&before, after))
    {
        Ok(differences) => {
            for (name, difference) in names.into_iter().zip(differences) {
                let found = difference.as_deref().unwrap_or("no difference");
                task.check(name, Condition::when(difference.is_none(), found));
            }
        }
        Err(reason) => {
            for name in names {
                task.check(name, Condition::fail(reason.clone()));
            }
        }
    }
    check_days(task, &start, &end.rows(DAYS), &sums(&before));
    task.unchanged_except([Database::rows_path(READINGS), Database::rows_path(DAYS)]);
}

/// Returns the first difference of the values, of the qualities of both kinds, and of everything else. Each reading is
/// read once, because there are many.
fn compared(before: &Rows, after: &Rows) -> [Option<String>; 4] {
    let mut differences = [const { None::<String> }; 4];
    let mut note = |at: usize, text: String| {
        differences[at].get_or_insert(text);
    };
    if let Some(missing) = COLUMNS
        .iter()
        .find(|name| !after.columns().iter().any(|it| it == *name))
    {
        for at in 0..4 {
            note(at, format!("expected a column {missing}, found none"));
        }
        return differences;
    }
    let mut found: HashMap<&str, Reading<'_>> = HashMap::default();
    for row in after.select(COLUMNS) {
        let id = row[0].unwrap_or_default();
        if found.insert(id, row).is_some() {
            note(3, format!("expected one reading {id}, found two"));
        }
    }
    for row in before.select(COLUMNS) {
        let id = row[0].unwrap_or_default();
        let kind = Kind::of(&row);
        let Some(now) = found.remove(id) else {
            let at = if kind == Kind::Other { 3 } else { 0 };
            note(at, format!("expected a reading {id}, found none"));
            continue;
        };
        let changed = shown(kind.value(row[1]));
        let (value, quality) = match kind {
            Kind::Inches => (changed.as_str(), Some("corrected")),
            Kind::Doubtful => (changed.as_str(), row[2]),
            Kind::Other => (row[1].unwrap_or_default(), row[2]),
        };
        let (of_value, of_quality) = match kind {
            Kind::Inches => (0, 1),
            Kind::Doubtful => (0, 2),
            Kind::Other => (3, 3),
        };
        for (at, column, wanted) in [(of_value, 1, Some(value)), (of_quality, 2, quality)] {
            if now[column] != wanted {
                let name = COLUMNS[column];
                note(
                    at,
                    format!(
                        "reading {id}, {name}: expected {wanted:?}, found {:?}",
                        now[column]
                    ),
                );
            }
        }
        if now[3..] != row[3..] {
            note(3, format!("reading {id}: expected {row:?}, found {now:?}"));
        }
    }
    if let Some(id) = found.keys().next() {
        note(3, format!("expected no reading {id}, found it"));
    }
    differences
}

/// Returns the rain of each water day, without suspect readings.
fn sums(readings: &Rows) -> Sums {
    let mut sums = Sums::new();
    for row in readings.select(COLUMNS) {
        let [_, value, quality, _, station, quantity, at, _] = row;
        if quantity == Some("rain") && quality != Some("suspect") {
            let at = at.and_then(|at| at.strip_suffix("+00"));
            let at: DateTime = at.and_then(|at| at.parse().ok()).expect("a time in UTC");
            let day = (at - BEGIN.hours()).date();
            let key = (day, station.unwrap_or_default().to_owned());
            *sums.entry(key).or_default() += Kind::of(&row).value(value);
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
