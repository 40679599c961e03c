//! Which certificate holds for an instrument, and when the next one is due.

use std::collections::BTreeSet;

use mcpmark_guest::jiff::ToSpan;
use mcpmark_guest::jiff::civil::Date;
use mcpmark_guest::{Csv, Reader};

use crate::lab;

pub const HEADER: [&str; 6] = [
    "instrument",
    "serial",
    "certificate",
    "calibrated",
    "due",
    "state",
];
pub const TABLE: &str = "reports/calibration 2024-04-08.csv";
pub const SUMMARY: &str = "reports/calibration 2024-04-08.txt";

const TODAY: Date = Date::constant(2024, 4, 8);

/// What a wrong solution overlooks.
#[derive(Default)]
pub struct Slips {
    pub counts_from_issue: bool,
    pub ignores_replacement: bool,
}

struct Certificate {
    number: String,
    serial: String,
    calibrated: Date,
    issued: Date,
    passed: bool,
    replaces: Option<String>,
}

pub struct Report {
    pub rows: Vec<[String; 6]>,
    pub summary: String,
}

impl Report {
    pub fn table(&self) -> String {
        std::iter::once(Csv::line(HEADER))
            .chain(self.rows.iter().map(Csv::line))
            .collect()
    }
}

pub fn report(drive: &mut impl Reader, slips: &Slips) -> Report {
    let instruments = lab::ini(&drive.text("config/instruments.ini"));
    let mut certificates = Vec::new();
    for name in drive.names("certificates") {
        let text = drive.text(&format!("certificates/{name}"));
        certificates.push(match name.rsplit_once('.') {
            Some((_, "md")) => own(&text),
            Some((_, "txt")) => ferrol(&text),
            _ => pellar(&text),
        });
    }
    let replaced: BTreeSet<String> = certificates
        .iter()
        .filter_map(|certificate| certificate.replaces.clone())
        .collect();
    let start = |certificate: &Certificate| {
        if slips.counts_from_issue {
            certificate.issued
        } else {
            certificate.calibrated
        }
    };

    let mut found: Vec<(Option<Date>, [String; 6])> = Vec::new();
    for (name, keys) in instruments
        .iter()
        .filter(|(_, keys)| keys["status"] != "retired")
    {
        let holds = certificates
            .iter()
            .filter(|certificate| certificate.serial == keys["serial"] && certificate.passed)
            .filter(|certificate| {
                slips.ignores_replacement || !replaced.contains(&certificate.number)
            })
            .max_by_key(|certificate| start(certificate));
        let mut row = [name.clone(), keys["serial"].clone()].to_vec();
        let mut due = None;
        if let Some(certificate) = holds {
            let months: i64 = keys["interval_months"].parse().expect("a number of months");
            // A day that the month has not becomes its last day.
            let next = start(certificate).saturating_add(months.months());
            due = Some(next);
            row.extend([
                certificate.number.clone(),
                start(certificate).to_string(),
                next.to_string(),
            ]);
        } else {
            row.extend([String::new(), String::new(), String::new()]);
        }
        row.push(state(due).to_owned());
        found.push((due, row.try_into().expect("six cells")));
    }
    found.sort_by_key(|(due, row)| (due.is_none(), *due, row[0].clone()));
    let rows: Vec<[String; 6]> = found.into_iter().map(|(_, row)| row).collect();
    let summary = ["overdue", "soon", "valid", "none"]
        .map(|state| line(state, &rows))
        .concat();
    Report { rows, summary }
}

fn state(due: Option<Date>) -> &'static str {
    match due {
        None => "none",
        Some(due) if due < TODAY => "overdue",
        Some(due) if due <= TODAY.saturating_add(30.days()) => "soon",
        Some(_) => "valid",
    }
}

fn line(state: &str, rows: &[[String; 6]]) -> String {
    let mut names: Vec<&str> = rows
        .iter()
        .filter(|row| row[5] == state)
        .map(|row| row[0].as_str())
        .collect();
    names.sort_unstable();
    let list = if names.is_empty() {
        "-".to_owned()
    } else {
        names.join(", ")
    };
    format!("{state} ({}): {list}\n", names.len())
}

/// What stands behind the first occurrence of some words, to the end of the line.
fn after<'a>(text: &'a str, words: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(words)?;
    rest.lines().next().map(str::trim)
}

fn field<'a>(text: &'a str, words: &str) -> &'a str {
    after(text, words).unwrap_or_else(|| panic!("no {words:?} in {text:?}"))
}

fn date(text: &str, format: &str) -> Date {
    Date::strptime(format, text).unwrap_or_else(|error| panic!("{text:?}: {error}"))
}

fn own(text: &str) -> Certificate {
    let replaces = after(text, "This certificate replaces ");
    Certificate {
        number: field(text, "# Calibration certificate ").to_owned(),
        serial: field(text, "- Serial number: ").to_owned(),
        calibrated: date(field(text, "- Date of calibration: "), "%Y-%m-%d"),
        issued: date(field(text, "- Date of issue: "), "%Y-%m-%d"),
        passed: field(text, "- Result: ") == "passed",
        replaces: replaces.map(|rest| rest.split(',').next().unwrap_or(rest).to_owned()),
    }
}

fn ferrol(text: &str) -> Certificate {
    Certificate {
        number: field(text, "Certificate ").to_owned(),
        serial: field(text, "Serial no. ...... ").to_owned(),
        calibrated: date(field(text, "Calibrated on ... "), "%d.%m.%Y"),
        issued: date(field(text, "Date of issue ... "), "%d.%m.%Y"),
        passed: field(text, "Assessment ...... ").eq_ignore_ascii_case("passed"),
        replaces: None,
    }
}

fn pellar(text: &str) -> Certificate {
    let cell = |name: &str| {
        let rest = field(text, &format!("<th>{name}</th><td>"));
        rest.split('<').next().unwrap_or(rest).to_owned()
    };
    Certificate {
        number: cell("Certificate"),
        serial: cell("Serial number"),
        calibrated: date(&cell("Calibration date"), "%m/%d/%Y"),
        issued: date(&cell("Issue date"), "%m/%d/%Y"),
        passed: cell("Result").eq_ignore_ascii_case("passed"),
        replaces: None,
    }
}
