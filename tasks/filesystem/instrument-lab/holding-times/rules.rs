//! The register as it should be, and how long samples waited.

use std::collections::BTreeMap;

use mcpmark_guest::jiff::ToSpan;
use mcpmark_guest::jiff::civil::DateTime;
use mcpmark_guest::rust_decimal::Decimal;
use mcpmark_guest::serde_json::{self, Map, Value, json};
use mcpmark_guest::{Csv, Reader, numbers};

use crate::lab;

pub const REGISTER: &str = "registers/samples.csv";
pub const CHANGES: &str = "reports/register changes.csv";
pub const TABLE: &str = "reports/holding times 2024-03.csv";
pub const SUMMARY: &str = "reports/holding times 2024-03.json";
pub const CHANGES_HEADER: [&str; 4] = ["sample", "column", "old", "new"];
pub const HEADER: [&str; 8] = [
    "sample",
    "project",
    "group",
    "taken_utc",
    "measured_utc",
    "hours",
    "allowed",
    "verdict",
];

/// 8 April 2024, 09:30 by the wall clock, in UTC.
const NOW: DateTime = DateTime::constant(2024, 4, 8, 7, 30, 0, 0);
const GROUPS: [&str; 3] = ["metals", "anions", "toc"];
const VERDICTS: [&str; 4] = ["in time", "late", "open", "lapsed"];

/// What a wrong solution overlooks.
#[derive(Default)]
pub struct Slips {
    /// Takes differences of the wall clock for hours that went by.
    pub counts_by_wall_clock: bool,
    /// Takes each scan as it was stamped.
    pub trusts_the_scanner: bool,
}

pub struct Result {
    pub register: String,
    pub changes: Vec<[String; 4]>,
    pub rows: Vec<[String; 8]>,
    pub summary: Value,
}

impl Result {
    pub fn changes_text(&self) -> String {
        std::iter::once(Csv::line(CHANGES_HEADER))
            .chain(self.changes.iter().map(Csv::line))
            .collect()
    }

    pub fn table(&self) -> String {
        std::iter::once(Csv::line(HEADER))
            .chain(self.rows.iter().map(Csv::line))
            .collect()
    }

    pub fn summary_text(&self) -> String {
        serde_json::to_string_pretty(&self.summary).expect("a value is JSON") + "\n"
    }
}

pub fn work_out(drive: &mut impl Reader, slips: &Slips) -> Result {
    let needs = read_needs(&drive.text("registers/projects.json"));
    let allowed = read_allowed(&drive.text("docs/register.md"));
    let scans = read_scans(drive, slips);
    let measured: Vec<BTreeMap<String, DateTime>> = [
        ("runs/icp-1", ';'),
        ("runs/ic-2", ','),
        ("runs/toc-3", '\t'),
    ]
    .into_iter()
    .map(|(folder, separator)| read_measurements(drive, folder, separator))
    .collect();

    let before = drive.raw(REGISTER);
    let mut lines: Vec<String> = Vec::new();
    let mut changes = Vec::new();
    let mut rows = Vec::new();
    let mut late: Vec<(i64, String, &str)> = Vec::new();
    let mut samples = 0;
    for line in before.split("\r\n") {
        let mut cells: Vec<String> = line.split(';').map(str::to_owned).collect();
        if !cells[0].starts_with("LQ24-") {
            lines.push(line.to_owned());
            continue;
        }
        let sample = lab::bare(&cells[0]);
        let groups: Vec<usize> = (0..3).filter(|group| needs[&cells[2]][*group]).collect();
        let done = groups
            .iter()
            .filter(|group| measured[**group].contains_key(&sample))
            .count();
        let received = match scans.get(&sample) {
            Some(utc) => lab::local(*utc).strftime("%d.%m.%Y %H:%M").to_string(),
            None => cells[6].clone(),
        };
        let status = match done {
            0 if received.is_empty() => "expected",
            0 => "received",
            _ if done == groups.len() => "analysed",
            _ => "in work",
        };
        for (column, name, new) in [(6, "received", received), (7, "status", status.to_owned())] {
            if cells[column] != new {
                changes.push([
                    cells[0].clone(),
                    name.to_owned(),
                    cells[column].clone(),
                    new.clone(),
                ]);
                cells[column] = new;
            }
        }
        let wall = lab::time(&cells[5], "%d.%m.%Y %H:%M");
        if (wall.year(), wall.month()) == (2024, 3) {
            samples += 1;
            let taken = lab::utc(wall);
            for group in groups {
                let name = GROUPS[group];
                let is_acidified = cells[8..].join(";") == "acidified on site" && name != "anions";
                let hours = allowed[&cells[4]][group] * if is_acidified { 2 } else { 1 };
                let start = measured[group].get(&sample).copied();
                let waited = start.map(|start| waited(taken, start, slips));
                let verdict = match waited {
                    Some(minutes) if minutes <= hours * 60 => "in time",
                    Some(minutes) => {
                        late.push((minutes - hours * 60, cells[0].clone(), name));
                        "late"
                    }
                    None if lab::minutes_between(taken, NOW) <= hours * 60 => "open",
                    None => "lapsed",
                };
                let shown = waited
                    .map(|minutes| numbers::fixed(Decimal::from(minutes) / Decimal::from(60), 1));
                rows.push([
                    cells[0].clone(),
                    cells[2].clone(),
                    name.to_owned(),
                    stamp(taken),
                    start.map(stamp).unwrap_or_default(),
                    shown.unwrap_or_default(),
                    hours.to_string(),
                    verdict.to_owned(),
                ]);
            }
        }
        lines.push(cells.join(";"));
    }

    late.sort_by_key(|(minutes, ..)| std::cmp::Reverse(*minutes));
    let late: Vec<Value> = late
        .into_iter()
        .map(|(minutes, sample, group)| json!({"sample": sample, "group": group, "minutes_over": minutes}))
        .collect();
    let groups: Map<String, Value> = GROUPS
        .into_iter()
        .map(|group| {
            let count = |verdict: &str| {
                rows.iter()
                    .filter(|row| row[2] == group && row[7] == verdict)
                    .count()
            };
            let counts: Map<String, Value> = VERDICTS
                .into_iter()
                .map(|verdict| (verdict.to_owned(), count(verdict).into()))
                .collect();
            (group.to_owned(), counts.into())
        })
        .collect();
    Result {
        register: lines.join("\r\n"),
        changes,
        rows,
        summary: json!({"month": "2024-03", "samples": samples, "groups": groups, "late": late}),
    }
}

