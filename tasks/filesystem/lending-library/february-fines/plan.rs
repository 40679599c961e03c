//! The fines of February 2024, from the logs to the letters.

use std::collections::BTreeMap;

use mcpmark_guest::jiff::ToSpan;
use mcpmark_guest::jiff::civil::{Date, date};
use mcpmark_guest::{Csv, Reader, Table};

use crate::library::{
    self, Calendar, Files, Loan, MEMBERS, catalogue, day_first, loans, pence, pounds, quoted, table,
};

pub const LEDGER: &str = "Fines/2024-02.csv";
pub const HEADER: [&str; 6] = ["returned", "member", "no", "due", "days", "fine"];
pub const ACCOUNTS: &str = "Fines/2024-02 members.json";
pub const LOG: &str = "Fines/log.md";
pub const LETTERS: &str = "Fines/letters";

/// From here on a letter is sent.
const LETTER_FROM: i64 = 100;

#[derive(Clone, Copy, Default)]
pub struct Slips {
    pub first_amnesty: bool,
    pub usual_days: bool,
    pub logs: library::Slips,
}

#[derive(Clone, Copy, Default)]
struct Rule {
    days: i64,
    renewals: usize,
    fine: i64,
    cap: i64,
}

pub struct Account {
    pub member: String,
    pub name: String,
    pub count: usize,
    pub last: String,
    pub charged: i64,
    pub paid: i64,
}

pub struct Month {
    pub rows: Vec<[String; 6]>,
    pub accounts: Vec<Account>,
    pub charged: i64,
}

impl Account {
    pub fn open(&self) -> i64 {
        self.charged - self.paid
    }

    pub fn gets_letter(&self) -> bool {
        self.open() >= LETTER_FROM
    }
}

pub fn month(desk: &mut impl Reader, slips: Slips) -> Month {
    let calendar = if slips.usual_days {
        Calendar::without_exceptions()
    } else {
        Calendar::read(desk)
    };
    let rules = rules(&desk.text("Rules/loans.ini"));
    let items = catalogue(desk);
    let members = table(&desk.text(MEMBERS), b',');
    let payments = table(&desk.text("Fines/payments.csv"), b';');

    let mut rows: Vec<[String; 6]> = Vec::new();
    let mut accounts: BTreeMap<String, Account> = BTreeMap::new();
    let mut total = 0;
    for loan in loans(desk, &calendar, slips.logs) {
        let Some(returned) = loan.returned else {
            continue;
        };
        if (returned.year(), returned.month()) != (2024, 2) {
            continue;
        }
        let item = &items[&loan.no];
        let rule = rules[&item.kind];
        let due = due(&loan, rule, &calendar);
        let late = calendar.between(due, returned);
        let price = (!item.price.is_empty()).then(|| pence(&item.price));
        let fine = fine(&late, rule, item.kind == "dvd", price);
        let fine = owed(fine, &loan, returned, &members, slips);
        if fine == 0 {
            continue;
        }
        total += fine;
        rows.push([
            returned.to_string(),
            loan.member.clone(),
            loan.no.clone(),
            due.to_string(),
            late.len().to_string(),
            pounds(fine),
        ]);
        let account = accounts
            .entry(loan.member.clone())
            .or_insert_with(|| Account {
                member: loan.member.clone(),
                name: cell(&members, &loan.member, "name"),
                count: 0,
                last: String::new(),
                charged: 0,
                paid: 0,
            });
        account.count += 1;
        account.charged += fine;
        account.last = account.last.clone().max(returned.to_string());
    }
    rows.sort();
    for row in payments
        .rows()
        .iter()
        .filter(|row| row.get("for") == "2024-02")
    {
        if let Some(account) = accounts.get_mut(row.get("member")) {
            account.paid += pence(row.get("amount"));
        }
    }
    Month {
        rows,
        accounts: accounts.into_values().collect(),
        charged: total,
    }
}

