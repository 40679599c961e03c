//! The three dialects of the exports, read into transactions of one kind.

use std::collections::BTreeMap;

use mcpmark_guest::jiff::civil::{Date, DateTime, datetime};
use mcpmark_guest::jiff::{Timestamp, ToSpan, tz::TimeZone};
use mcpmark_guest::rust_decimal::Decimal;
use mcpmark_guest::serde_json::{self, Value};
use mcpmark_guest::{Csv, dates, numbers};

/// One line of an account.
#[derive(Clone)]
pub struct Transaction {
    pub date: Date,
    pub account: &'static str,
    /// What says who is on the other side.
    pub text: String,
    /// Negative is money out.
    pub amount: Decimal,
    pub is_own_transfer: bool,
}

/// A month of the joint account.
pub fn joint(export: &str) -> Vec<Transaction> {
    let at = export
        .find("Buchungstag")
        .expect("an export of the joint account has a table");
    let table = Csv::lenient()
        .separator(b';')
        .read(&export[at..])
        .expect("the table is CSV");
    let transaction = |row: &mcpmark_guest::Row| {
        let day = row.get("Buchungstag");
        let format = if day.len() == 8 {
            "%d.%m.%y"
        } else {
            dates::POINTS
        };
        let other = row.get("Empfänger/Auftraggeber");
        let amount = row.get("Betrag").replace('.', "").replace(',', ".");
        Transaction {
            date: dates::parse(day, &[format]).expect("a booking has a day"),
            account: "joint",
            text: other.to_owned(),
            amount: numbers::parse(&amount).expect("a booking has an amount"),
            is_own_transfer: row.get("Verwendungszweck").contains("Umbuchung")
                || other == "Kittiwake Card Services",
        }
    };
    table.rows().iter().map(transaction).collect()
}

/// All exports of Maëlle's account; they overlap, and a reference counts once.
pub fn vale(exports: &[String]) -> Vec<Transaction> {
    let mut by_reference = BTreeMap::new();
    for export in exports {
        let table = Csv::lenient()
            .ragged()
            .read(export)
            .expect("an export is CSV");
        for row in table.rows() {
            let cells = row.cells();
            let amount = |cell: &str| match cell {
                "" => Decimal::ZERO,
                cell => numbers::parse(&cell.replace(',', "")).expect("an amount is a number"),
            };
            let text = cells[5..].join(",");
            let transaction = Transaction {
                date: dates::parse(cells[0], &[dates::DAY_FIRST, dates::SHORT_MONTH])
                    .expect("a transaction has a day"),
                account: "vale",
                amount: amount(cells[3]) - amount(cells[2]),
                is_own_transfer: text.starts_with("OWN TRANSFER"),
                text,
            };
            by_reference.insert(cells[1].to_owned(), transaction);
        }
    }
    by_reference.into_values().collect()
}

/// All statements of the card; the one generated last holds.
pub fn card(statements: &[String], days_in_utc: bool) -> Vec<Transaction> {
    let mut statements: Vec<Value> = statements
        .iter()
        .map(|text| serde_json::from_str(text).expect("a statement is JSON"))
        .collect();
    statements.sort_by_key(|statement| statement["generated"].to_string());
    let mut by_id = BTreeMap::new();
    for statement in &statements {
        for item in statement["transactions"].as_array().into_iter().flatten() {
            by_id.insert(item["id"].to_string(), item);
        }
    }
    by_id
        .into_values()
        .filter(|item| item["status"] == "settled")
        .map(|item| {
            let cents = item["billed_cents"].as_i64().expect("cents are whole");
            let at: Timestamp = item["at"]
                .as_str()
                .and_then(|at| at.parse().ok())
                .expect("a transaction has a time");
            let utc = at.to_zoned(TimeZone::UTC).datetime();
            let local = if days_in_utc { utc } else { at_home(utc) };
            Transaction {
                date: local.date(),
                account: "card",
                text: item["merchant"].as_str().unwrap_or_default().to_owned(),
                amount: Decimal::new(-cents, 2),
                is_own_transfer: item["type"] == "payment",
            }
        })
        .collect()
}

/// Irish time in 2024.
fn at_home(utc: DateTime) -> DateTime {
    let summer = datetime(2024, 3, 31, 1, 0, 0, 0)..datetime(2024, 10, 27, 1, 0, 0, 0);
    if summer.contains(&utc) {
        utc.saturating_add(1.hour())
    } else {
        utc
    }
}
