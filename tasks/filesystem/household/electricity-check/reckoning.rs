//! A year of bills worked out from readings, tariff and credits.

use std::collections::BTreeMap;

use mcpmark_guest::jiff::civil::{Date, date};
use mcpmark_guest::rust_decimal::Decimal;
use mcpmark_guest::{Csv, Document, dates, numbers};

pub const FOLDER: &str = "Bills/Electricity";
pub const CHECK: &str = "Bills/Electricity/check 2024.csv";
pub const SUMMARY: &str = "Bills/Electricity/check 2024.txt";
pub const COLUMNS: [&str; 12] = [
    "bill",
    "from",
    "to",
    "days",
    "day_units",
    "night_units",
    "net",
    "vat",
    "credit",
    "due",
    "billed",
    "difference",
];

const OLD_METER: &str = "M-20871";
const FORMS: [&str; 4] = [
    dates::ISO,
    dates::DAY_FIRST,
    dates::POINTS,
    dates::LONG_MONTH,
];

/// What a wrong solution overlooks.
#[derive(Default)]
pub struct Oversights {
    /// Register 1 is day on both meters.
    pub registers_alike: bool,
    /// A whole period is charged at the price of its last day.
    pub one_price_a_bill: bool,
}

/// The texts that the bills come from.
pub struct Papers {
    pub readings: String,
    pub tariff: String,
    pub credits: String,
    pub bills: Vec<String>,
}

pub struct Line {
    bill: String,
    from: Date,
    to: Date,
    days: i64,
    units: [i64; 2],
    net: Decimal,
    vat: Decimal,
    credit: Decimal,
    billed: Decimal,
}

impl Line {
    fn due(&self) -> Decimal {
        self.net + self.vat - self.credit
    }

    fn difference(&self) -> Decimal {
        self.billed - self.due()
    }

    pub fn row(&self) -> [String; 12] {
        let money = |amount: Decimal| numbers::fixed(amount, 2);
        [
            self.bill.clone(),
            dates::iso(self.from),
            dates::iso(self.to),
            self.days.to_string(),
            self.units[0].to_string(),
            self.units[1].to_string(),
            money(self.net),
            money(self.vat),
            money(self.credit),
            money(self.due()),
            money(self.billed),
            money(self.difference()),
        ]
    }
}

/// The bills of 2024 that hold, in order of time.
pub fn lines(papers: &Papers, oversights: &Oversights) -> Vec<Line> {
    let readings = Readings::read(&papers.readings, oversights);
    let tariff = read_tariff(&papers.tariff);
    let mut bills: BTreeMap<Date, Bill> = BTreeMap::new();
    for bill in papers.bills.iter().map(|text| Bill::read(text)) {
        let is_later = bills
            .get(&bill.from)
            .is_none_or(|held| held.issued < bill.issued);
        if bill.from.year() == 2024 && is_later {
            bills.insert(bill.from, bill);
        }
    }
    bills
        .into_values()
        .map(|bill| {
            let days = period(bill.from, bill.to);
            let units = readings.used(bill.from, bill.to);
            let prices: Vec<&Price> = days.iter().map(|day| price_on(&tariff, *day)).collect();
            let net = numbers::half_up(charge(&days, &prices, units, oversights), 2);
            Line {
                bill: bill.number,
                from: bill.from,
                to: bill.to,
                days: days.len() as i64,
                units,
                net,
                vat: numbers::half_up(net * Decimal::new(9, 2), 2),
                credit: credit(&papers.credits, bill.to),
                billed: bill.total,
            }
        })
        .collect()
}

fn charge(days: &[Date], prices: &[&Price], units: [i64; 2], oversights: &Oversights) -> Decimal {
    let last = prices[prices.len() - 1];
    let before = prices.iter().filter(|price| **price != last).count();
    let first = if oversights.one_price_a_bill {
        last
    } else {
        prices[0]
    };
    let mut sum = Decimal::ZERO;
    for (register, units) in units.into_iter().enumerate() {
        let share =
            Decimal::from(units) * Decimal::from(before as u64) / Decimal::from(days.len() as u64);
        let earlier = numbers::half_up(share, 0);
        let later = Decimal::from(units) - earlier;
        sum +=
            (earlier * first.cents[register] + later * last.cents[register]) / Decimal::ONE_HUNDRED;
    }
    for (day, price) in days.iter().zip(prices) {
        sum += price.standing;
        if day.day() == 1 {
            sum += price.levy;
        }
    }
    sum
}

fn period(from: Date, to: Date) -> Vec<Date> {
    from.series(mcpmark_guest::jiff::Span::new().days(1))
        .take_while(|day| *day <= to)
        .collect()
}

#[derive(PartialEq)]
struct Price {
    from: Date,
    cents: [Decimal; 2],
    standing: Decimal,
    levy: Decimal,
}