fn waited(taken: DateTime, start: DateTime, slips: &Slips) -> i64 {
    if slips.counts_by_wall_clock {
        lab::minutes_between(lab::local(taken), lab::local(start))
    } else {
        lab::minutes_between(taken, start)
    }
}

fn stamp(utc: DateTime) -> String {
    utc.strftime("%Y-%m-%dT%H:%MZ").to_string()
}

/// Which groups a project asks for.
fn read_needs(text: &str) -> BTreeMap<String, [bool; 3]> {
    let projects: Value = serde_json::from_str(text).expect("JSON");
    let mut needs = BTreeMap::new();
    for project in projects.as_array().expect("an array") {
        let mut groups = [false; 3];
        for parameter in project["parameters"].as_array().expect("an array") {
            let group = match parameter["parameter"].as_str().expect("a text") {
                "chloride" | "nitrate" => 1,
                "toc" => 2,
                _ => 0,
            };
            groups[group] = true;
        }
        needs.insert(
            project["project"].as_str().expect("a text").to_owned(),
            groups,
        );
    }
    needs
}

/// The hours that a matrix may wait for each group.
fn read_allowed(text: &str) -> BTreeMap<String, Vec<i64>> {
    let (_, table) = text
        .split_once("| Matrix |")
        .expect("the note has the table");
    let rows = table
        .lines()
        .skip(2)
        .take_while(|line| line.starts_with('|'));
    rows.map(|line| {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let hours = cells[1..]
            .iter()
            .map(|cell| cell.parse().expect("hours"))
            .collect();
        (cells[0].to_owned(), hours)
    })
    .collect()
}

/// The first scan of each sample at door A, in UTC.
fn read_scans(drive: &mut impl Reader, slips: &Slips) -> BTreeMap<String, DateTime> {
    let slow = lab::time("2024-03-18 00:00", "%Y-%m-%d %H:%M")
        ..lab::time("2024-03-21 00:00", "%Y-%m-%d %H:%M");
    let mut scans: BTreeMap<String, DateTime> = BTreeMap::new();
    for name in drive
        .names("receiving")
        .into_iter()
        .filter(|name| name.ends_with(".jsonl"))
    {
        for line in drive.text(&format!("receiving/{name}")).lines() {
            let scan: Value = serde_json::from_str(line).expect("JSON");
            let text = |key: &str| scan[key].as_str().expect("a text");
            if text("door") != "A" {
                continue;
            }
            let mut time = lab::time(text("t"), "%Y-%m-%dT%H:%M:%SZ");
            if slow.contains(&time) && !slips.trusts_the_scanner {
                time = time.saturating_add(1.hour());
            }
            let first = scans.entry(lab::bare(text("code"))).or_insert(time);
            *first = time.min(*first);
        }
    }
    scans
}

/// The start of the first batch that measured each sample, in UTC.
fn read_measurements(
    drive: &mut impl Reader,
    folder: &str,
    separator: char,
) -> BTreeMap<String, DateTime> {
    let mut first: BTreeMap<String, DateTime> = BTreeMap::new();
    for name in drive.names(folder) {
        let text = drive.text(&format!("{folder}/{name}"));
        let start = started(&text);
        for line in text.lines() {
            let mut cells = line.split(separator).skip(usize::from(separator != '\t'));
            if let (Some(label), Some("SAMPLE")) = (cells.next(), cells.next()) {
                let sample = lab::bare(label).trim_end_matches('D').to_owned();
                let time = first.entry(sample).or_insert(start);
                *time = start.min(*time);
            }
        }
    }
    first
}

fn started(text: &str) -> DateTime {
    let field = |words: &str| text.lines().find_map(|line| line.strip_prefix(words));
    if let Some(wall) = field("Started;") {
        lab::utc(lab::time(wall, "%d.%m.%Y %H:%M"))
    } else if let Some(time) = field("Started = ") {
        let (wall, offset) = time.split_once('+').expect("a time with its offset");
        let hours: i64 = offset[..2].parse().expect("an offset");
        lab::time(wall, "%Y-%m-%dT%H:%M").saturating_sub(hours.hours())
    } else {
        lab::time(field("Started: ").unwrap_or_default(), "%Y-%m-%d %H:%M UTC")
    }
}
