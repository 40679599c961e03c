//! Dues against payments: findings, sums, and the register brought up to date.

use std::collections::BTreeMap;

use mcpmark_guest::jiff::civil::{Date, date};
use mcpmark_guest::rust_decimal::Decimal;
use mcpmark_guest::serde_json::{self, Value, json};
use mcpmark_guest::{Csv, dates, numbers};

#[path = "bank.rs"]
mod bank;

use bank::{Holidays, Order, Payment, Terms};

pub const FOLDER: &str = "Standing orders";
pub const REGISTER: &str = "Standing orders/register.csv";
pub const HOLIDAYS: &str = "Standing orders/bank holidays.html";
pub const FINDINGS: &str = "Standing orders/audit 2024.csv";
pub const SUMS: &str = "Standing orders/audit 2024.json";
pub const COLUMNS: [&str; 7] = [
    "id", "due", "bank_day", "expected", "booked", "paid", "finding",
];
pub const KINDS: [&str; 6] = ["missing", "late", "amount", "late amount", "twice", "stray"];

const YEAR: i16 = 2024;
/// How many days after the bank day a payment still belongs to what is due.
const GRACE: i32 = 6;

/// What a wrong solution overlooks.
#[derive(Default)]
pub struct Oversights {
    /// Only weekends put a bank day off.
    pub overlooks_holidays: bool,
    /// A payment that came back was paid.
    pub counts_the_returned: bool,
}

pub struct Audit {
    pub findings: Vec<[String; 7]>,
    pub sums: Value,
    pub register: String,
}

/// The audit from the texts of register, bank holidays and the twelve months.
pub fn audit(register: &str, holidays: &str, months: &[String], oversights: &Oversights) -> Audit {
    let holidays = if oversights.overlooks_holidays {
        Holidays::none()
    } else {
        Holidays::read(holidays)
    };
    let payments = bank::payments(months, oversights.counts_the_returned);
    let mut orders = bank::register(register);
    apply_changes(&mut orders);

    let mut findings = Vec::new();
    let mut sums = Vec::new();
    let (mut dues, mut met) = (0, 0);
    for order in orders.values() {
        let judged = judge(order, &holidays, &payments);
        dues += judged.dues;
        met += judged.met;
        findings.extend(judged.findings);
        sums.push(json!({
            "id": order.id,
            "dues": judged.dues,
            "expected": money(judged.expected),
            "paid": money(judged.paid),
        }));
    }
    findings.sort_by_key(|[id, _, bank_day, _, booked, ..]| {
        let day = if bank_day.is_empty() {
            booked
        } else {
            bank_day
        };
        (id.clone(), day.clone(), booked.clone())
    });
    let counted: serde_json::Map<String, Value> = KINDS
        .iter()
        .map(|kind| {
            let count = findings.iter().filter(|row| row[6] == *kind).count();
            ((*kind).to_owned(), json!(count))
        })
        .collect();
    Audit {
        sums: json!({"dues": dues, "paid": met, "findings": counted, "orders": sums}),
        findings,
        register: write_register(register, &orders),
    }
}

#[derive(Default)]
struct Judged {
    findings: Vec<[String; 7]>,
    dues: usize,
    met: usize,
    expected: Decimal,
    paid: Decimal,
}

