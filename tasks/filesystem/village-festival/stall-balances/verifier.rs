//! Judges `balances 2025.csv` and `balances summary.txt` by the lists and fees of the starting world.

use std::collections::{BTreeMap, BTreeSet};

use mcpmark_guest::{Csv, Row, Verifier, dates, jiff::civil::Date, numbers, rust_decimal::Decimal};

mcpmark_guest::verifier!(verify);

const BALANCES: &str = "04 Stalls/balances 2025.csv";
const SUMMARY: &str = "04 Stalls/balances summary.txt";
const COLUMNS: [&str; 5] = ["ref", "trader", "fee", "paid", "balance"];

fn verify(task: &mut Verifier) {
    let stalls = stalls(task);
    let column =
        |cell: fn(&Stall) -> String| -> Vec<String> { stalls.values().map(cell).collect() };

    let file = task.file(BALANCES);
    let rows = file.csv().header(COLUMNS);
    task.check("columns of the balances", file.csv().header_is(COLUMNS));
    task.check(
        "one line for each trader with a pitch",
        rows.count_is(stalls.len()),
    );
    task.check(
        "refs, sorted",
        rows.column("ref")
            .equal(column(|stall| stall.reference.clone())),
    );
    task.check(
        "traders",
        rows.column("trader")
            .equal(column(|stall| stall.trader.clone())),
    );
    task.check(
        "fees",
        rows.column("fee").equal(column(|stall| money(stall.fee))),
    );
    task.check(
        "payments",
        rows.column("paid").equal(column(|stall| money(stall.paid))),
    );
    task.check(
        "balances",
        rows.column("balance")
            .equal(column(|stall| money(stall.balance()))),
    );
    task.check(
        "the balances to the last byte",
        file.equals(&balances(&stalls)),
    );

    let summary = task.file(SUMMARY);
    for (number, line) in (1..).zip(summary_lines(&stalls)) {
        let name = format!("summary: {}", line.split(':').next().unwrap_or_default());
        task.check(name, summary.line(number).equals(&line));
    }
    task.check(
        "the summary ends there",
        summary.equals(&(summary_lines(&stalls).join("\n") + "\n")),
    );

    task.unchanged_except([BALANCES, SUMMARY]);
}

/// A trader with a pitch.
struct Stall {
    reference: String,
    trader: String,
    fee: Decimal,
    paid: Decimal,
}

impl Stall {
    fn balance(&self) -> Decimal {
        self.fee - self.paid
    }
}

/// The traders with a pitch by ref, with what they owe and what they paid up to 15 June 2025.
fn stalls(task: &Verifier) -> BTreeMap<String, Stall> {
    let last_day = day("2025-06-15");
    let mut stalls: BTreeMap<String, Stall> =
        newest_applications(&table(task, "applications 2025.csv"))
            .into_iter()
            .filter(|(_, row)| ["accepted", "confirmed"].contains(&word(row, "status").as_str()))
            .map(|(reference, row)| {
                let trader = row.get("trader").to_owned();
                (
                    reference.clone(),
                    Stall {
                        reference,
                        trader,
                        fee: fee(&row),
                        paid: Decimal::ZERO,
                    },
                )
            })
            .collect();
    let mut seen = BTreeSet::new();
    for row in table(task, "payments received 2025.csv") {
        let bank_id = row.get("bank_id");
        let is_repeated = !bank_id.is_empty() && !seen.insert(bank_id.to_owned());
        if is_repeated || word(&row, "how") == "returned" || day(row.get("date")) > last_day {
            continue;
        }
        if let Some(stall) = stalls.get_mut(&reference(&row)) {
            stall.paid += number(&row.get("amount").replace(['£', ','], ""));
        }
    }
    stalls
}

fn newest_applications(rows: &[Row]) -> BTreeMap<String, Row> {
    let mut newest: BTreeMap<String, Row> = BTreeMap::new();
    for row in rows {
        let held = newest.entry(reference(row)).or_insert_with(|| row.clone());
        if day(row.get("received")) > day(held.get("received")) {
            *held = row.clone();
        }
    }
    newest
}

fn fee(row: &Row) -> Decimal {
    let power = match word(row, "power").get(..2) {
        Some("13") => number("22.50"),
        Some("16") => number("35.00"),
        _ => Decimal::ZERO,
    };
    let kind = word(row, "kind");
    if kind == "charity" {
        return power;
    }
    let metres = number(row.get("frontage_m"));
    let mut pitch = if metres <= number("3") {
        number("85.00")
    } else if metres <= number("6") {
        number("140.00")
    } else {
        number("140.00") + (metres - number("6")).ceil() * number("18.50")
    };
    if ["y", "yes"].contains(&word(row, "parish").as_str()) {
        pitch *= number("0.80");
    }
    let surcharge = match kind.as_str() {
        "hot food" | "food (hot)" => numbers::half_up(pitch * number("0.125"), 2),
        _ => Decimal::ZERO,
    };
    pitch + surcharge + power
}

fn balances(stalls: &BTreeMap<String, Stall>) -> String {
    let mut text = COLUMNS.join(",") + "\n";
    for stall in stalls.values() {
        let trader = if stall.trader.contains(',') {
            format!("\"{}\"", stall.trader)
        } else {
            stall.trader.clone()
        };
        let amounts = [stall.fee, stall.paid, stall.balance()]
            .map(money)
            .join(",");
        text.push_str(&format!("{},{trader},{amounts}\n", stall.reference));
    }
    text
}

fn summary_lines(stalls: &BTreeMap<String, Stall>) -> [String; 6] {
    let balances = || stalls.values().map(Stall::balance);
    let outstanding: Decimal = balances().filter(Decimal::is_sign_positive).sum();
    let overpaid: Decimal = balances().filter(Decimal::is_sign_negative).sum();
    let largest = stalls.values().rev().max_by_key(|stall| stall.balance());
    [
        format!("Traders with a pitch: {}", stalls.len()),
        format!(
            "Fees: {}",
            money(stalls.values().map(|stall| stall.fee).sum())
        ),
        format!(
            "Paid: {}",
            money(stalls.values().map(|stall| stall.paid).sum())
        ),
        format!("Outstanding: {}", money(outstanding)),
        format!("Overpaid: {}", money(-overpaid)),
        largest.map_or_else(String::new, |stall| {
            format!("Largest balance: {} {}", stall.reference, stall.trader)
        }),
    ]
}

fn table(task: &Verifier, name: &str) -> Vec<Row> {
    let text = task.start().file(format!("04 Stalls/{name}")).plain_text();
    text.csv(&Csv::strict()).required().rows().to_vec()
}

/// A label without what means nothing in it.
fn word(row: &Row, column: &str) -> String {
    row.get(column).trim().to_lowercase()
}

fn reference(row: &Row) -> String {
    row.get("ref").trim().to_uppercase()
}

fn day(text: &str) -> Date {
    let formats = [dates::ISO, dates::DAY_FIRST, dates::SHORT_MONTH];
    dates::parse(text, &formats).unwrap_or_else(|reason| panic!("{reason}"))
}

fn number(text: &str) -> Decimal {
    numbers::parse(text).unwrap_or_else(|reason| panic!("{reason}"))
}

fn money(amount: Decimal) -> String {
    numbers::fixed(amount, 2)
}
