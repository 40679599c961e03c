//! The reckoning of the solution, in pence. The wrong solutions bend one rule each.

use std::collections::{BTreeMap, HashSet};

use mcpmark_guest::{Tools, serde_json::json};

/// What a wrong solution overlooks.
#[derive(Default)]
pub struct Oversights {
    /// Half a penny goes to the even penny.
    pub rounds_to_even: bool,
    /// Lines that the bank exported twice count twice.
    pub counts_repeats: bool,
}

struct Application {
    trader: String,
    received: u32,
    has_pitch: bool,
    fee: i64,
}

pub fn reckon(tools: &mut Tools, oversights: &Oversights) -> String {
    tools.list("04 Stalls");
    tools.read_text("04 Stalls/about these lists.md");
    tools.read_text("04 Stalls/stall fees 2025.md");
    let applications = tools.read_text("04 Stalls/applications 2025.csv");
    let payments = tools.read_text("04 Stalls/payments received 2025.csv");

    let mut stalls: BTreeMap<String, Application> = BTreeMap::new();
    for fields in records(&applications) {
        let [
            reference,
            trader,
            kind,
            metres,
            power,
            parish,
            status,
            received,
            _,
        ] = fields.as_slice()
        else {
            panic!("an application has other columns: {fields:?}");
        };
        let application = Application {
            trader: trader.clone(),
            received: day_number(received),
            has_pitch: matches!(tidy(status).as_str(), "accepted" | "confirmed"),
            fee: fee(
                &tidy(kind),
                metres,
                power,
                &tidy(parish),
                oversights.rounds_to_even,
            ),
        };
        let reference = reference.trim().to_uppercase();
        if stalls
            .get(&reference)
            .is_none_or(|held| held.received < application.received)
        {
            stalls.insert(reference, application);
        }
    }
    stalls.retain(|_, application| application.has_pitch);

    let mut paid: BTreeMap<String, i64> = BTreeMap::new();
    let mut seen = HashSet::new();
    for fields in records(&payments) {
        let [date, reference, amount, how, bank_id, _] = fields.as_slice() else {
            panic!("a payment has other columns: {fields:?}");
        };
        let repeated = !bank_id.is_empty() && !seen.insert(bank_id.clone());
        if how != "returned"
            && day_number(date) <= 20250615
            && (!repeated || oversights.counts_repeats)
        {
            *paid.entry(reference.trim().to_uppercase()).or_default() += pence(amount);
        }
    }

    let mut table = "ref,trader,fee,paid,balance\n".to_owned();
    let (mut fees, mut received, mut outstanding, mut overpaid) = (0, 0, 0, 0);
    let mut largest: Option<(i64, String)> = None;
    for (reference, stall) in &stalls {
        let paid = paid.get(reference).copied().unwrap_or(0);
        let balance = stall.fee - paid;
        let quote = if stall.trader.contains(',') { "\"" } else { "" };
        table += &format!(
            "{reference},{quote}{}{quote},{},{},{}\n",
            stall.trader,
            pounds(stall.fee),
            pounds(paid),
            pounds(balance)
        );
        fees += stall.fee;
        received += paid;
        outstanding += balance.max(0);
        overpaid += (-balance).max(0);
        if largest.as_ref().is_none_or(|(most, _)| balance > *most) {
            largest = Some((balance, format!("{reference} {}", stall.trader)));
        }
    }
    let summary = format!(
        "Traders with a pitch: {}\nFees: {}\nPaid: {}\nOutstanding: {}\nOverpaid: {}\nLargest balance: {}\n",
        stalls.len(),
        pounds(fees),
        pounds(received),
        pounds(outstanding),
        pounds(overpaid),
        largest.map_or_else(String::new, |(_, name)| name)
    );
    tools.text(
        "write_file",
        &json!({"path": "04 Stalls/balances 2025.csv", "content": table}),
    );
    tools.text(
        "write_file",
        &json!({"path": "04 Stalls/balances summary.txt", "content": summary}),
    );
    "The balances and their summary are in 04 Stalls.".to_owned()
}

/// In tenths of a penny until the surcharge is rounded.
fn fee(kind: &str, metres: &str, power: &str, parish: &str, rounds_to_even: bool) -> i64 {
    let (whole, fraction) = metres.split_once('.').unwrap_or((metres, ""));
    let begun =
        whole.parse::<i64>().unwrap_or(0) + i64::from(fraction.bytes().any(|digit| digit != b'0'));
    let mut pitch = match begun {
        ..=3 => 8500,
        4..=6 => 14000,
        _ => 14000 + (begun - 6) * 1850,
    };
    if parish.starts_with('y') {
        pitch = pitch * 4 / 5;
    }
    let mut surcharge = 0;
    if kind.contains("hot") {
        let half_up = (pitch + 4) / 8;
        let is_tie = pitch % 8 == 4;
        surcharge = if rounds_to_even && is_tie && half_up % 2 == 1 {
            half_up - 1
        } else {
            half_up
        };
    }
    if kind == "charity" {
        (pitch, surcharge) = (0, 0);
    }
    let power = if power.contains("13") {
        2250
    } else if power.contains("16") {
        3500
    } else {
        0
    };
    pitch + surcharge + power
}

/// The records below the header, quotes taken off.
fn records(text: &str) -> Vec<Vec<String>> {
    text.lines()
        .skip(1)
        .map(|line| {
            let mut fields = vec![String::new()];
            let mut quoted = false;
            for character in line.chars() {
                match character {
                    '"' => quoted = !quoted,
                    ',' if !quoted => fields.push(String::new()),
                    other => fields
                        .last_mut()
                        .expect("there is a field from the start")
                        .push(other),
                }
            }
            fields
        })
        .collect()
}

fn tidy(label: &str) -> String {
    label.trim().to_lowercase()
}

/// A date as the number yyyymmdd.
fn day_number(text: &str) -> u32 {
    const MONTHS: &str = "JanFebMarAprMayJunJulAugSepOctNovDec";
    let parts: Vec<&str> = text.trim().split(['/', '-', ' ']).collect();
    let number = |part: &str| {
        part.parse::<u32>()
            .unwrap_or_else(|_| panic!("no date: {text}"))
    };
    match parts.as_slice() {
        [year, month, day] if year.len() == 4 => {
            number(year) * 10000 + number(month) * 100 + number(day)
        }
        [day, month, year] => {
            let month = MONTHS
                .find(month)
                .map_or_else(|| number(month), |at| at as u32 / 3 + 1);
            number(year) * 10000 + month * 100 + number(day)
        }
        _ => panic!("no date: {text}"),
    }
}

fn pence(amount: &str) -> i64 {
    let digits = amount.replace(['£', ',', '.'], "");
    digits
        .parse()
        .unwrap_or_else(|_| panic!("no amount: {amount}"))
}

fn pounds(pence: i64) -> String {
    let sign = if pence < 0 { "-" } else { "" };
    format!("{sign}{}.{:02}", pence.abs() / 100, pence.abs() % 100)
}
