//! Readings of the loggers, and the excursions in them.

use mcpmark_guest::jiff::ToSpan;
use mcpmark_guest::jiff::civil::DateTime;
use mcpmark_guest::numbers;
use mcpmark_guest::rust_decimal::Decimal;
use mcpmark_guest::{Csv, Reader};

use crate::lab;

pub const HEADER: [&str; 6] = ["store", "side", "start", "end", "minutes", "peak"];
pub const COLUMNS: [&str; 6] = [
    "Store",
    "Name",
    "Readings",
    "Passed over",
    "Excursions",
    "Minutes",
];
pub const TABLE: &str = "reports/easter 2024.csv";
pub const DOCUMENT: &str = "reports/easter 2024.md";
pub const TITLE: &str = "Cold stores, Easter 2024";

/// The period in UTC: 29 March, 00:00 to 2 April, 00:00 by the wall clock.
const FROM: DateTime = DateTime::constant(2024, 3, 28, 23, 0, 0, 0);
const TO: DateTime = DateTime::constant(2024, 4, 1, 22, 0, 0, 0);

/// What a wrong solution overlooks.
#[derive(Default)]
pub struct Slips {
    /// Takes every time for winter time of the wall clock.
    pub wall_clock_is_even: bool,
    pub ignores_replacement: bool,
}

/// Ninetieths of a degree: both scales give whole numbers of them.
type Heat = i64;
const DEGREE: Heat = 90;

struct Store {
    id: String,
    name: String,
    low: Heat,
    high: Heat,
    delay: i64,
    readings: Vec<(DateTime, Option<Heat>)>,
}

struct Excursion {
    store: String,
    is_high: bool,
    start: DateTime,
    end: DateTime,
    peak: Heat,
}

impl Excursion {
    fn minutes(&self) -> i64 {
        lab::minutes_between(self.start, self.end)
    }

    fn row(&self) -> [String; 6] {
        let side = if self.is_high { "high" } else { "low" };
        let peak = numbers::fixed(Decimal::from(self.peak) / Decimal::from(DEGREE), 1);
        [
            self.store.clone(),
            side.to_owned(),
            stamp(self.start),
            stamp(self.end),
            self.minutes().to_string(),
            peak,
        ]
    }
}

pub struct Report {
    pub rows: Vec<[String; 6]>,
    pub stores: Vec<[String; 6]>,
    pub longest: String,
}

impl Report {
    pub fn table(&self) -> String {
        std::iter::once(Csv::line(HEADER))
            .chain(self.rows.iter().map(Csv::line))
            .collect()
    }
}

impl Report {
    pub fn document(&self) -> String {
        let mut text = format!(
            "# {TITLE}\n\n| {} |\n|{}\n",
            COLUMNS.join(" | "),
            "---|".repeat(COLUMNS.len())
        );
        for row in &self.stores {
            text.push_str(&format!("| {} |\n", row.join(" | ")));
        }
        text + &format!("\n## Longest\n\n{}\n", self.longest)
    }
}

pub fn report(drive: &mut impl Reader, slips: &Slips) -> Report {
    let stores = read_stores(drive, slips);
    let mut counted: Vec<Excursion> = Vec::new();
    let mut lines = Vec::new();
    for store in &stores {
        let found = excursions(store);
        let sum: i64 = found.iter().map(Excursion::minutes).sum();
        let looked_at = store
            .readings
            .iter()
            .filter(|(_, heat)| heat.is_some())
            .count();
        lines.push([
            store.id.clone(),
            store.name.clone(),
            looked_at.to_string(),
            (store.readings.len() - looked_at).to_string(),
            found.len().to_string(),
            sum.to_string(),
        ]);
        counted.extend(found);
    }
    counted.sort_by_key(|excursion| (excursion.start, excursion.store.clone()));
    let longest = counted
        .iter()
        .rev()
        .max_by_key(|excursion| excursion.minutes())
        .expect("the weekend had excursions");
    Report {
        rows: counted.iter().map(Excursion::row).collect(),
        stores: lines,
        longest: format!(
            "{}, {} minutes, from {}",
            longest.store,
            longest.minutes(),
            stamp(longest.start)
        ),
    }
}

/// A moment by the wall clock with its offset.
fn stamp(utc: DateTime) -> String {
    format!(
        "{}+0{}:00",
        lab::local(utc).strftime("%Y-%m-%dT%H:%M"),
        lab::ahead(utc)
    )
}

/// The excursions of a store that last as long as its delay.
fn excursions(store: &Store) -> Vec<Excursion> {
    let mut all: Vec<Excursion> = Vec::new();
    let mut open: Option<Excursion> = None;
    for (time, heat) in &store.readings {
        let Some(heat) = *heat else { continue };
        if (store.low..=store.high).contains(&heat) {
            if let Some(mut excursion) = open.take() {
                excursion.end = *time;
                all.push(excursion);
            }
        } else if let Some(excursion) = &mut open {
            let further = if excursion.is_high {
                excursion.peak.max(heat)
            } else {
                excursion.peak.min(heat)
            };
            excursion.peak = further;
        } else {
            open = Some(Excursion {
                store: store.id.clone(),
                is_high: heat > store.high,
                start: *time,
                end: TO,
                peak: heat,
            });
        }
    }
    all.extend(open);
    all.retain(|excursion| excursion.minutes() >= store.delay);
    all
}

