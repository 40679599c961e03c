//! Which deliveries count, and as what: the rules of the drive's notes.

use std::collections::BTreeMap;

use mcpmark_guest::jiff::civil::Date;
use mcpmark_guest::rust_decimal::Decimal;
use mcpmark_guest::{Csv, Kind, Row, Tree, dates, numbers};

pub const UNSORTED: &str = "Unsorted";

pub struct Delivery {
    pub depot: String,
    pub reference: String,
    pub date: Date,
    pub label: String,
    pub category: String,
    pub kilograms: Decimal,
}

/// A row of a file that counts, as corrected so far.
struct Entry {
    date: String,
    label: String,
    weight: String,
    status: String,
}

/// The deliveries of the quarter, and all categories in their order.
pub fn quarter(start: &Tree) -> (Vec<Delivery>, Vec<String>) {
    let table = Categories::read(start);
    let (first, last) = (Date::constant(2025, 4, 1), Date::constant(2025, 6, 30));
    let mut deliveries = Vec::new();
    for folder in start
        .list("deliveries")
        .required()
        .iter()
        .filter(|entry| entry.kind == Kind::Directory)
    {
        let depot = folder.path.trim_start_matches("deliveries/");
        let notes = Notes::read(start, depot);
        for (reference, entry) in entries(start, depot, &notes) {
            let date = dates::parse(&entry.date, &[notes.date_format])
                .expect("dates are as the notes say");
            if !came_in(&entry.status) || date < first || date > last {
                continue;
            }
            let weight =
                numbers::parse(&entry.weight.replace(',', "")).expect("weights are numbers");
            let label = entry.label.trim().to_owned();
            deliveries.push(Delivery {
                depot: depot.to_owned(),
                reference,
                date,
                category: table.of(&label, date),
                label,
                kilograms: weight * notes.kilograms_per_unit,
            });
        }
    }
    let categories = table
        .names
        .iter()
        .cloned()
        .chain([UNSORTED.to_owned()])
        .collect();
    (deliveries, categories)
}

/// The rows of one depot that count, corrected, by their ref.
fn entries(start: &Tree, depot: &str, notes: &Notes) -> BTreeMap<String, Entry> {
    let mut entries = BTreeMap::new();
    for month in 1..=7 {
        let name = format!("2025-{month:02}.csv");
        let name = notes.replaced.get(&name).unwrap_or(&name);
        let text = start
            .file(format!("deliveries/{depot}/{name}"))
            .plain_text();
        let table = text.csv(&Csv::strict()).required();
        for row in table.rows() {
            let cell = |column| row.get(column).to_owned();
            let entry = Entry {
                date: cell("date"),
                label: cell("category"),
                weight: cell("weight"),
                status: cell("status"),
            };
            entries.insert(cell("ref"), entry);
        }
    }
    let corrections = start.file("deliveries/corrections.csv").csv().required();
    for row in corrections
        .rows()
        .iter()
        .filter(|row| row.get("depot") == depot)
    {
        let entry = entries
            .get_mut(row.get("ref"))
            .expect("a correction names a delivery");
        correct(entry, row);
    }
    entries
}

fn correct(entry: &mut Entry, row: &Row) {
    let field = match row.get("field") {
        "weight" => &mut entry.weight,
        "status" => &mut entry.status,
        "category" => &mut entry.label,
        other => panic!("a correction of {other:?}"),
    };
    *field = row.get("value").to_owned();
}

fn came_in(status: &str) -> bool {
    match status.trim().to_lowercase().as_str() {
        "received" | "recd" | "ok" => true,
        "refused" | "returned" | "sent back" | "rejected" => false,
        other => panic!("a status {other:?}"),
    }
}

/// What a depot's notes say.
struct Notes {
    date_format: &'static str,
    kilograms_per_unit: Decimal,
    /// From a month's file to the one that takes its place.
    replaced: BTreeMap<String, String>,
}

impl Notes {
    fn read(start: &Tree, depot: &str) -> Self {
        let text = start
            .file(format!("deliveries/{depot}/NOTES.txt"))
            .plain_text()
            .required();
        // All notes give the same day as their example: 28 April 2025.
        let forms = [
            (" 2025-04-28.", dates::ISO),
            (" 28/04/2025.", dates::DAY_FIRST),
            (" 04/28/2025.", dates::MONTH_FIRST),
            (" 28.4.2025.", dates::POINTS),
            (" 28 Apr 2025.", dates::SHORT_MONTH),
        ];
        let form = forms
            .iter()
            .find(|(example, _)| text.contains(example))
            .expect("the notes show a date");
        let pound = Decimal::new(45_359_237, 8);
        let unit = if text.contains("1 lb = 0.45359237 kg") {
            pound
        } else {
            Decimal::ONE
        };
        let quoted: Vec<&str> = text.split('"').skip(1).step_by(2).collect();
        let mut replaced = BTreeMap::new();
        if let (true, [new, old, ..]) = (text.contains("takes the place of"), quoted.as_slice()) {
            replaced.insert((*old).to_owned(), (*new).to_owned());
        }
        Self {
            date_format: form.1,
            kilograms_per_unit: unit,
            replaced,
        }
    }
}

struct Categories {
    names: Vec<String>,
    by_label: BTreeMap<String, String>,
    /// From a date on, one category counts as another.
    decision: (Date, String, String),
}

impl Categories {
    fn read(start: &Tree) -> Self {
        let document = start.file("deliveries/categories.md").markdown();
        let mut names = Vec::new();
        let mut by_label = BTreeMap::new();
        for row in document.table().required().into_iter().skip(1) {
            for label in row[1].split("; ") {
                by_label.insert(label.to_lowercase(), row[0].clone());
            }
            names.push(row[0].clone());
        }
        Self {
            names,
            by_label,
            decision: decision(start),
        }
    }

    fn of(&self, label: &str, date: Date) -> String {
        let Some(category) = self.by_label.get(&label.to_lowercase()) else {
            return UNSORTED.to_owned();
        };
        let (from, merged, into) = &self.decision;
        if category == merged && date >= *from {
            into.clone()
        } else {
            category.clone()
        }
    }
}

/// The decision in the minutes that changes a category: "From D on, everything of
/// the category A, whatever its label, counts as B."
fn decision(start: &Tree) -> (Date, String, String) {
    for path in start.files("minutes").required() {
        let decided = start.file(path).markdown().section("Decided");
        for item in decided
            .get()
            .map(|section| section.items())
            .unwrap_or_default()
        {
            let Some((from, rest)) = item
                .strip_prefix("From ")
                .and_then(|rest| rest.split_once(" on, everything of the category "))
            else {
                continue;
            };
            let (merged, rest) = rest
                .split_once(", whatever its label, counts as ")
                .expect("the decision names two categories");
            let (into, _) = rest.split_once('.').expect("the decision is a sentence");
            let from = dates::parse(from, &[dates::LONG_MONTH]).expect("the decision names a day");
            return (from, merged.to_owned(), into.to_owned());
        }
    }
    panic!("no minutes decide on a category");
}
