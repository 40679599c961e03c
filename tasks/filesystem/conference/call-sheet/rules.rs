//! Who is called when, from the timetable and what the speakers told us.

use mcpmark_guest::Reader;

use std::collections::BTreeMap;

use mcpmark_guest::jiff::civil::{DateTime, time};

#[path = "../folder.rs"]
pub mod folder;

use folder::{later, moment, offset, table};

pub const SHEET: &str = "03 Programme/call sheet.csv";
pub const SUMMARY: &str = "03 Programme/call sheet.txt";
pub const ITEM: &str = "call sheet for the speakers who are not here (Matteo)";
pub const HEADER: [&str; 6] = ["call", "talk", "speaker", "place", "local", "shift"];

/// What a wrong solution overlooks.
#[derive(Default)]
pub struct Oversights {
    pub first_word: bool,
    pub standard_time: bool,
}

pub struct Call {
    call: DateTime,
    talk: String,
    speaker: String,
    place: String,
    local: DateTime,
}

/// Minutes between the opening of the line and the talk.
fn ahead(kind: &str) -> i64 {
    match kind {
        "keynote" => 45,
        "talk" => 20,
        other => panic!("a talk is a talk or a keynote, not {other:?}"),
    }
}

pub fn calls(folder: &mut dyn Reader, oversights: &Oversights) -> Vec<Call> {
    let column = if oversights.standard_time {
        "standard"
    } else {
        "conference week"
    };
    let mut clocks = BTreeMap::new();
    for row in table(folder, "03 Programme/zones.csv").rows() {
        clocks.insert(row.get("place").to_owned(), offset(row.get(column)));
    }
    let mut told: BTreeMap<String, (String, String)> = BTreeMap::new();
    for row in table(folder, "03 Programme/remote speakers.csv").rows() {
        let word = (row.get("place").to_owned(), row.get("how").to_lowercase());
        let speaker = row.get("speaker").to_owned();
        if !(oversights.first_word && told.contains_key(&speaker)) {
            told.insert(speaker, word);
        }
    }
    let mut calls = Vec::new();
    for row in table(folder, "03 Programme/timetable.csv").rows() {
        let Some((place, how)) = told.get(row.get("speaker")) else {
            continue;
        };
        if !["online", "remote", "video link"].contains(&how.as_str()) {
            continue;
        }
        let start = moment(
            "%d/%m/%Y %H:%M",
            &format!("{} {}", row.get("day"), row.get("start")),
        );
        let call = later(start, -ahead(row.get("kind")));
        calls.push(Call {
            call,
            talk: row.get("talk").to_owned(),
            speaker: row.get("speaker").to_owned(),
            place: place.clone(),
            local: later(call, clocks[place] - clocks["Brennhavn"]),
        });
    }
    calls.sort_by(|a, b| (a.call, &a.talk).cmp(&(b.call, &b.talk)));
    calls
}

pub fn sheet(calls: &[Call]) -> Vec<[String; 6]> {
    let write = |moment: DateTime| moment.strftime("%Y-%m-%d %H:%M").to_string();
    calls
        .iter()
        .map(|call| {
            [
                write(call.call),
                call.talk.clone(),
                call.speaker.clone(),
                call.place.clone(),
                write(call.local),
                shift(call).to_owned(),
            ]
        })
        .collect()
}

fn shift(call: &Call) -> &'static str {
    match call.local.date().cmp(&call.call.date()) {
        std::cmp::Ordering::Less => "-1",
        std::cmp::Ordering::Equal => "0",
        std::cmp::Ordering::Greater => "+1",
    }
}

pub fn summary(calls: &[Call]) -> [String; 4] {
    let at_night = |call: &&Call| {
        let local = call.local.time();
        local >= time(22, 0, 0, 0) || local < time(6, 0, 0, 0)
    };
    let earliest = calls
        .iter()
        .min_by_key(|call| call.local.time())
        .expect("somebody is called");
    [
        format!("Calls: {}", calls.len()),
        format!("At night: {}", calls.iter().filter(at_night).count()),
        format!(
            "On another date: {}",
            calls.iter().filter(|call| shift(call) != "0").count()
        ),
        format!(
            "Earliest: {} {}",
            earliest.local.strftime("%H:%M"),
            earliest.speaker
        ),
    ]
}