pub fn files(desk: &mut impl Reader, slips: Slips) -> Files {
    let month = month(desk, slips);
    let mut ledger = Csv::line(HEADER);
    for row in &month.rows {
        ledger.push_str(&Csv::line(row));
    }
    let objects: Vec<String> = month.accounts.iter().map(object).collect();
    let template = desk.text("Fines/letter.txt");
    let letters: Vec<&Account> = month.accounts.iter().filter(|a| a.gets_letter()).collect();
    let entry = format!(
        "- 2024-02: {} fines, {} charged, {} letters\n",
        month.rows.len(),
        pounds(month.charged),
        letters.len()
    );
    let mut log = String::new();
    for line in desk.text(LOG).lines() {
        log.push_str(&format!("{line}\n"));
        if line.starts_with("- 2024-01:") {
            log.push_str(&entry);
        }
    }
    let mut files = Files::from([
        (LEDGER.to_owned(), ledger),
        (
            ACCOUNTS.to_owned(),
            format!("[\n{}\n]\n", objects.join(",\n")),
        ),
        (LOG.to_owned(), log),
    ]);
    for account in letters {
        files.insert(letter_path(&account.member), letter(&template, account));
    }
    files
}

pub fn letter_path(member: &str) -> String {
    format!("{LETTERS}/2024-02 {member}.txt")
}

fn letter(template: &str, account: &Account) -> String {
    template
        .replace("{count}", &account.count.to_string())
        .replace("{month}", "February 2024")
        .replace("{last}", &account.last)
        .replace("{charged}", &pounds(account.charged))
        .replace("{paid}", &pounds(account.paid))
        .replace("{open}", &pounds(account.open()))
}

fn object(account: &Account) -> String {
    let fields = [
        ("member", quoted(&account.member)),
        ("name", quoted(&account.name)),
        ("fines", account.count.to_string()),
        ("charged", quoted(&pounds(account.charged))),
        ("paid", quoted(&pounds(account.paid))),
        ("open", quoted(&pounds(account.open()))),
        ("letter", account.gets_letter().to_string()),
    ];
    let lines: Vec<String> = fields
        .iter()
        .map(|(key, value)| format!("    \"{key}\": {value}"))
        .collect();
    format!("  {{\n{}\n  }}", lines.join(",\n"))
}

fn due(loan: &Loan, rule: Rule, calendar: &Calendar) -> Date {
    let mut due = calendar.open_from(loan.day + rule.days.days());
    let mut left = rule.renewals;
    for renewal in &loan.renewals {
        if left > 0 && *renewal <= due {
            due = calendar.open_from(*renewal + rule.days.days());
            left -= 1;
        }
    }
    due
}

fn fine(late: &[Date], rule: Rule, is_film: bool, price: Option<i64>) -> i64 {
    if late.len() < 2 {
        return 0;
    }
    let of_day = |day: &Date| {
        let is_raised = is_film && *day >= date(2024, 2, 1);
        if is_raised { 30 } else { rule.fine }
    };
    let sum: i64 = late.iter().map(of_day).sum();
    sum.min(rule.cap).min(price.unwrap_or(rule.cap))
}

/// Returns the amount of a fine that is owed, by the member and the day of the return.
fn owed(fine: i64, loan: &Loan, returned: Date, members: &Table, slips: Slips) -> i64 {
    let amnesty_ends = if slips.first_amnesty { 20 } else { 22 };
    if (date(2024, 2, 15)..=date(2024, 2, amnesty_ends)).contains(&returned) {
        return 0;
    }
    if cell(members, &loan.member, "kind") == "volunteer" {
        return 0;
    }
    let born = cell(members, &loan.member, "born");
    let is_young = !born.is_empty() && {
        let born = day_first(&born);
        let month_day = |day: Date| (day.month(), day.day());
        let had_birthday = month_day(returned) >= month_day(born);
        returned.year() - born.year() - i16::from(!had_birthday) < 16
    };
    if is_young { fine / 2 } else { fine }
}

fn cell(members: &Table, member: &str, column: &str) -> String {
    let row = members
        .rows()
        .iter()
        .find(|row| row.get("member") == member);
    row.map(|row| row.get(column).to_owned())
        .unwrap_or_default()
}

fn rules(text: &str) -> BTreeMap<String, Rule> {
    let mut rules: BTreeMap<String, Rule> = BTreeMap::new();
    let mut section = String::new();
    for line in text.lines() {
        if let Some(name) = line.strip_prefix('[') {
            section = name.trim_end_matches(']').to_owned();
        } else if let Some((key, value)) = line.split_once(" = ") {
            let rule = rules.entry(section.clone()).or_default();
            match key {
                "days" => rule.days = value.parse().expect("days"),
                "renewals" => rule.renewals = value.parse().expect("renewals"),
                "fine" => rule.fine = pence(value),
                _ => rule.cap = pence(value),
            }
        }
    }
    rules
}