fn read_stores(drive: &mut impl Reader, slips: &Slips) -> Vec<Store> {
    let serials = lab::ini(&drive.text("config/instruments.ini"));
    let planned = drive.text("loggers/planned work.txt");
    let mut certificates = Vec::new();
    for name in drive.names("certificates") {
        if name.ends_with(".md") {
            certificates.push(drive.text(&format!("certificates/{name}")));
        }
    }
    let mut stores = Vec::new();
    for (id, keys) in lab::ini(&drive.text("config/cold-stores.ini")) {
        let logger = &keys["logger"];
        let (_, instrument) = serials
            .iter()
            .find(|(name, _)| name == logger)
            .expect("the logger is listed");
        let correction = correction(&certificates, &instrument["serial"], &keys["point"], slips);
        let work = planned_work(&planned, &id);
        let mut readings = Vec::new();
        for name in drive.names(&format!("loggers/{logger}")) {
            // 2024-W13.csv
            if name.len() != 12 {
                continue;
            }
            let text = drive.text(&format!("loggers/{logger}/{name}"));
            for (time, value) in read_logger(&text, &instrument["clock"], slips) {
                if time < FROM || time >= TO {
                    continue;
                }
                let is_work = work.iter().any(|(from, to)| (*from..=*to).contains(&time));
                let heat = value.filter(|_| !is_work).map(|heat| heat + correction);
                readings.push((time, heat));
            }
        }
        readings.sort();
        stores.push(Store {
            name: keys["name"].clone(),
            low: celsius(&keys["low"]),
            high: celsius(&keys["high"]),
            delay: keys["delay_minutes"].parse().expect("a number of minutes"),
            readings,
            id,
        });
    }
    stores
}

/// Tenths in a number with one decimal.
fn tenths(text: &str) -> i64 {
    let number = numbers::parse(text).expect("a number") * Decimal::TEN;
    i64::try_from(number).expect("a small number")
}

fn celsius(text: &str) -> Heat {
    tenths(text) * DEGREE / 10
}

fn fahrenheit(text: &str) -> Heat {
    (tenths(text) - 320) * DEGREE / 10 * 5 / 9
}

/// The correction at a point, from the certificate of the logger that holds.
fn correction(certificates: &[String], serial: &str, point: &str, slips: &Slips) -> Heat {
    let number = |text: &str| {
        text.lines()
            .next()
            .unwrap_or_default()
            .rsplit(' ')
            .next()
            .unwrap_or_default()
            .to_owned()
    };
    let replaced: Vec<String> = certificates
        .iter()
        .filter_map(|text| text.split_once("This certificate replaces "))
        .filter_map(|(_, rest)| rest.split(',').next().map(str::to_owned))
        .collect();
    let day = |text: &str| {
        text.split_once("- Date of calibration: ")
            .map(|(_, rest)| rest[..10].to_owned())
    };
    let holds = certificates
        .iter()
        .filter(|text| {
            text.contains(&format!("- Serial number: {serial}\n"))
                && text.contains("- Result: passed")
        })
        .filter(|text| slips.ignores_replacement || !replaced.contains(&number(text)))
        .max_by_key(|text| day(text))
        .expect("each logger has a certificate");
    let line = holds
        .lines()
        .find_map(|line| line.strip_prefix(&format!("| {point} |")))
        .expect("the point is there");
    celsius(
        line.trim_end_matches('|')
            .rsplit('|')
            .next()
            .unwrap_or_default()
            .trim(),
    )
}

/// Planned work on a store, first and last minute in UTC. Work that was postponed is left out.
fn planned_work(text: &str, store: &str) -> Vec<(DateTime, DateTime)> {
    let mut work = Vec::new();
    for line in text.lines().filter(|line| !line.contains("POSTPONED")) {
        let words: Vec<&str> = line.split_whitespace().collect();
        if words.first() == Some(&store) {
            let (from, to) = words[2].split_once('-').expect("a span of time");
            let at = |clock: &str| {
                lab::utc(lab::time(
                    &format!("{} {clock}", words[1]),
                    "%Y-%m-%d %H:%M",
                ))
            };
            work.push((at(from), at(to)));
        }
    }
    work
}

/// The readings of a file in UTC; `None` for those that failed.
fn read_logger(text: &str, clock: &str, slips: &Slips) -> Vec<(DateTime, Option<Heat>)> {
    let value = |text: &str, scale: fn(&str) -> Heat| match text {
        "-99.9" | "---" | "FAULT" => None,
        number => Some(scale(&number.replace(',', "."))),
    };
    let lines = text
        .lines()
        .filter(|line| line.starts_with(|c: char| c.is_ascii_digit()));
    lines
        .map(|line| match clock {
            "utc" => {
                let (time, number) = line.split_once(',').expect("two fields");
                (lab::time(time, "%Y-%m-%dT%H:%MZ"), value(number, celsius))
            }
            "local" => {
                let (time, number) = line.split_once(';').expect("two fields");
                let wall = lab::time(time, "%d.%m.%Y %H:%M");
                let time = if slips.wall_clock_is_even {
                    wall.saturating_sub(1.hour())
                } else {
                    lab::utc(wall)
                };
                (time, value(number, celsius))
            }
            _ => {
                let cells: Vec<&str> = line.split('\t').collect();
                let stamp = format!("{} {}", cells[0], cells[1]);
                let time = lab::time(&stamp, "%m/%d/%Y %I:%M %p").saturating_sub(1.hour());
                (time, value(cells[2], fahrenheit))
            }
        })
        .collect()
}
