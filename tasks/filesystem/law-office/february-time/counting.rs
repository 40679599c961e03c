//! The time of a month: sheets with habits of their own, corrections, rates.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use mcpmark_guest::jiff::civil::Date;
use mcpmark_guest::rust_decimal::Decimal;
use mcpmark_guest::{Csv, Reader, Table, dates, numbers};

use super::office;

pub const PROGRESS: &str = "04 Accounts/2026-02 work in progress.csv";
pub const PEOPLE: &str = "04 Accounts/2026-02 by person.md";
pub const HEADER: [&str; 6] = ["matter", "client", "units", "net", "vat", "gross"];
pub const COLUMNS: [&str; 5] = ["Person", "Charged units", "Hours", "Other units", "Value"];

/// Mistake of a wrong solution.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Mistake {
    /// Takes the newest rate of February for the whole month.
    NewestRates,
    /// Rounds the sum of a matter up to units instead of each entry.
    RoundsTheSum,
    /// Charges waiting at half the rate, as the note says that the partners have overruled.
    ChargesWaiting,
    /// Applies the fixed fee of March to February.
    FixedFeeAtOnce,
    /// Adds the rounded values of the people for the row `All`.
    AddsRoundedValues,
    /// Applies the corrections in the order of the file.
    CorrectionsInFileOrder,
}

const MINUTES: &str = "00 Office/partners' meeting 2026-02-16.md";

/// A line of a sheet, as corrected.
struct Entry {
    person: String,
    line: u64,
    date: Date,
    matter: String,
    time: String,
    activity: String,
}

#[derive(Default)]
pub struct Person {
    pub charged: u64,
    pub other: u64,
    pub value: Decimal,
}

/// What the month came to.
pub struct Month {
    /// Cells of the work in progress.
    pub matters: Vec<[String; 6]>,
    /// Initials and time, the highest value first.
    pub people: Vec<(String, Person)>,
    /// Cells of what cannot be charged.
    pub uncharged: Vec<[String; 4]>,
    adds_rounded_values: bool,
}

pub fn count(drive: &mut impl Reader, mistake: Option<Mistake>) -> Month {
    let makes = |other| mistake == Some(other);
    drive.text("00 Office/conventions.md");
    let mut labels = activities(&drive.text("03 Time/about the time sheets.md"));
    let decided = plain(&drive.text(MINUTES));
    assert!(
        decided.contains("Waiting is not charged any more, for all of February already."),
        "the partners have decided about waiting"
    );
    if !makes(Mistake::ChargesWaiting) {
        labels.remove("waiting");
    }
    let rates = rates(&drive.text("00 Office/rates.csv"));
    let clients = office::clients(&drive.text("01 Clients/clients.csv"), true);
    let matters = office::register(&drive.text("02 Matters/register.csv"));
    let corrections = drive.text("03 Time/2026-02/corrections.csv");

    let mut people: BTreeMap<String, Person> = BTreeMap::new();
    let mut sums: BTreeMap<String, (u64, Decimal)> = BTreeMap::new();
    let mut uncharged = Vec::new();
    for person in ["CW", "IA", "MB", "OP", "RT"] {
        let of_person = people.entry(person.to_owned()).or_default();
        for entry in entries(drive, person, &corrections, mistake) {
            if (entry.date.year(), entry.date.month()) != (2026, 2) {
                continue;
            }
            let minutes = minutes(&entry);
            let units = minutes.div_ceil(6);
            let activity = entry.activity.to_lowercase();
            let Some(share) = labels.get(&activity).filter(|share| !share.is_zero()) else {
                of_person.other += units;
                continue;
            };
            let number = office::matter_number(&entry.matter).unwrap_or_default();
            let matter = matters
                .get(&number)
                .filter(|matter| matter.closed.is_none_or(|closed| closed >= entry.date));
            let Some(matter) = matter else {
                let day = dates::iso(entry.date);
                let cells = [person.to_owned(), day, number, units.to_string()];
                uncharged.push((entry.date, person.to_owned(), entry.line, cells));
                continue;
            };
            let last_day = if makes(Mistake::NewestRates) {
                Date::constant(2026, 2, 28)
            } else {
                entry.date
            };
            let rate = rates
                .iter()
                .filter(|rate| rate.0 == person && rate.1 <= last_day)
                .max_by_key(|rate| rate.1)
                .expect("everybody has a rate")
                .2;
            let billed = if makes(Mistake::RoundsTheSum) {
                Decimal::from(minutes) / Decimal::from(6)
            } else {
                Decimal::from(units)
            };
            let is_fixed = matter.note.contains("fixed fee")
                || (makes(Mistake::FixedFeeAtOnce) && number == "2025/036");
            let value = if is_fixed {
                Decimal::ZERO
            } else {
                billed * rate / Decimal::TEN * share
            };
            of_person.charged += units;
            of_person.value += value;
            let sum = sums.entry(number).or_default();
            sum.0 += units;
            sum.1 += value;
        }
    }

    let fifth = Decimal::new(2, 1);
    let rows = sums.into_iter().filter(|(_, (units, _))| *units > 0);
    let rows = rows.map(|(number, (units, value))| {
        let net = numbers::half_up(value, 2);
        let vat = numbers::half_up(net * fifth, 2);
        let client = clients[&matters[&number].client].name.clone();
        let money = |amount| numbers::fixed(amount, 2);
        [
            number,
            client,
            units.to_string(),
            money(net),
            money(vat),
            money(net + vat),
        ]
    });
    let matters = rows.collect();
    let mut people: Vec<(String, Person)> = people.into_iter().collect();
    people.sort_by(|a, b| b.1.value.cmp(&a.1.value).then(a.0.cmp(&b.0)));
    uncharged.sort();
    Month {
        matters,
        people,
        uncharged: uncharged.into_iter().map(|entry| entry.3).collect(),
        adds_rounded_values: makes(Mistake::AddsRoundedValues),
    }
}