fn read_tariff(text: &str) -> Vec<Price> {
    let document = Document::parse(text);
    let tables = document.tables();
    let number = |cell: &String| numbers::parse(cell).expect("a price is a number");
    tables[0]
        .1
        .iter()
        .map(|row| Price {
            from: day(&row[0]),
            cents: [number(&row[1]), number(&row[2])],
            standing: number(&row[3]),
            levy: number(&row[4]),
        })
        .collect()
}

fn price_on(tariff: &[Price], day: Date) -> &Price {
    tariff
        .iter()
        .rfind(|price| price.from <= day)
        .expect("the tariff covers the year")
}

struct Bill {
    number: String,
    issued: Date,
    from: Date,
    to: Date,
    total: Decimal,
}

impl Bill {
    fn read(text: &str) -> Self {
        let after = |label: &str| {
            text.lines()
                .find_map(|line| line.strip_prefix(label))
                .unwrap_or_else(|| panic!("a bill has {label:?}"))
        };
        let (from, to) = after("Period: ").split_once(" to ").expect("two days");
        let number = after("Bill ").split(' ').next().unwrap_or_default();
        Self {
            number: number.to_owned(),
            issued: day(after("Issued: ")),
            from: day(from),
            to: day(to),
            total: numbers::parse(after("Total due: EUR ")).expect("a total is a number"),
        }
    }
}

fn credit(text: &str, end: Date) -> Decimal {
    let month = end.strftime("that ends in %B %Y").to_string();
    text.lines()
        .find(|line| line.ends_with(&month))
        .and_then(|line| line.split_whitespace().next())
        .map_or(Decimal::ZERO, |amount| {
            numbers::parse(amount).expect("a credit is a number")
        })
}

/// Readings by meter, register and day, each with its rank: the highest counts.
struct Readings(BTreeMap<(String, usize, Date), (u8, i64)>);

impl Readings {
    fn read(text: &str, oversights: &Oversights) -> Self {
        let table = Csv::lenient()
            .ragged()
            .read(text.trim_start_matches('\u{feff}'))
            .expect("the readings are CSV");
        let mut readings = BTreeMap::new();
        for row in table.rows() {
            let meter = row.get("meter");
            let is_night = match row.get("register") {
                "1" => meter != OLD_METER && !oversights.registers_alike,
                _ => meter == OLD_METER || oversights.registers_alike,
            };
            let rank = match row.get("how") {
                "estimate" => 0,
                "read" | "first" | "last" => 1,
                "corrected" => 2,
                other => panic!("a reading that is {other:?}"),
            };
            let units: i64 = row.get("kWh").parse().expect("a reading is a number");
            let key = (
                meter.to_owned(),
                usize::from(is_night),
                day(row.get("read on")),
            );
            let held = readings.entry(key).or_insert((rank, units));
            if rank > held.0 {
                *held = (rank, units);
            }
        }
        Self(readings)
    }

    /// Day and night units of a period, over all meters that have readings in it.
    fn used(&self, from: Date, to: Date) -> [i64; 2] {
        [0, 1].map(|register| {
            let before = from.yesterday().expect("a day has one before it");
            // The meter that was changed has no reading at the end of the period, the new one none before it.
            let change = date(2024, 6, 18);
            let changed = from <= change && change <= to;
            let ends = if changed {
                vec![(before, change), (change, to)]
            } else {
                vec![(before, to)]
            };
            ends.into_iter()
                .map(|(start, end)| self.between(register, start, end))
                .sum()
        })
    }

    fn between(&self, register: usize, start: Date, end: Date) -> i64 {
        self.0
            .iter()
            .filter(|((_, held, day), _)| *held == register && *day == end)
            .find_map(|((meter, ..), (_, last))| {
                let (_, first) = self.0.get(&(meter.clone(), register, start))?;
                Some((last - first).rem_euclid(100_000))
            })
            .expect("a meter was read at both ends")
    }
}

fn day(text: &str) -> Date {
    dates::parse(text, &FORMS).expect("a date in one of the forms of the papers")
}

pub fn table(lines: &[Line]) -> String {
    std::iter::once(Csv::line(COLUMNS))
        .chain(lines.iter().map(|line| Csv::line(line.row())))
        .collect()
}

pub fn summary_lines(lines: &[Line]) -> [String; 5] {
    let sum =
        |amount: fn(&Line) -> Decimal| numbers::fixed(lines.iter().map(amount).sum::<Decimal>(), 2);
    let disputed: Vec<&str> = lines
        .iter()
        .filter(|line| line.difference() > Decimal::ONE)
        .map(|line| line.bill.as_str())
        .collect();
    let disputed = if disputed.is_empty() {
        "none".to_owned()
    } else {
        disputed.join(", ")
    };
    [
        format!("Due: {}", sum(Line::due)),
        format!("Billed: {}", sum(|line| line.billed)),
        format!(
            "Too much: {}",
            sum(|line| line.difference().max(Decimal::ZERO))
        ),
        format!(
            "Too little: {}",
            sum(|line| (-line.difference()).max(Decimal::ZERO))
        ),
        format!("Dispute: {disputed}"),
    ]
}
