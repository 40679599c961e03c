//! Persons from two registers, their fees, and what the log of payments says.

use std::collections::BTreeMap;

use mcpmark_guest::jiff::civil::{Date, date};
use mcpmark_guest::rust_decimal::Decimal;
use mcpmark_guest::{Reader, dates, numbers, serde_json};

#[path = "../folder.rs"]
pub mod folder;

use folder::table;

pub const ATTENDEES: &str = "04 Registration/attendees.csv";
pub const NOTE: &str = "04 Registration/who owes.md";
pub const HEADER: [&str; 9] = [
    "number", "name", "email", "category", "days", "dinner", "fee", "paid", "balance",
];
const DAYS: [&str; 3] = ["We", "Th", "Fr"];

/// What a wrong solution overlooks.
#[derive(Default)]
pub struct Oversights {
    pub every_line_pays: bool,
    pub price_by_last: bool,
}

struct Registration {
    number: u32,
    date: Date,
    name: String,
    email: String,
    category: &'static str,
    days: Vec<&'static str>,
    dinner: bool,
    stands: bool,
}

pub struct Person {
    pub number: u32,
    pub name: String,
    email: String,
    category: &'static str,
    days: Vec<&'static str>,
    dinner: bool,
    fee: Decimal,
    paid: Decimal,
}

impl Person {
    pub fn balance(&self) -> Decimal {
        self.fee - self.paid
    }

    pub fn line(&self) -> [String; 9] {
        [
            format!("{:04}", self.number),
            self.name.clone(),
            self.email.clone(),
            self.category.to_owned(),
            self.days.join(" "),
            if self.dinner { "yes" } else { "no" }.to_owned(),
            numbers::fixed(self.fee, 2),
            numbers::fixed(self.paid, 2),
            numbers::fixed(self.balance(), 2),
        ]
    }
}

#[derive(Default)]
pub struct Accounts {
    pub persons: Vec<Person>,
    unclaimed: BTreeMap<String, Decimal>,
}

pub fn accounts(folder: &mut dyn Reader, oversights: &Oversights) -> Accounts {
    let mut by_address: BTreeMap<String, Vec<Registration>> = BTreeMap::new();
    for registration in read_form(folder).into_iter().chain(read_desk(folder)) {
        by_address
            .entry(registration.email.clone())
            .or_default()
            .push(registration);
    }
    let mut accounts = Accounts::default();
    let mut owners: BTreeMap<u32, usize> = BTreeMap::new();
    for registrations in by_address.into_values() {
        let stand = || registrations.iter().filter(|other| other.stands);
        let Some(holding) = stand().max_by_key(|other| (other.date, other.number)) else {
            continue;
        };
        let first = stand().map(|other| other.date).min();
        let priced_on = if oversights.price_by_last {
            Some(holding.date)
        } else {
            first
        };
        let number = stand().map(|other| other.number).min();
        for registration in &registrations {
            owners.insert(registration.number, accounts.persons.len());
        }
        accounts.persons.push(Person {
            number: number.expect("one of them stands"),
            name: holding.name.clone(),
            email: holding.email.clone(),
            category: holding.category,
            days: holding.days.clone(),
            dinner: holding.dinner,
            fee: fee(holding, priced_on.expect("one of them stands")),
            paid: Decimal::ZERO,
        });
    }
    for (txn, reference, amount) in read_log(folder, oversights) {
        match owners.get(&reference) {
            Some(person) => accounts.persons[*person].paid += amount,
            None => *accounts.unclaimed.entry(txn).or_default() += amount,
        }
    }
    accounts.persons.sort_by_key(|person| person.number);
    accounts
}

fn fee(registration: &Registration, first: Date) -> Decimal {
    let (early, regular) = match registration.category {
        "member" => (280, 340),
        "student" => (120, 150),
        "speaker" => (0, 0),
        _ => (340, 410),
    };
    let whole = if first <= date(2024, 1, 15) {
        early
    } else {
        regular
    };
    let part = match registration.days.len() {
        1 => whole / 2,
        2 => whole * 3 / 4,
        _ => whole,
    };
    let dinner = if registration.dinner {
        Decimal::new(6250, 2)
    } else {
        Decimal::ZERO
    };
    Decimal::from(part) + dinner
}

fn read_form(folder: &mut dyn Reader) -> Vec<Registration> {
    let mut registrations = Vec::new();
    for row in table(folder, "04 Registration/online export.csv").rows() {
        registrations.push(Registration {
            number: row.get("number").parse().expect("a number"),
            date: dates::parse(row.get("registered"), &[dates::DAY_FIRST]).expect("a date"),
            name: row.get("name").to_owned(),
            email: address(row.get("email")),
            category: category(row.get("category")),
            days: days(row.get("days")),
            dinner: means_yes(row.get("dinner")),
            stands: stands(row.get("status")),
        });
    }
    registrations
}

