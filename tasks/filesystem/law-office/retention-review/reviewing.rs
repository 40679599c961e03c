//! The review of closed files, by the notes on retention.

use std::collections::{BTreeMap, BTreeSet};

use mcpmark_guest::jiff::civil::Date;
use mcpmark_guest::serde_json::{self, Value, json};
use mcpmark_guest::{Reader, dates};

use crate::office::{self, Matter};

pub const REVIEW: &str = "02 Matters/archive/review 2026-03-02.json";
pub const LISTS: &str = "02 Matters/archive/pick lists";
pub const LOG: &str = "02 Matters/archive/destruction log.md";
const TODAY: Date = Date::constant(2026, 3, 2);

/// Which rules of the notes are followed.
#[derive(Clone, Copy)]
pub struct Rules {
    /// The period of a client who was a minor does not end before the 25th birthday.
    pub protect_minors: bool,
    /// Leases are kept for 12 years, as the partners decided.
    pub heed_amendment: bool,
}

impl Rules {
    pub const ALL: Self = Self {
        protect_minors: true,
        heed_amendment: true,
    };
}

pub struct Review {
    /// The file, by the keys of the instruction.
    pub json: Value,
    /// Path and content of each pick list.
    pub lists: Vec<(String, String)>,
    /// The line for the log, without its end.
    pub log_line: String,
}

pub fn review(drive: &mut impl Reader, rules: Rules) -> Review {
    drive.text("00 Office/conventions.md");
    let notes = drive.text("00 Office/retention.md");
    let holds = drive.text("00 Office/legal holds.txt");
    let clients = office::clients(&drive.text("01 Clients/clients.csv"), true);
    let matters = office::register(&drive.text("02 Matters/register.csv"));
    drive.text("02 Matters/archive/about the boxes.txt");
    let places = places(&drive.text("02 Matters/archive/boxes.csv"));

    let years = years(&notes, rules);
    let held = held(&holds);
    let linked: BTreeSet<String> = matters
        .values()
        .filter(|matter| matter.is_open())
        .filter_map(|matter| matter.note.split_once("follows "))
        .filter_map(|(_, rest)| rest.get(..8).map(str::to_owned))
        .collect();

    let mut lists: BTreeMap<&str, Vec<Value>> = BTreeMap::new();
    let mut due: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let closed = matters
        .values()
        .filter(|matter| !matter.is_open() && matter.status != "destroyed");
    for matter in closed {
        let number = &matter.number;
        let Some(years) = years[matter.kind.as_str()] else {
            lists.entry("permanent").or_default().push(json!(number));
            continue;
        };
        let client = &clients[&matter.client];
        let born = client.born.filter(|_| rules.protect_minors);
        let ended = end(matter, years, born);
        let heading = if ended > TODAY {
            "running"
        } else if held.contains(number) {
            "held"
        } else if linked.contains(number) {
            "linked"
        } else {
            "due"
        };
        let ended = dates::iso(ended);
        if heading == "due" {
            due.entry(box_name(&matter.box_label))
                .or_default()
                .push(format!("{number}  {ended}  {}\n", client.name));
        }
        lists
            .entry(heading)
            .or_default()
            .push(json!({"matter": number, "ends": ended}));
    }

    let list = |name: &str| Value::from(lists.get(name).cloned().unwrap_or_default());
    let count = |name: &str| lists.get(name).map_or(0, Vec::len);
    let json = json!({
        "reviewed": dates::iso(TODAY),
        "due": list("due"),
        "held": list("held"),
        "linked": list("linked"),
        "running": list("running"),
        "permanent": list("permanent"),
    });
    let lists_of_boxes = due.into_iter().map(|(name, lines)| {
        let content = format!(
            "Box {name}: {}\n\n{}\nFiles: {}\n",
            places[&name].1,
            lines.concat(),
            lines.len()
        );
        (format!("{LISTS}/box {name}.txt"), content)
    });
    Review {
        lists: lists_of_boxes.collect(),
        log_line: format!(
            "| {} | {} | {} | {} |",
            dates::iso(TODAY),
            count("due"),
            count("held"),
            count("linked")
        ),
        json,
    }
}

impl Review {
    /// The review with an indent of two blanks.
    pub fn text(&self) -> String {
        let text = serde_json::to_string_pretty(&self.json);
        text.expect("a value in memory becomes JSON") + "\n"
    }
}

/// Years by kind; `None` for what is kept for ever.
fn years(notes: &str, rules: Rules) -> BTreeMap<String, Option<i16>> {
    let mut years = BTreeMap::new();
    for cells in office::markdown_rows(notes) {
        let number = cells[2].parse().ok();
        if number.is_none() && cells[2] != "kept for ever" {
            continue;
        }
        let is_amended = cells[0] == "lease" && rules.heed_amendment;
        let number = if is_amended { Some(12) } else { number };
        years.extend(cells[1].split(", ").map(|kind| (kind.to_owned(), number)));
    }
    years
}

/// The day on which the period of a closed file ends.
fn end(matter: &Matter, years: i16, born: Option<Date>) -> Date {
    let closed = matter.closed.expect("a closed matter has a closing day");
    let end = office::in_years(closed, years);
    match born {
        Some(born) if office::in_years(born, 18) > closed => end.max(office::in_years(born, 25)),
        _ => end,
    }
}

/// The numbers of the files that are on hold today.
fn held(text: &str) -> BTreeSet<String> {
    let mut held = BTreeSet::new();
    for line in text.lines() {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let Some(number) = office::matter_number(cells[0]).filter(|_| cells.len() == 4) else {
            continue;
        };
        let released = Some(cells[2]).filter(|text| !text.is_empty());
        if office::day(cells[1]) <= TODAY && released.is_none_or(|day| office::day(day) > TODAY) {
            held.insert(number);
        }
    }
    held
}

/// Where each box stands, with the day since when.
fn places(text: &str) -> BTreeMap<String, (Date, String)> {
    let mut places: BTreeMap<String, (Date, String)> = BTreeMap::new();
    for row in office::table(text).rows() {
        let place = (office::day(row.get("since")), row.get("place").to_owned());
        let known = places
            .entry(row.get("box").to_owned())
            .or_insert_with(|| place.clone());
        if place.0 > known.0 {
            *known = place;
        }
    }
    places
}

/// `3`, `B03` and `box 3` as `03`.
fn box_name(label: &str) -> String {
    let digits = label
        .trim_start_matches("box")
        .trim()
        .trim_start_matches('B');
    format!("{digits:0>2}")
}
