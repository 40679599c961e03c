//! What several tasks of the office read alike: the drive, the register, dates, matter numbers.

#![allow(dead_code)]

use std::collections::BTreeMap;

use mcpmark_guest::jiff::Span;
use mcpmark_guest::jiff::civil::{Date, DateTime, Weekday};
use mcpmark_guest::{Csv, Table, dates};

/// A table of the office with a header line.
pub fn table(text: &str) -> Table {
    Csv::lenient().read(text).expect("the list is CSV")
}

/// A day as people of the office write it.
pub fn day(text: &str) -> Date {
    let formats = [
        dates::ISO,
        dates::DAY_FIRST,
        dates::SHORT_MONTH,
        dates::LONG_MONTH,
    ];
    dates::parse(text.trim(), &formats).expect("a day as the conventions have it")
}

/// The same day and month in another year; 28 February where that year has no 29th.
pub fn in_years(day: Date, years: i16) -> Date {
    let year = day.year() + years;
    Date::new(year, day.month(), day.day()).unwrap_or(
        Date::constant(2001, 2, 28)
            .with()
            .year(year)
            .build()
            .expect("each year has a 28 February"),
    )
}

/// `25-17`, `2025/17` and `25/0017` as `2025/017`; `None` for what is no number of a matter.
pub fn matter_number(text: &str) -> Option<String> {
    let (year, number) = text.trim().split_once(['/', '-'])?;
    let year = match year.len() {
        2 => format!("20{year}"),
        4 => year.to_owned(),
        _ => return None,
    };
    let is_number = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    (is_number(&year) && is_number(number))
        .then(|| number.parse::<u32>().ok())
        .flatten()
        .map(|number| format!("{year}/{number:03}"))
}

pub struct Matter {
    pub number: String,
    pub client: String,
    pub title: String,
    pub other_parties: Vec<String>,
    /// In small letters.
    pub kind: String,
    pub closed: Option<Date>,
    /// In small letters.
    pub status: String,
    pub handler: String,
    pub box_label: String,
    pub note: String,
}

impl Matter {
    pub fn is_open(&self) -> bool {
        ["open", "live", "dormant", "pending"].contains(&self.status.as_str())
    }
}

/// The matters of the register by number.
pub fn register(text: &str) -> BTreeMap<String, Matter> {
    let mut matters = BTreeMap::new();
    for row in table(text).rows() {
        let cell = |name| row.get(name).trim().to_owned();
        let matter = Matter {
            number: cell("matter"),
            client: cell("client"),
            title: cell("title"),
            other_parties: list(row.get("other_parties")),
            kind: cell("kind").to_lowercase(),
            closed: Some(cell("closed"))
                .filter(|text| !text.is_empty())
                .map(|text| day(&text)),
            status: cell("status").to_lowercase(),
            handler: cell("handler"),
            box_label: cell("box"),
            note: cell("note"),
        };
        matters.insert(matter.number.clone(), matter);
    }
    matters
}

pub struct Client {
    pub name: String,
    pub also_known_as: Vec<String>,
    pub born: Option<Date>,
}

/// The clients by number; with `last_line_holds` as the conventions have it.
pub fn clients(text: &str, last_line_holds: bool) -> BTreeMap<String, Client> {
    let mut clients = BTreeMap::new();
    for row in table(text).rows() {
        let client = Client {
            name: row.get("name").to_owned(),
            also_known_as: list(row.get("also_known_as")),
            born: Some(row.get("born"))
                .filter(|text| !text.is_empty())
                .map(day),
        };
        let number = row.get("client_no").to_owned();
        if last_line_holds || !clients.contains_key(&number) {
            clients.insert(number, client);
        }
    }
    clients
}

/// What semicolons part.
pub fn list(text: &str) -> Vec<String> {
    text.split(';')
        .map(|part| part.trim().to_owned())
        .filter(|part| !part.is_empty())
        .collect()
}

/// The first cells of the rows of all Markdown tables in a text, the rows of dashes left out.
pub fn markdown_rows(text: &str) -> Vec<Vec<String>> {
    text.lines()
        .filter(|line| line.starts_with('|') && !line.starts_with("|--"))
        .map(|line| {
            let inner = line.trim().trim_matches('|');
            inner
                .split('|')
                .map(|cell| cell.trim().to_owned())
                .collect()
        })
        .collect()
}

/// A moment such as `2026-02-27T11:45:00-05:00` as a clock in London shows it.
pub fn in_london(text: &str) -> DateTime {
    let (local, offset) = text.split_at(19);
    let local = DateTime::strptime("%Y-%m-%dT%H:%M:%S", local).expect("a moment in ISO form");
    let minutes = match offset.strip_prefix('Z') {
        Some(_) => 0,
        None => {
            let number = |range| -> i64 {
                let digits: Option<&str> = offset.get(range);
                let number = digits.and_then(|digits| digits.parse().ok());
                number.expect("an offset of hours and minutes")
            };
            let minutes = number(1..3) * 60 + number(4..6);
            if offset.starts_with('-') {
                -minutes
            } else {
                minutes
            }
        }
    };
    let utc = local - Span::new().minutes(minutes);
    let last_sunday = |month| {
        let mut day = Date::constant(2000, month, 31);
        day = day
            .with()
            .year(utc.year())
            .build()
            .expect("each March and October has 31 days");
        while day.weekday() != Weekday::Sunday {
            day = day.yesterday().expect("no calendar ends here");
        }
        day.at(1, 0, 0, 0)
    };
    let is_summer = utc >= last_sunday(3) && utc < last_sunday(10);
    utc + Span::new().hours(i64::from(is_summer))
}
