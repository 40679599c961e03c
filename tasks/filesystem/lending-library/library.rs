//! What several tasks of the library read alike: days, item numbers, members, catalogue, loans.

#![allow(dead_code)]

use std::collections::{BTreeMap, BTreeSet};

use mcpmark_guest::jiff::civil::{Date, Weekday, date};
use mcpmark_guest::jiff::{Span, ToSpan};
use mcpmark_guest::{Csv, Reader, Table, Tools, dates};

pub const CATALOGUE: &str = "Catalogue/catalogue.csv";
pub const MEMBERS: &str = "Members/members.csv";
pub const QUEUE: &str = "Reservations/queue.csv";

pub fn table(text: &str, separator: u8) -> Table {
    let format = Csv::lenient().separator(separator);
    format.read(text).expect("the list is CSV")
}

pub fn iso(text: &str) -> Date {
    dates::parse(text, &[dates::ISO]).expect("a day, year first")
}

pub fn day_first(text: &str) -> Date {
    dates::parse(text, &[dates::DAY_FIRST]).expect("a day, day first")
}

/// `LL-42`, `ll-0042` and `42` as `LL-0042`.
pub fn item_number(typed: &str) -> String {
    let digits = typed.trim_start_matches(|c: char| !c.is_ascii_digit());
    let number: u32 = digits.parse().expect("a number of an item");
    format!("LL-{number:04}")
}

/// Days on which the library is open.
pub struct Calendar {
    exceptions: BTreeMap<Date, bool>,
}

impl Calendar {
    pub fn read(desk: &mut impl Reader) -> Self {
        let text = desk.text("Opening hours/exceptions.csv");
        let lines = text.lines().skip(1).filter(|line| !line.starts_with('#'));
        let exceptions = lines.map(|line| {
            let mut fields = line.split(';');
            let day = iso(fields.next().unwrap_or_default());
            (day, fields.next() == Some("open"))
        });
        Self {
            exceptions: exceptions.collect(),
        }
    }

    /// Opening days are those of the week alone.
    pub fn without_exceptions() -> Self {
        Self {
            exceptions: BTreeMap::new(),
        }
    }

    pub fn is_open(&self, day: Date) -> bool {
        let usual = [Weekday::Tuesday, Weekday::Thursday, Weekday::Saturday];
        let exception = self.exceptions.get(&day).copied();
        exception.unwrap_or_else(|| usual.contains(&day.weekday()))
    }

    pub fn open_from(&self, day: Date) -> Date {
        self.seek(day, 1.day())
    }

    pub fn after(&self, day: Date) -> Date {
        self.seek(day + 1.day(), 1.day())
    }

    pub fn before(&self, day: Date) -> Date {
        self.seek(day - 1.day(), -1.day())
    }

    fn seek(&self, mut day: Date, step: Span) -> Date {
        while !self.is_open(day) {
            day += step;
        }
        day
    }

    /// The opening days after the first day, up to and including the last.
    pub fn between(&self, first: Date, last: Date) -> Vec<Date> {
        let mut days = Vec::new();
        let mut day = first + 1.day();
        while day <= last {
            if self.is_open(day) {
                days.push(day);
            }
            day += 1.day();
        }
        days
    }
}

pub struct Item {
    pub no: String,
    /// Without hyphens.
    pub isbn: String,
    pub title: String,
    pub shelf: String,
    pub kind: String,
    /// As the catalogue writes it.
    pub price: String,
    pub status: String,
}

pub fn catalogue(desk: &mut impl Reader) -> BTreeMap<String, Item> {
    let table = table(&desk.text(CATALOGUE), b';');
    let items = table.rows().iter().map(|row| Item {
        no: row.get("No").into(),
        isbn: row.get("ISBN").replace('-', ""),
        title: row.get("Title").into(),
        shelf: row.get("Shelf").into(),
        kind: row.get("Kind").into(),
        price: row.get("Price").into(),
        status: row.get("Status").into(),
    });
    items.map(|item| (item.no.clone(), item)).collect()
}

#[derive(Clone, Debug)]
pub struct Loan {
    pub no: String,
    pub member: String,
    pub day: Date,
    /// The days of its `REN` lines.
    pub renewals: Vec<Date>,
    pub returned: Option<Date>,
}

/// Traps of the logs that a cheat steps into.
#[derive(Clone, Copy, Default)]
pub struct Slips {
    pub overlooks_corrections: bool,
    pub box_as_written: bool,
    pub overlooks_void: bool,
}

struct Line {
    day: Date,
    verb: String,
    no: String,
    member: String,
}