fn judge(order: &Order, holidays: &Holidays, payments: &[Payment]) -> Judged {
    let mut mine: Vec<&Payment> = payments
        .iter()
        .filter(|payment| order.numbers.contains(&payment.number))
        .collect();
    let mut take = |bank_day: Date| -> Vec<&Payment> {
        let within = |payment: &&Payment| {
            let days = (payment.day - bank_day).get_days();
            (0..=GRACE).contains(&days)
        };
        let (taken, left) = mine.iter().copied().partition(within);
        mine = left;
        taken
    };
    // What was due in the year before has its payments first; nobody judges them.
    for (due, _) in order.due(YEAR - 1) {
        take(holidays.bank_day(due));
    }
    let mut judged = Judged::default();
    for (due, amount) in order.due(YEAR) {
        let bank_day = holidays.bank_day(due);
        let taken = take(bank_day);
        judged.dues += 1;
        judged.met += usize::from(!taken.is_empty());
        judged.expected += amount;
        let mut find = |payment: Option<&Payment>, kind: &str| {
            judged.findings.push([
                order.id.clone(),
                dates::iso(due),
                dates::iso(bank_day),
                money(amount),
                payment.map_or(String::new(), |payment| dates::iso(payment.day)),
                payment.map_or(String::new(), |payment| money(payment.amount)),
                kind.to_owned(),
            ]);
        };
        match taken.first() {
            None => find(None, "missing"),
            Some(payment) => match (payment.day > bank_day, payment.amount != amount) {
                (true, true) => find(Some(payment), "late amount"),
                (true, false) => find(Some(payment), "late"),
                (false, true) => find(Some(payment), "amount"),
                (false, false) => {}
            },
        }
        for payment in taken.iter().skip(1) {
            find(Some(payment), "twice");
        }
        judged.paid += taken.iter().map(|payment| payment.amount).sum::<Decimal>();
    }
    for payment in mine {
        judged.paid += payment.amount;
        judged.findings.push([
            order.id.clone(),
            String::new(),
            String::new(),
            String::new(),
            dates::iso(payment.day),
            money(payment.amount),
            "stray".to_owned(),
        ]);
    }
    judged
}

/// The changes that begin by 1 January 2025, less the one that was taken back.
fn apply_changes(orders: &mut BTreeMap<String, Order>) {
    let mut change = |id: &str, from: Date, new: fn(&mut Terms)| {
        let order = orders.get_mut(id).expect("a change names an order");
        let (_, mut terms) = order.terms.last().expect("an order has terms").clone();
        new(&mut terms);
        order.terms.push((from, terms));
    };
    change("S05", date(2024, 6, 1), |terms| terms.day = 5);
    change("S01", date(2024, 7, 1), |terms| {
        terms.amount = Decimal::new(117_485, 2);
    });
    change("S03", date(2024, 10, 1), |terms| {
        terms.amount = Decimal::new(35_000, 2);
    });
    change("S07", date(2025, 1, 1), |terms| {
        terms.amount = Decimal::new(9_000, 2);
    });
    let mut with = |id: &str, new: fn(&mut Order)| {
        new(orders.get_mut(id).expect("a change names an order"));
    };
    with("S01", |order| order.numbers.push("77112".to_owned()));
    with("S02", |order| order.last = Some(date(2024, 8, 28)));
    with("S04", |order| {
        order.pauses = vec![date(2024, 7, 1), date(2024, 8, 1)];
    });
    let swimming = Order {
        id: "S09".to_owned(),
        numbers: vec!["77113".to_owned()],
        payee: "Dolphin Swimming Club".to_owned(),
        terms: vec![(
            Date::MIN,
            Terms {
                amount: Decimal::new(3_800, 2),
                day: 20,
            },
        )],
        every: "month".to_owned(),
        first: date(2024, 9, 20),
        last: None,
        pauses: Vec::new(),
    };
    orders.insert(swimming.id.clone(), swimming);
}

fn write_register(before: &str, orders: &BTreeMap<String, Order>) -> String {
    let header = before.split_inclusive('\n').next().unwrap_or_default();
    let rows = orders.values().map(|order| {
        let (_, terms) = order.terms.last().expect("an order has terms");
        let number = order.numbers.last().expect("an order has a number");
        Csv::line([
            order.id.as_str(),
            number,
            &order.payee,
            &money(terms.amount),
            &terms.day.to_string(),
            &order.every,
            &dates::iso(order.first),
            &order.last.map(dates::iso).unwrap_or_default(),
        ])
    });
    std::iter::once(header.to_owned()).chain(rows).collect()
}

fn money(amount: Decimal) -> String {
    numbers::fixed(amount, 2)
}

pub fn table(findings: &[[String; 7]]) -> String {
    std::iter::once(Csv::line(COLUMNS))
        .chain(findings.iter().map(Csv::line))
        .collect()
}

pub fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).expect("a value in memory becomes JSON") + "\n"
}

/// The paths of the twelve months.
pub fn months() -> impl Iterator<Item = String> {
    (1..=12).map(|month| format!("Bank/Ostermoor Direkt/{YEAR}-{month:02}.csv"))
}