impl Month {
    /// The cells of the table of people.
    pub fn rows(&self) -> Vec<[String; 5]> {
        let row = |name: &str, person: &Person| {
            let tenth = Decimal::new(1, 1);
            [
                name.to_owned(),
                person.charged.to_string(),
                numbers::fixed(Decimal::from(person.charged) * tenth, 1),
                person.other.to_string(),
                numbers::fixed(person.value, 2),
            ]
        };
        let mut all = Person::default();
        for (_, person) in &self.people {
            all.charged += person.charged;
            all.other += person.other;
            all.value += if self.adds_rounded_values {
                numbers::half_up(person.value, 2)
            } else {
                person.value
            };
        }
        let rows = self.people.iter().map(|(name, person)| row(name, person));
        rows.chain([row("All", &all)]).collect()
    }

    pub fn document(&self) -> String {
        let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
        let mut text = "# Time in February 2026\n\n".to_owned();
        text += &line(&COLUMNS.map(str::to_owned));
        text += "|---|---|---|---|---|\n";
        for row in self.rows() {
            text += &line(&row);
        }
        text += "\n## Cannot be charged\n\n| Person | Date | Matter | Units |\n|---|---|---|---|\n";
        for entry in &self.uncharged {
            text += &line(entry);
        }
        text
    }
}

