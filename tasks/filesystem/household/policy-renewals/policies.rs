//! Which policies renew within the span, worked out from the texts of their files.

use std::collections::BTreeMap;

use mcpmark_guest::jiff::{ToSpan, civil::Date, civil::date};
use mcpmark_guest::rust_decimal::Decimal;
use mcpmark_guest::{Csv, dates, numbers};

pub const FOLDER: &str = "Insurance";
pub const LIST: &str = "Insurance/renewals 2025.csv";
pub const SUMMARY: &str = "Insurance/renewals 2025.txt";
pub const COLUMNS: [&str; 6] = [
    "renews",
    "number",
    "insurer",
    "covers",
    "yearly",
    "cancel_by",
];

const TODAY: Date = date(2025, 2, 2);
const FIRST: Date = date(2025, 2, 10);
const LAST: Date = date(2025, 6, 30);

/// What a wrong solution overlooks.
#[derive(Default)]
pub struct Oversights {
    /// A notice of one month is thirty days.
    pub month_as_thirty_days: bool,
    /// A cancelled policy renews like any other.
    pub keeps_the_cancelled: bool,
}

pub struct Policy {
    pub renews: Date,
    pub number: String,
    pub insurer: String,
    pub covers: String,
    pub yearly: Decimal,
    pub cancel_by: Date,
}

impl Policy {
    pub fn row(&self) -> [String; 6] {
        [
            dates::iso(self.renews),
            self.number.clone(),
            self.insurer.clone(),
            self.covers.clone(),
            numbers::fixed(self.yearly, 2),
            dates::iso(self.cancel_by),
        ]
    }
}

/// Whether a file of the folder is a policy that holds.
pub fn holds(name: &str) -> bool {
    let is_leftover = ["(old)", "(copy)", "(draft)", "(1)"]
        .iter()
        .any(|word| name.contains(word));
    name.ends_with(".ini") && !is_leftover
}

/// The policies on the list, in order.
pub fn renewing<'a>(
    files: impl IntoIterator<Item = &'a String>,
    oversights: &Oversights,
) -> Vec<Policy> {
    let mut policies: Vec<Policy> = files
        .into_iter()
        .filter_map(|text| read(text, oversights))
        .collect();
    policies.sort_by(|a, b| (a.renews, &a.number).cmp(&(b.renews, &b.number)));
    policies
}

fn read(text: &str, oversights: &Oversights) -> Option<Policy> {
    let keys: BTreeMap<&str, &str> = text
        .lines()
        .filter(|line| !line.starts_with(';'))
        .filter_map(|line| line.split_once(" = "))
        .collect();
    let status = keys["status"].to_lowercase();
    let renews = ["active", "in force", "running"].contains(&status.as_str())
        || (oversights.keeps_the_cancelled && status == "cancelled");
    if !renews {
        return None;
    }
    let renews = dates::parse(keys["renews"], &[dates::ISO, dates::DAY_FIRST]).ok()?;
    if renews < FIRST || renews > LAST {
        return None;
    }
    let premium = numbers::parse(keys["amount"]).expect("a premium is a number");
    let times = match keys["paid"] {
        "monthly" => 12,
        "quarterly" => 4,
        "yearly" => 1,
        other => panic!("a premium is paid {other:?}"),
    };
    let (count, unit) = keys["before"].split_once(' ').expect("a count and a unit");
    let count: i64 = count.parse().expect("a notice counts units");
    let notice = match unit {
        "days" => count.days(),
        "weeks" => count.weeks(),
        "month" if oversights.month_as_thirty_days => (30 * count).days(),
        "month" => count.months(),
        other => panic!("a notice in {other:?}"),
    };
    Some(Policy {
        renews,
        number: keys["number"].to_owned(),
        insurer: keys["insurer"].to_owned(),
        covers: keys["covers"].to_owned(),
        yearly: premium * Decimal::from(times),
        cancel_by: renews.saturating_sub(notice),
    })
}

pub fn list(policies: &[Policy]) -> String {
    std::iter::once(Csv::line(COLUMNS))
        .chain(policies.iter().map(|policy| Csv::line(policy.row())))
        .collect()
}

pub fn summary_lines(policies: &[Policy]) -> [String; 3] {
    let next = policies
        .iter()
        .filter(|policy| policy.cancel_by >= TODAY)
        .min_by_key(|policy| (policy.cancel_by, &policy.number))
        .expect("a letter can still be sent");
    let yearly: Decimal = policies.iter().map(|policy| policy.yearly).sum();
    [
        format!("Policies: {}", policies.len()),
        format!("Yearly: {}", numbers::fixed(yearly, 2)),
        format!(
            "Next letter: {} {}",
            dates::iso(next.cancel_by),
            next.number
        ),
    ]
}
