//! What was counted against what should be there.

use std::collections::{BTreeMap, BTreeSet};

use mcpmark_guest::serde_json::{self, Value};
use mcpmark_guest::{Csv, Reader};

use crate::library::{
    self, Calendar, Files, catalogue, day_first, held, iso, item_number, lent, loans,
};

const FOLDER: &str = "Stock-taking 2024/sheets";
pub const RESULT: &str = "Stock-taking 2024/result.csv";
pub const HEADER: [&str; 5] = ["no", "finding", "should be", "was", "title"];
pub const SUMMARY: &str = "Stock-taking 2024/summary.json";
pub const LIST: &str = "Stock-taking 2024/checklist.md";
pub const FINDINGS: [&str; 5] = [
    "unknown",
    "twice",
    "returned unnoticed",
    "out of place",
    "missing",
];

#[derive(Clone, Copy, Default)]
pub struct Slips {
    pub every_sheet_holds: bool,
    pub overlooks_the_hold_shelf: bool,
    pub logs: library::Slips,
}

pub struct Count {
    pub rows: Vec<[String; 5]>,
    pub summary: String,
}

struct Sheet {
    shelf: String,
    counted: String,
    items: BTreeSet<String>,
}

pub fn count(desk: &mut impl Reader, slips: Slips) -> Count {
    let calendar = Calendar::read(desk);
    let items = catalogue(desk);
    let lent = lent(&loans(desk, &calendar, slips.logs));
    let held = if slips.overlooks_the_hold_shelf {
        BTreeSet::new()
    } else {
        held(desk)
    };

    let mut sheets: Vec<Sheet> = Vec::new();
    for name in desk.names(FOLDER) {
        let sheet = read(&name, &desk.text(&format!("{FOLDER}/{name}")));
        match sheets.iter_mut().find(|other| other.shelf == sheet.shelf) {
            Some(other) if slips.every_sheet_holds => other.items.extend(sheet.items),
            Some(other) if other.counted < sheet.counted => *other = sheet,
            Some(_) => {}
            None => sheets.push(sheet),
        }
    }
    sheets.sort_by(|a, b| a.shelf.cmp(&b.shelf));
    let mut seen: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for sheet in &sheets {
        for no in &sheet.items {
            seen.entry(no).or_default().push(&sheet.shelf);
        }
    }

    let numbers: BTreeSet<&str> = seen
        .keys()
        .copied()
        .chain(items.keys().map(String::as_str))
        .collect();
    let mut rows = Vec::new();
    for no in numbers {
        let item = items.get(no);
        let was = seen.get(no).map(Vec::as_slice).unwrap_or_default();
        let should = match item {
            None => "",
            Some(item) => match item.status.as_str() {
                "withdrawn" | "lost" => "nowhere",
                "at partner" | "mending" => "away",
                _ if lent.contains_key(no) => "lent",
                _ if held.contains(no) => "HOLD",
                _ => &item.shelf,
            },
        };
        let finding = match (item, was) {
            (None, _) => "unknown",
            (_, [_, _, ..]) => "twice",
            (_, [_]) if should == "lent" => "returned unnoticed",
            (_, [shelf]) if *shelf != should => "out of place",
            (_, []) if !["nowhere", "away", "lent"].contains(&should) => "missing",
            _ => continue,
        };
        let title = item.map(|item| item.title.as_str()).unwrap_or_default();
        rows.push([no, finding, should, &was.join("+"), title].map(str::to_owned));
    }
    let rank = |row: &[String; 5]| FINDINGS.iter().position(|finding| *finding == row[1]);
    rows.sort_by(|a, b| (rank(a), &a[0]).cmp(&(rank(b), &b[0])));

    let value: i64 = rows
        .iter()
        .filter(|row| row[1] == "missing")
        .filter_map(|row| items.get(&row[0]))
        .filter(|item| !item.price.is_empty())
        .map(|item| library::pence(&item.price))
        .sum();
    let mut summary = format!(
        "{{\n  \"sheets\": {},\n  \"counted\": {},\n",
        sheets.len(),
        seen.len()
    );
    for finding in FINDINGS {
        let count = rows.iter().filter(|row| row[1] == finding).count();
        summary.push_str(&format!("  \"{finding}\": {count},\n"));
    }
    summary.push_str("  \"missing by shelf\": {\n");
    let mut shelves: BTreeMap<&str, usize> = BTreeMap::new();
    for row in rows.iter().filter(|row| row[1] == "missing") {
        *shelves.entry(&row[2]).or_default() += 1;
    }
    let lines: Vec<String> = shelves
        .iter()
        .map(|(shelf, count)| format!("    \"{shelf}\": {count}"))
        .collect();
    summary.push_str(&format!("{}\n  }},\n", lines.join(",\n")));
    summary.push_str(&format!(
        "  \"value missing\": \"{}\"\n}}\n",
        library::pounds(value)
    ));
    Count { rows, summary }
}

pub fn files(desk: &mut impl Reader, slips: Slips) -> Files {
    let count = count(desk, slips);
    let mut result = Csv::line(HEADER);
    for row in &count.rows {
        result.push_str(&Csv::line(row));
    }
    let list = desk.text(LIST);
    let done = list.replacen("- [ ] compare", "- [x] compare", 1);
    let mut ticked = String::new();
    for line in done.lines() {
        ticked.push_str(&format!("{line}\n"));
        if line.starts_with("- [ ] look for") {
            for row in count.rows.iter().filter(|row| row[1] == "missing") {
                ticked.push_str(&format!("  - [ ] {} {} ({})\n", row[0], row[4], row[2]));
            }
        }
    }
    Files::from([
        (RESULT.to_owned(), result),
        (SUMMARY.to_owned(), count.summary),
        (LIST.to_owned(), ticked),
    ])
}

fn read(name: &str, text: &str) -> Sheet {
    let lines: Vec<&str> = text.lines().collect();
    let (shelf, counted, items): (&str, String, BTreeSet<String>) = match name.rsplit('.').next() {
        Some("csv") => {
            let (day, time) = lines[1]
                .trim_start_matches("counted,")
                .split_once(' ')
                .expect("day and time");
            let seen = lines[3..].iter().filter_map(|line| line.strip_suffix(",1"));
            let shelf = lines[0].trim_start_matches("shelf,");
            (
                shelf,
                format!("{} {time}", day_first(day)),
                seen.map(item_number).collect(),
            )
        }
        Some("txt") => {
            let (day, time) = lines[1]
                .trim_start_matches("Counted ")
                .split_once(' ')
                .expect("day and time");
            let seen = lines[3..].iter().filter(|line| !line.starts_with("~~"));
            let shelf = lines[0].trim_start_matches("Shelf ");
            (
                shelf,
                format!("{} {time}", iso(day)),
                seen.map(|line| item_number(line)).collect(),
            )
        }
        _ => {
            let value: Value = serde_json::from_str(text).expect("the sheet is JSON");
            let seen = value["items"].as_array().into_iter().flatten();
            return Sheet {
                shelf: value["shelf"].as_str().unwrap_or_default().to_owned(),
                counted: value["counted"]
                    .as_str()
                    .unwrap_or_default()
                    .replace('T', " "),
                items: seen.filter_map(Value::as_str).map(item_number).collect(),
            };
        }
    };
    Sheet {
        shelf: shelf.to_owned(),
        counted,
        items,
    }
}