/// All loans of all logs, with the corrections, in the order in which they began.
pub fn loans(desk: &mut impl Reader, calendar: &Calendar, slips: Slips) -> Vec<Loan> {
    let mut lines: Vec<Line> = Vec::new();
    for name in desk.names("Loans") {
        let month = name.strip_suffix(".log").unwrap_or_default();
        if month.len() != 7 {
            continue;
        }
        for text in desk.text(&format!("Loans/{name}")).lines() {
            if text.starts_with('#') || text.is_empty() {
                continue;
            }
            let line = read_line(text);
            if line.verb != "VOID" {
                lines.push(line);
            } else if !slips.overlooks_void {
                let at = lines.iter().rposition(|other| other.no == line.no);
                lines.remove(at.expect("a VOID has a line before it"));
            }
        }
    }
    let corrections = desk.text("Loans/corrections.md");
    if !slips.overlooks_corrections {
        correct(&mut lines, &corrections);
    }

    let mut loans: Vec<Loan> = Vec::new();
    let mut open: BTreeMap<String, usize> = BTreeMap::new();
    for line in lines {
        match line.verb.as_str() {
            "OUT" => {
                if let Some(at) = open.insert(line.no.clone(), loans.len()) {
                    loans[at].returned = Some(line.day);
                }
                loans.push(Loan {
                    no: line.no,
                    member: line.member,
                    day: line.day,
                    renewals: Vec::new(),
                    returned: None,
                });
            }
            "REN" => {
                if let Some(at) = open.get(&line.no) {
                    loans[*at].renewals.push(line.day);
                }
            }
            verb => {
                if let Some(at) = open.remove(&line.no) {
                    let found = verb == "BOX" && !slips.box_as_written;
                    loans[at].returned = Some(if found {
                        calendar.before(line.day)
                    } else {
                        line.day
                    });
                }
            }
        }
    }
    loans
}

fn read_line(text: &str) -> Line {
    let is_old = text.contains(';');
    let mut fields = text.split(if is_old { ';' } else { ' ' });
    let mut next = || fields.next().unwrap_or_default();
    let day = next();
    let _time = next();
    Line {
        day: if is_old { day_first(day) } else { iso(day) },
        verb: next().to_owned(),
        no: item_number(next()),
        member: next().to_owned(),
    }
}

fn correct(lines: &mut Vec<Line>, page: &str) {
    for row in page.lines().filter(|line| line.starts_with("| LL-")) {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        let (day, verb) = cells[1].split_once(' ').expect("a day and a verb");
        let wanted = |line: &Line| line.no == cells[0] && line.day == iso(day) && line.verb == verb;
        let at = lines.iter().position(wanted);
        let at = at.expect("a corrected line stands in a log");
        let word = |before: &str| {
            let (_, rest) = cells[2].split_once(before)?;
            rest.split([' ', ',']).next()
        };
        if let Some(day) = word("it came back on ") {
            lines[at].day = iso(day);
        } else if let Some(member) = word("lent to ") {
            lines[at].member = member.to_owned();
        } else {
            lines.remove(at);
        }
    }
}

/// The numbers of the items that are lent after the last line of the logs, with who has them.
pub fn lent(loans: &[Loan]) -> BTreeMap<String, String> {
    let open = loans.iter().filter(|loan| loan.returned.is_none());
    open.map(|loan| (loan.no.clone(), loan.member.clone()))
        .collect()
}

/// The copies on the hold shelf by the queue.
pub fn held(desk: &mut impl Reader) -> BTreeSet<String> {
    let queue = table(&desk.text(QUEUE), b',');
    let ready = queue
        .rows()
        .iter()
        .filter(|row| row.get("state") == "ready");
    ready.map(|row| row.get("copy").to_owned()).collect()
}

/// The first day of March 2024 on which the desk is open as usual again.
pub fn hold_day() -> Date {
    date(2024, 3, 5)
}

/// What a plan asks for: paths with the whole text that they end with, sorted by path.
pub type Files = BTreeMap<String, String>;

pub fn play(tools: &mut Tools, files: Files) -> String {
    for (path, text) in &files {
        tools.write(path, text);
    }
    let paths: Vec<String> = files.into_keys().collect();
    format!("Written: {}.", paths.join(", "))
}

/// Pence as pounds with two decimals.
pub fn pounds(pence: i64) -> String {
    let sign = if pence < 0 { "-" } else { "" };
    format!("{sign}{}.{:02}", pence.abs() / 100, pence.abs() % 100)
}

/// An amount with two decimals after a point or a comma, in pence.
pub fn pence(text: &str) -> i64 {
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    digits.parse().expect("an amount with two decimals")
}

/// Text as JSON writes it.
pub fn quoted(text: &str) -> String {
    mcpmark_guest::serde_json::Value::from(text).to_string()
}
