//! The ledger of the quarter and what it says about the budget.

use mcpmark_guest::jiff::civil::{Date, date};
use mcpmark_guest::rust_decimal::Decimal;
use mcpmark_guest::serde_json::{self, Value, json};
use mcpmark_guest::{Csv, dates, numbers};

#[path = "exports.rs"]
mod exports;

use exports::Transaction;

pub const LEDGER: &str = "Bank/ledger/2024-Q4.csv";
pub const SUMMARY: &str = "Budget/2024-Q4.json";
pub const LOG: &str = "Bank/ledger/log.md";
pub const PAYEES: &str = "Budget/payees.ini";
pub const PLAN: &str = "Budget/budget 2024.json";
pub const COLUMNS: [&str; 5] = ["date", "account", "payee", "category", "amount"];
/// September closes transfers that arrive in October.
pub const JOINT: [&str; 4] = [
    "Bank/Ostermoor Direkt/2024-09.csv",
    "Bank/Ostermoor Direkt/2024-10.csv",
    "Bank/Ostermoor Direkt/2024-11.csv",
    "Bank/Ostermoor Direkt/2024-12.csv",
];
pub const VALE: [&str; 3] = [
    "Bank/Harbour & Vale/2024-Q3 tail.csv",
    "Bank/Harbour & Vale/2024-Q4.csv",
    "Bank/Harbour & Vale/Christmas.csv",
];
pub const CARD: [&str; 4] = [
    "Bank/Kittiwake/statement 2024-09.json",
    "Bank/Kittiwake/statement 2024-10.json",
    "Bank/Kittiwake/statement 2024-11.json",
    "Bank/Kittiwake/statement 2024-12.json",
];

const FIRST: Date = date(2024, 10, 1);
const LAST: Date = date(2024, 12, 31);
const OPEN: &str = "open transfer";

/// What a wrong solution overlooks.
#[derive(Default)]
pub struct Oversights {
    /// The day of a card payment is that of UTC.
    pub days_in_utc: bool,
    /// Nothing that was agreed at a money evening is applied.
    pub overlooks_the_minutes: bool,
}

pub struct Quarter {
    pub rows: Vec<[String; 5]>,
    pub summary: Value,
    /// The line for the log.
    pub entry: String,
}

/// A line of the ledger.
struct Line {
    date: Date,
    account: &'static str,
    payee: String,
    category: String,
    amount: Decimal,
}

/// The quarter, from whatever reads a file by its path.
pub fn quarter(mut read: impl FnMut(&str) -> String, oversights: &Oversights) -> Quarter {
    let mut read = |path: &str| {
        let text = read(path);
        text.strip_prefix('\u{feff}').unwrap_or(&text).to_owned()
    };
    let mut all: Vec<Transaction> = Vec::new();
    for path in JOINT {
        all.extend(exports::joint(&read(path)));
    }
    all.extend(exports::vale(&VALE.map(&mut read)));
    all.extend(exports::card(&CARD.map(&mut read), oversights.days_in_utc));
    let payees = read_payees(&read(PAYEES));

    let mut lines = Vec::new();
    let (mut closed, mut open) = (0, 0);
    for item in all
        .iter()
        .filter(|item| FIRST <= item.date && item.date <= LAST)
    {
        let (payee, category) = if !item.is_own_transfer {
            name(item, &payees, oversights)
        } else if all.iter().any(|other| closes(item, other)) {
            closed += 1;
            continue;
        } else {
            open += 1;
            (item.text.clone(), OPEN.to_owned())
        };
        lines.push(Line {
            date: item.date,
            account: item.account,
            payee,
            category,
            amount: item.amount,
        });
    }
    lines.sort_by(|a, b| {
        (a.date, a.account, a.amount, &a.payee).cmp(&(b.date, b.account, b.amount, &b.payee))
    });
    Quarter {
        summary: summarise(&lines, &read(PLAN), oversights),
        entry: format!(
            "- 2024-Q4: {} lines, {closed} closed transfers left out, {open} open\n",
            lines.len()
        ),
        rows: lines
            .into_iter()
            .map(|line| {
                [
                    dates::iso(line.date),
                    line.account.to_owned(),
                    line.payee,
                    line.category,
                    money(line.amount),
                ]
            })
            .collect(),
    }
}

