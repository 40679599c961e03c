//! What the bank knows: working days, bookings, orders and when they are due.

use std::collections::{BTreeMap, BTreeSet};

use mcpmark_guest::jiff::civil::{Date, Weekday};
use mcpmark_guest::jiff::{Span, ToSpan};
use mcpmark_guest::rust_decimal::Decimal;
use mcpmark_guest::{Csv, dates, numbers};

/// Days on which the bank is shut, beside the weekends.
pub struct Holidays(BTreeSet<Date>);

impl Holidays {
    /// From the page of the bank: the dates in its table, less what is commented out.
    pub fn read(page: &str) -> Self {
        let shown = page.split("<!--").map(|part| {
            let comment = part.find("-->").map_or(0, |end| end + 3);
            &part[comment..]
        });
        Self(
            shown
                .flat_map(|part| part.split("<td>"))
                .filter_map(|cell| cell.split('<').next())
                .filter_map(|cell| dates::parse(cell, &[dates::DAY_FIRST]).ok())
                .collect(),
        )
    }

    pub fn none() -> Self {
        Self(BTreeSet::new())
    }

    pub fn bank_day(&self, due: Date) -> Date {
        let is_shut = |day: &Date| {
            matches!(day.weekday(), Weekday::Saturday | Weekday::Sunday) || self.0.contains(day)
        };
        due.series(1.day())
            .find(|day| !is_shut(day))
            .expect("the bank opens again")
    }
}

/// A booking of a standing order that was not undone.
#[derive(Clone)]
pub struct Payment {
    pub number: String,
    pub day: Date,
    /// Positive.
    pub amount: Decimal,
}

/// The payments of a year from the texts of its months, in the order of their days.
pub fn payments(months: &[String], keeps_the_returned: bool) -> Vec<Payment> {
    let mut payments: Vec<Payment> = Vec::new();
    for month in months {
        let (_, text) = month
            .split_once("Buchungstag")
            .expect("a month has a table");
        let table = Csv::lenient()
            .separator(b';')
            .without_header()
            .read(text)
            .expect("an export is CSV below its heading");
        // Newest first, and the rest of the header on the first line.
        for row in table.rows().iter().skip(1).rev() {
            let cells = row.cells();
            let (day, purpose, amount) = (cells[0], cells[3], cells[4]);
            let Some((before, number)) = purpose.split_once("DA ") else {
                continue;
            };
            let number = number.split(' ').next().unwrap_or_default().to_owned();
            let format = if day.len() == 8 {
                "%d.%m.%y"
            } else {
                dates::POINTS
            };
            let day = dates::parse(day, &[format]).expect("a booking has a day");
            let amount = numbers::parse(&amount.replace('.', "").replace(',', "."))
                .expect("a booking has an amount");
            if !before.contains("Rückgabe") {
                payments.push(Payment {
                    number,
                    day,
                    amount: -amount,
                });
            } else if !keeps_the_returned {
                let undone = payments
                    .iter()
                    .rposition(|held| held.number == number && held.amount == amount)
                    .expect("what comes back was paid before");
                payments.remove(undone);
            }
        }
    }
    payments
}

/// A standing order and what has changed about it.
pub struct Order {
    pub id: String,
    /// All numbers that it has or had.
    pub numbers: Vec<String>,
    pub payee: String,
    /// From the first of a month on, the oldest first.
    pub terms: Vec<(Date, Terms)>,
    pub every: String,
    pub first: Date,
    pub last: Option<Date>,
    /// Months without anything due, by their first days.
    pub pauses: Vec<Date>,
}

#[derive(Clone)]
pub struct Terms {
    pub amount: Decimal,
    pub day: i8,
}

impl Order {
    fn terms(&self, month: Date) -> &Terms {
        let (_, terms) = self
            .terms
            .iter()
            .rfind(|(from, _)| *from <= month)
            .expect("the terms of the register hold from the beginning");
        terms
    }

    /// What is due in a year: days and amounts.
    pub fn due(&self, year: i16) -> Vec<(Date, Decimal)> {
        let step: Span = match self.every.as_str() {
            "month" => 1.month(),
            "quarter" => 3.months(),
            "half-year" => 6.months(),
            "year" => 1.year(),
            other => panic!("an order is due every {other:?}"),
        };
        self.first
            .first_of_month()
            .series(step)
            .take_while(|month| month.year() <= year)
            .filter(|month| month.year() == year && !self.pauses.contains(month))
            .filter_map(|month| {
                let terms = self.terms(month);
                let day = terms.day.min(month.days_in_month());
                let due = month.with().day(day).build().expect("a day of the month");
                let ended = self.last.is_some_and(|last| due > last);
                (!ended).then_some((due, terms.amount))
            })
            .collect()
    }
}

/// The orders of the register as it was at the beginning of the year, by id.
pub fn register(text: &str) -> BTreeMap<String, Order> {
    let table = Csv::lenient().read(text).expect("the register is CSV");
    let order = |row: &mcpmark_guest::Row| {
        let date = |column| dates::parse(row.get(column), &[dates::ISO]).ok();
        let terms = Terms {
            amount: numbers::parse(row.get("amount")).expect("an amount is a number"),
            day: row.get("day").parse().expect("a day is a number"),
        };
        Order {
            id: row.get("id").to_owned(),
            numbers: vec![row.get("number").to_owned()],
            payee: row.get("payee").to_owned(),
            terms: vec![(Date::MIN, terms)],
            every: row.get("every").to_owned(),
            first: date("first").expect("an order has a first day"),
            last: date("last"),
            pauses: Vec::new(),
        }
    };
    table
        .rows()
        .iter()
        .map(|row| (row.get("id").to_owned(), order(row)))
        .collect()
}