fn read_desk(folder: &mut dyn Reader) -> Vec<Registration> {
    let text = folder.text("04 Registration/desk list.json");
    let list: serde_json::Value = serde_json::from_str(&text).expect("the desk list is JSON");
    let entries = list["registrations"].as_array().expect("an array");
    let read = |entry: &serde_json::Value| {
        let field = |name: &str| entry[name].as_str().unwrap_or_default();
        let on: Vec<&str> = entry["days"]
            .as_array()
            .expect("the days are an array")
            .iter()
            .filter_map(serde_json::Value::as_str)
            .collect();
        Registration {
            number: entry["number"].to_string().parse().expect("a number"),
            date: dates::parse(field("registered"), &[dates::DAY_FIRST]).expect("a date"),
            name: field("name").to_owned(),
            email: address(field("email")),
            category: category(field("category")),
            days: days(&on.join(" ")),
            dinner: entry["dinner"] == true,
            stands: stands(field("status")),
        }
    };
    entries.iter().map(read).collect()
}

/// What each transaction moves: its name, the number that it is for, its amount.
fn read_log(folder: &mut dyn Reader, oversights: &Oversights) -> Vec<(String, u32, Decimal)> {
    let log = folder.text("04 Registration/payments.log");
    let mut taken_back = Vec::new();
    let mut transactions: BTreeMap<String, (u32, Decimal)> = BTreeMap::new();
    for (number, line) in log.lines().enumerate() {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let field = |name: &str| {
            line.split_whitespace()
                .find_map(|part| part.strip_prefix(name))
        };
        let mut txn = field("txn=")
            .expect("an event has a transaction")
            .to_owned();
        let kind = line.split_whitespace().nth(1).unwrap_or_default();
        if kind == "CHARGEBACK" {
            taken_back.push(txn);
            continue;
        }
        let reference = field("ref=").expect("a payment is for something");
        let amount = field("amount=").expect("a payment has an amount");
        let amount = numbers::parse(amount).expect("an amount is a number");
        let moved = match kind {
            "PAID" => amount,
            "REFUND" => -amount,
            "FAILED" | "PENDING" | "TEST" => Decimal::ZERO,
            other => panic!("the rules do not know of {other:?}"),
        };
        if oversights.every_line_pays {
            txn = format!("{txn} {number}");
        }
        transactions.insert(txn, (reference.parse().expect("a number"), moved));
    }
    transactions.retain(|txn, (_, moved)| !taken_back.contains(txn) && !moved.is_zero());
    transactions
        .into_iter()
        .map(|(txn, (reference, moved))| (txn, reference, moved))
        .collect()
}

fn address(text: &str) -> String {
    let address = text.trim().to_lowercase();
    match address.split_once('@') {
        Some((name, host)) => {
            let (name, _) = name.split_once('+').unwrap_or((name, ""));
            format!("{name}@{host}")
        }
        None => address,
    }
}

fn category(label: &str) -> &'static str {
    match label.to_lowercase().as_str() {
        "member" | "m" | "society member" => "member",
        "student" | "phd" | "stud." => "student",
        "speaker" | "invited" => "speaker",
        _ => "guest",
    }
}

fn days(text: &str) -> Vec<&'static str> {
    let words: Vec<String> = text
        .split(|character: char| !character.is_alphabetic())
        .map(str::to_lowercase)
        .collect();
    let on: Vec<&str> = DAYS
        .into_iter()
        .filter(|day| words.contains(&day.to_lowercase()))
        .collect();
    if on.is_empty() { DAYS.to_vec() } else { on }
}

fn means_yes(text: &str) -> bool {
    ["yes", "y", "1", "true"].contains(&text.to_lowercase().as_str())
}

fn stands(status: &str) -> bool {
    !["cancelled", "test"].contains(&status.to_lowercase().as_str())
}

/// The parts of the note that checks look at one by one.
pub struct Note {
    pub owing: Vec<[String; 3]>,
    pub total: String,
    pub too_much: Vec<String>,
    pub unclaimed: Vec<String>,
}

pub fn note(accounts: &Accounts) -> Note {
    let mut owing: Vec<&Person> = accounts
        .persons
        .iter()
        .filter(|person| person.balance() > Decimal::ZERO)
        .collect();
    owing.sort_by_key(|person| (std::cmp::Reverse(person.balance()), person.number));
    let too_much = accounts
        .persons
        .iter()
        .filter(|person| person.balance() < Decimal::ZERO);
    let unclaimed = accounts.unclaimed.iter();
    Note {
        total: numbers::fixed(owing.iter().map(|person| person.balance()).sum(), 2),
        owing: owing
            .into_iter()
            .map(|person| {
                [
                    format!("{:04}", person.number),
                    person.name.clone(),
                    numbers::fixed(person.balance(), 2),
                ]
            })
            .collect(),
        too_much: too_much
            .map(|person| {
                let amount = numbers::fixed(-person.balance(), 2);
                format!("{:04} {}: {amount}", person.number, person.name)
            })
            .collect(),
        unclaimed: unclaimed
            .map(|(txn, amount)| format!("{txn}: {}", numbers::fixed(*amount, 2)))
            .collect(),
    }
}

impl Note {
    pub fn text(&self) -> String {
        let mut text =
            String::from("# Who owes\n\n| Number | Name | Owes |\n|--------|------|-----:|\n");
        for row in &self.owing {
            text += &format!("| {} |\n", row.join(" | "));
        }
        text += &format!("\nTotal: {}\n", self.total);
        for (heading, entries) in [
            ("Paid too much", &self.too_much),
            ("Unclaimed", &self.unclaimed),
        ] {
            text += &format!("\n## {heading}\n\n");
            for entry in entries {
                text += &format!("- {entry}\n");
            }
            if entries.is_empty() {
                text += "- none\n";
            }
        }
        text
    }
}
