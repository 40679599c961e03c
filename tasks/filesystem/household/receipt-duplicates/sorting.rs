//! Which scans are receipts, which of them are the same, and which is kept.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use mcpmark_guest::jiff::civil::Date;
use mcpmark_guest::rust_decimal::Decimal;
use mcpmark_guest::{Csv, dates, numbers};

pub const SCANS: &str = "Receipts/Scans December";
pub const DUPLICATES: &str = "Receipts/duplicates";
pub const SLIPS: &str = "Receipts/slips";
pub const SHOPS: &str = "Receipts/shops.csv";
pub const EARLIER: &str = "Receipts/November index.csv";
pub const INDEX: &str = "Receipts/December index.csv";
pub const TOTALS: &str = "Receipts/totals.md";
pub const COLUMNS: [&str; 6] = ["date", "shop", "receipt", "total", "kept", "copies"];

const FORMS: [&str; 3] = [dates::DAY_FIRST, "%d.%m.%y", "%d-%b-%Y"];

/// What a wrong solution overlooks.
#[derive(Default)]
pub struct Oversights {
    /// Shop, day and total make a receipt, not its number.
    pub same_total_same_receipt: bool,
    /// The longest scan is kept, be it the reprint or not.
    pub keeps_the_reprint: bool,
}

/// What becomes of the scans.
#[derive(Default)]
pub struct Sorted {
    /// The receipts that are kept, in the order of the index.
    pub kept: Vec<Receipt>,
    /// Names of scans.
    pub duplicates: BTreeSet<String>,
    /// Names of scans.
    pub slips: BTreeSet<String>,
}

#[derive(Clone)]
pub struct Receipt {
    pub name: String,
    date: Date,
    shop: String,
    number: u64,
    total: Decimal,
    is_reprint: bool,
    lines: usize,
    copies: usize,
}

impl Receipt {
    pub fn row(&self) -> [String; 6] {
        [
            dates::iso(self.date),
            self.shop.clone(),
            self.number.to_string(),
            numbers::fixed(self.total, 2),
            self.name.clone(),
            self.copies.to_string(),
        ]
    }

    fn read(name: &str, text: &str, shops: &BTreeMap<String, String>) -> Option<Self> {
        let lines: Vec<&str> = text
            .lines()
            .map(str::trim)
            .filter(|line| !line.is_empty())
            .collect();
        let shop = shops.get(&lines.first()?.to_lowercase())?;
        let (number, rest) = lines.iter().find_map(|line| numbered(line))?;
        let date = rest
            .split_whitespace()
            .find_map(|word| dates::parse(word, &FORMS).ok())
            .expect("a receipt is dated behind its number");
        let total = lines
            .iter()
            .find_map(|line| total(line))
            .expect("a receipt has a total");
        Some(Self {
            name: name.to_owned(),
            date,
            shop: shop.clone(),
            number,
            total,
            is_reprint: text.contains("DUPLICATE"),
            lines: lines.len(),
            copies: 0,
        })
    }
}

/// The number of a receipt and what stands behind it on its line.
fn numbered(line: &str) -> Option<(u64, &str)> {
    let lower = line.to_lowercase();
    let label = ["receipt no ", "rcpt #", "bon "]
        .iter()
        .find(|label| lower.starts_with(**label))?;
    let rest = &line[label.len()..];
    let end = rest
        .find(|character: char| !character.is_ascii_digit())
        .unwrap_or(rest.len());
    Some((rest[..end].parse().ok()?, &rest[end..]))
}

fn total(line: &str) -> Option<Decimal> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let amount = match words[..] {
        ["TOTAL", "EUR" | "€", amount] | ["TOTAL", amount] => amount,
        _ => return None,
    };
    numbers::parse(&amount.replace(',', "")).ok()
}

/// Sorts scans, given as name and text, by the shops and the index of the month before.
pub fn sort(
    scans: &[(String, String)],
    shops: &str,
    earlier: &str,
    oversights: &Oversights,
) -> Sorted {
    let shops: BTreeMap<String, String> = Csv::lenient()
        .read(shops)
        .expect("the shops are CSV")
        .rows()
        .iter()
        .map(|row| {
            (
                row.get("printed_as").to_lowercase(),
                row.get("shop").to_owned(),
            )
        })
        .collect();
    let earlier: BTreeSet<[String; 3]> = Csv::lenient()
        .read(earlier)
        .expect("the index of November is CSV")
        .rows()
        .iter()
        .map(|row| ["date", "shop", "receipt"].map(|column| row.get(column).to_owned()))
        .collect();

    let mut sorted = Sorted::default();
    let mut same: BTreeMap<(Date, String, String), Vec<Receipt>> = BTreeMap::new();
    for (name, text) in scans {
        if text.contains("CARDHOLDER COPY") {
            sorted.slips.insert(name.clone());
        } else if let Some(receipt) = Receipt::read(name, text, &shops) {
            let [date, shop, number, total, ..] = receipt.row();
            if earlier.contains(&[date, shop.clone(), number.clone()]) {
                sorted.duplicates.insert(name.clone());
                continue;
            }
            let told_by = if oversights.same_total_same_receipt {
                total
            } else {
                number
            };
            same.entry((receipt.date, shop, told_by))
                .or_default()
                .push(receipt);
        }
    }
    for mut receipts in same.into_values() {
        receipts.sort_by_key(|receipt| {
            let gives_way = receipt.is_reprint && !oversights.keeps_the_reprint;
            (gives_way, Reverse(receipt.lines), receipt.name.clone())
        });
        let mut kept = receipts.remove(0);
        kept.copies = receipts.len();
        sorted.kept.push(kept);
        sorted
            .duplicates
            .extend(receipts.into_iter().map(|receipt| receipt.name));
    }
    sorted
        .kept
        .sort_by(|a, b| (a.date, &a.shop, a.number).cmp(&(b.date, &b.shop, b.number)));
    sorted
}

pub fn index(kept: &[Receipt]) -> String {
    std::iter::once(Csv::line(COLUMNS))
        .chain(kept.iter().map(|receipt| Csv::line(receipt.row())))
        .collect()
}

/// The row of December as the world has it, and as it is filled in.
pub fn december(kept: &[Receipt]) -> (&'static str, String) {
    let sum = numbers::fixed(kept.iter().map(|receipt| receipt.total).sum(), 2);
    let digits = sum.find('.').expect("two decimals were asked for");
    let sum = match digits {
        4..=6 => format!("{},{}", &sum[..digits - 3], &sum[digits - 3..]),
        _ => sum,
    };
    (
        "| December | | |",
        format!("| December | {} | {sum} |", kept.len()),
    )
}