fn closes(item: &Transaction, other: &Transaction) -> bool {
    other.is_own_transfer
        && other.account != item.account
        && other.amount == -item.amount
        && (other.date - item.date).get_days().abs() <= 4
}

struct Payee {
    name: String,
    matches: Vec<String>,
    category: String,
}

fn read_payees(text: &str) -> Vec<Payee> {
    let mut payees: Vec<Payee> = Vec::new();
    for line in text.lines() {
        if let Some(name) = line
            .strip_prefix('[')
            .and_then(|rest| rest.strip_suffix(']'))
        {
            payees.push(Payee {
                name: name.to_owned(),
                matches: Vec::new(),
                category: String::new(),
            });
        } else if let (Some(payee), Some((key, value))) =
            (payees.last_mut(), line.split_once(" = "))
        {
            match key {
                "match" => {
                    payee.matches = value.split(" | ").map(str::to_lowercase).collect();
                }
                "category" => payee.category = value.to_owned(),
                _ => {}
            }
        }
    }
    payees
}

/// Payee and category of a transaction.
fn name(item: &Transaction, payees: &[Payee], oversights: &Oversights) -> (String, String) {
    let text = item.text.to_lowercase();
    let found = payees
        .iter()
        .find(|payee| payee.matches.iter().any(|part| text.contains(part)));
    let Some(payee) = found else {
        return (item.text.clone(), "unsorted".to_owned());
    };
    let category = match payee.name.as_str() {
        _ if oversights.overlooks_the_minutes => &payee.category,
        "Dolphin Swimming Club" if item.date >= date(2024, 11, 1) => "children",
        "Garage Tansey" if item.date == date(2024, 10, 29) => "one-offs",
        "Telloway Shop" if item.date == date(2024, 12, 10) => "one-offs",
        _ => &payee.category,
    };
    (payee.name.clone(), category.to_owned())
}

fn summarise(lines: &[Line], plan: &str, oversights: &Oversights) -> Value {
    let sum = |category: &str| -> Decimal {
        lines
            .iter()
            .filter(|line| line.category == category)
            .map(|line| line.amount)
            .sum()
    };
    let plan: Value = serde_json::from_str(plan).expect("the budget is JSON");
    let mut categories = Vec::new();
    let mut over = Vec::new();
    for category in plan["categories"].as_array().into_iter().flatten() {
        let name = category["name"].as_str().unwrap_or_default();
        let mut budget = planned(category);
        if name == "transport" && !oversights.overlooks_the_minutes {
            // 140.00 instead of 190.00 in December.
            budget -= Decimal::from(50);
        }
        let spent = -sum(name);
        let left = budget - spent;
        if left < Decimal::ZERO {
            over.push(name);
        }
        categories.push(json!({
            "name": name,
            "budget": money(budget),
            "spent": money(spent),
            "left": money(left),
        }));
    }
    json!({
        "quarter": "2024-Q4",
        "lines": lines.len(),
        "income": money(sum("income")),
        "categories": categories,
        "unsorted": money(sum("unsorted")),
        "open": money(sum(OPEN)),
        "over": over,
    })
}

/// What the plan has for October, November and December.
fn planned(category: &Value) -> Decimal {
    let amount = |value: &Value| numbers::parse(&value.to_string()).expect("a plan has numbers");
    if let Some(yearly) = category.get("yearly") {
        return numbers::half_up(amount(yearly) / Decimal::from(4), 2);
    }
    ["2024-10", "2024-11", "2024-12"]
        .iter()
        .map(|month| {
            let mut changes = category["changes"].as_array().into_iter().flatten();
            let changed =
                changes.rfind(|change| change["from"].as_str().is_some_and(|from| from <= *month));
            amount(&changed.unwrap_or(category)["monthly"])
        })
        .sum()
}

fn money(amount: Decimal) -> String {
    numbers::fixed(amount, 2)
}

pub fn table(rows: &[[String; 5]]) -> String {
    std::iter::once(Csv::line(COLUMNS))
        .chain(rows.iter().map(Csv::line))
        .collect()
}

pub fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).expect("a value in memory becomes JSON") + "\n"
}

/// The last entry of the log, with its line end.
pub fn last_entry(log: &str) -> &str {
    let start = log
        .find("- 2024-Q3:")
        .expect("the log has the third quarter");
    let end = log[start..].find('\n').expect("the entry ends") + 1;
    &log[start..start + end]
}