/// A text in one line.
fn plain(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Activities in small letters with the share of the rate at which they are charged.
fn activities(notes: &str) -> BTreeMap<String, Decimal> {
    let mut labels = BTreeMap::new();
    for cells in office::markdown_rows(notes) {
        let share = match cells[0].as_str() {
            "charged in full" => Decimal::ONE,
            "charged at half the rate" => Decimal::new(5, 1),
            _ => continue,
        };
        labels.extend(cells[1].split(", ").map(|word| (word.to_owned(), share)));
    }
    labels
}

fn rates(text: &str) -> Vec<(String, Date, Decimal)> {
    let table = office::table(text);
    let rows = table.rows().iter();
    rows.map(|row| {
        let hourly = numbers::parse(row.get("hourly")).expect("a rate is a number");
        (
            row.get("initials").to_owned(),
            office::day(row.get("from")),
            hourly,
        )
    })
    .collect()
}

/// The entries of a sheet that hold: corrected, none that was struck, none saved twice.
fn entries(
    drive: &mut impl Reader,
    person: &str,
    corrections: &str,
    mistake: Option<Mistake>,
) -> Vec<Entry> {
    let mut entries = match person {
        "CW" => of_lines(&drive.text("03 Time/2026-02/CW.txt")),
        "OP" => of_caseline(&drive.text("03 Time/2026-02/OP.csv")),
        "MB" => of_table(
            &Csv::lenient()
                .separator(b';')
                .read(drive.text("03 Time/2026-02/MB.csv"))
                .expect("the sheet is CSV"),
        ),
        _ => of_table(&office::table(
            &drive.text(&format!("03 Time/2026-02/{person}.csv")),
        )),
    };
    let table = office::table(corrections);
    let mut rows: Vec<_> = table
        .rows()
        .iter()
        .filter(|row| row.get("sheet").starts_with(person))
        .collect();
    if mistake != Some(Mistake::CorrectionsInFileOrder) {
        rows.sort_by_key(|row| office::day(row.get("made_on")));
    }
    let mut struck = BTreeSet::new();
    for row in rows {
        let line: u64 = row.get("line").parse().expect("a line is a number");
        let entry = entries
            .iter_mut()
            .find(|entry| entry.line == line)
            .expect("a correction speaks of an entry");
        let value = row.get("value").to_owned();
        match row.get("field") {
            "matter" => entry.matter = value,
            "time" => entry.time = value,
            "activity" => entry.activity = value,
            _ => drop(struck.insert(line)),
        }
    }
    entries.retain(|entry| !struck.contains(&entry.line));
    for entry in &mut entries {
        person.clone_into(&mut entry.person);
    }
    entries
}

fn of_table(table: &Table) -> Vec<Entry> {
    let mut seen = HashSet::new();
    let rows = table.rows().iter();
    rows.filter(|row| seen.insert(row.cells().join("\u{1}")))
        .map(|row| {
            let time = match row.try_get("from") {
                Some(from) => format!("{from}-{}", row.get("to")),
                None => row
                    .try_get("units")
                    .unwrap_or_else(|| row.get("duration"))
                    .to_owned(),
            };
            Entry {
                person: String::new(),
                line: row.line(),
                date: office::day(row.get("date")),
                matter: row.get("matter").to_owned(),
                time,
                activity: row.get("activity").to_owned(),
            }
        })
        .collect()
}

fn of_caseline(text: &str) -> Vec<Entry> {
    let (_, below) = text.split_once('\n').expect("an export has a first line");
    let table = office::table(below);
    let rows = table.rows().iter();
    rows.filter(|row| row.get("Deleted") != "Y")
        .map(|row| Entry {
            person: String::new(),
            line: row.line() + 1,
            date: dates::parse(row.get("Date"), &[dates::MONTH_FIRST])
                .expect("an export has dates"),
            matter: row.get("Matter").to_owned(),
            time: row.get("Mins").to_owned(),
            activity: row.get("Act").to_owned(),
        })
        .collect()
}

fn of_lines(text: &str) -> Vec<Entry> {
    let mut seen = HashSet::new();
    let lines = (1..).zip(text.lines());
    lines
        .filter(|(_, line)| !line.starts_with('#') && seen.insert(*line))
        .map(|(line, text)| {
            let cells: Vec<&str> = text.split('|').map(str::trim).collect();
            Entry {
                person: String::new(),
                line,
                date: office::day(cells[0]),
                matter: cells[1].to_owned(),
                time: cells[2].to_owned(),
                activity: cells[3].to_owned(),
            }
        })
        .collect()
}

fn minutes(entry: &Entry) -> u64 {
    let number = |text: &str| -> u64 {
        text.parse()
            .unwrap_or_else(|_| panic!("no time: {:?}", entry.time))
    };
    let clock = |text: &str| {
        let (hour, minute) = text.split_once(':').expect("a time of day");
        number(hour) * 60 + number(minute)
    };
    match entry.person.as_str() {
        "RT" => number(&entry.time) * 6,
        "IA" => {
            let (from, to) = entry.time.split_once('-').expect("from and to");
            (clock(to) + 24 * 60 - clock(from)) % (24 * 60)
        }
        "MB" => match entry.time.split_once('h') {
            Some((hours, "")) => number(hours) * 60,
            Some((hours, rest)) => number(hours) * 60 + number(rest),
            None => number(entry.time.trim_end_matches('m')),
        },
        "CW" => {
            let hours = numbers::parse(&entry.time).expect("hours are a number");
            let minutes = hours * Decimal::from(60);
            number(&minutes.normalize().to_string())
        }
        _ => number(&entry.time),
    }
}
