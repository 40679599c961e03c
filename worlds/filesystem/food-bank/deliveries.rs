//! Deliveries by depot and month, with their notes, copies and corrections.

use mcpmark_guest::jiff::ToSpan;
use mcpmark_guest::jiff::civil::Date;
use mcpmark_guest::{Csv, NewFile, Random, World};

use crate::people::Volunteer;
use crate::words::{Depot, Facts, day, morning, sloppy, tenths};

/// Categories, with the labels under which their goods arrive.
const LABELS: [(&str, &[&str]); 7] = [
    ("Fresh", &["Fresh", "Fruit & veg", "Veg", "Fresh produce"]),
    ("Chilled", &["Chilled", "Fridge", "Dairy"]),
    ("Tinned", &["Tinned", "Tins", "Canned", "Tinned goods"]),
    ("Dry goods", &["Dry goods", "Dry", "Pasta/rice", "Ambient"]),
    ("Bakery", &["Bakery", "Bread", "Baked goods"]),
    ("Toiletries", &["Toiletries", "Hygiene", "Soap etc."]),
    ("Baby", &["Baby", "Nappies", "Baby food"]),
];

const UNKNOWN: [&str; 5] = ["Pet food", "Misc", "Garden, seeds", "Mixed pallet", "???"];

const SUPPLIERS: [&str; 14] = [
    "Harrow Vale Growers",
    "Hill & Sons, Bakers",
    "Corner Stores (Tarn)",
    "Northgate Superstore",
    "St Brannoc's School, harvest table",
    "Ledger Lane Allotments",
    "Dunmore Dairy",
    "The \"Good Apple\" Orchard",
    "Penn, Rowe & Partners",
    "Bexhill Road Chapel",
    "Market traders, Saturday",
    "Anonymous",
    "Vale Wholesale Ltd.",
    "Fairweather Cash & Carry",
];

const RECEIVED: [(&str, u32); 5] = [
    ("received", 12),
    ("Received", 8),
    ("recd", 4),
    ("RECEIVED", 3),
    ("ok", 3),
];
const REFUSED: [(&str, u32); 4] = [
    ("refused", 3),
    ("Returned", 2),
    ("sent back", 1),
    ("rejected", 2),
];

const REMARKS: [&str; 9] = [
    "",
    "",
    "",
    "",
    "two crates damp, kept",
    "driver early",
    "short-dated, gone by Friday",
    "receipt in tray",
    "bring back the crates",
];

const HEADER: &str = "ref,date,supplier,category,crates,weight,status,remark\n";

#[derive(Clone)]
struct Delivery {
    reference: String,
    date: Date,
    supplier: &'static str,
    label: String,
    crates: i64,
    weight: i64,
    status: String,
    remark: &'static str,
}

impl Delivery {
    fn line(&self, depot: &Depot, grouped: bool) -> String {
        Csv::line([
            self.reference.clone(),
            depot.dates.write(self.date),
            self.supplier.to_owned(),
            self.label.clone(),
            self.crates.to_string(),
            tenths(self.weight, grouped),
            self.status.clone(),
            self.remark.to_owned(),
        ])
    }
}

pub fn write(world: &mut World, facts: &Facts, names: &[Volunteer]) {
    let mut corrections = Vec::new();
    for (index, depot) in facts.depots.iter().enumerate() {
        let mut number = 0;
        for month in 1..=7 {
            let rows = month_rows(world.random(), depot, month, &mut number);
            let name = format!("2025-{month:02}");
            let folder = format!("deliveries/{}", depot.slug);
            let replaced = (facts.replaced.depot, facts.replaced.month) == (index, month);
            let ignored = (facts.ignored.depot, facts.ignored.month) == (index, month);
            if replaced {
                let broken = spoiled(world.random(), &rows);
                put(
                    world,
                    depot,
                    month,
                    &format!("{folder}/{name}.csv"),
                    &broken,
                );
                put(
                    world,
                    depot,
                    month,
                    &format!("{folder}/{name} recovered.csv"),
                    &rows,
                );
            } else {
                put(world, depot, month, &format!("{folder}/{name}.csv"), &rows);
            }
            if ignored {
                let broken = spoiled(world.random(), &rows);
                put(
                    world,
                    depot,
                    month,
                    &format!("{folder}/{name} recovered.csv"),
                    &broken,
                );
            }
            for (_, _, pattern) in facts
                .stale
                .iter()
                .filter(|stale| (stale.0, stale.1) == (index, month))
            {
                let old = spoiled(world.random(), &rows);
                put(
                    world,
                    depot,
                    month,
                    &format!("{folder}/{}", pattern.replace("{}", &name)),
                    &old,
                );
            }
            if (3..=6).contains(&month) {
                corrections.extend(correct(world.random(), depot, &rows));
            }
        }
        let keeper = &names[index * 3];
        let note = notes(
            facts,
            index,
            &format!("{} {}", keeper.forename, keeper.surname),
        );
        world.file(format!("deliveries/{}/NOTES.txt", depot.slug), note);
    }
    write_corrections(world, corrections);
    let text = readme(world.random());
    world.file("deliveries/README.md", text);
    world.file("deliveries/categories.md", categories());
}

/// The rows of one file, in the order in which they were typed.
fn month_rows(random: &mut Random, depot: &Depot, month: i8, number: &mut u32) -> Vec<Delivery> {
    let first = day(month, 1);
    let mut dates: Vec<Date> = Vec::new();
    if month > 1 {
        // Late entries: what came at the end of the month before and was not typed in time.
        dates.extend(
            (0..random.between(1, 2)).map(|_| first.saturating_sub(random.between(1, 3).days())),
        );
    }
    let (count, last) = if month == 7 {
        (random.between(3, 4), 3)
    } else {
        (random.between(9, 13), first.days_in_month())
    };
    dates.extend((0..count).map(|_| day(month, random.between(1, i64::from(last)) as i8)));
    dates.sort();
    let mut rows: Vec<Delivery> = dates
        .into_iter()
        .map(|date| delivery(random, depot, date, number))
        .collect();
    // Typed twice: as it was, or with a later weighing. The lowest line holds.
    for _ in 0..random.between(0, 2) {
        let at = random.below(rows.len() as u64) as usize;
        let mut again = rows[at].clone();
        if random.chance(2, 3) {
            again.weight += random.between(-15, 40).max(1 - again.weight);
        }
        let to = random.between(at as i64 + 1, rows.len() as i64) as usize;
        rows.insert(to, again);
    }
    rows
}

fn delivery(random: &mut Random, depot: &Depot, date: Date, number: &mut u32) -> Delivery {
    *number += 1;
    let labels = random.pick(&LABELS).1;
    let label = if random.chance(1, 14) {
        *random.pick(&UNKNOWN)
    } else {
        *random.pick(labels)
    };
    let label = if UNKNOWN.contains(&label) {
        label.to_owned()
    } else {
        sloppy(random, label)
    };
    let large = random.chance(1, 12);
    let status = if random.chance(1, 9) {
        *random.weighted(&REFUSED)
    } else {
        *random.weighted(&RECEIVED)
    };
    let supplier = *random.pick(&SUPPLIERS);
    let remark = *random.pick(&REMARKS);
    Delivery {
        reference: format!("{}-{:04}", depot.code, *number),
        date,
        supplier,
        label,
        crates: random.between(1, 24),
        weight: if large {
            random.between(10_005, 19_999)
        } else {
            random.between(35, 3_200)
        },
        status: sloppy(random, status),
        remark,
    }
}

/// The same rows as they were before: some missing, some with other weights.
fn spoiled(random: &mut Random, rows: &[Delivery]) -> Vec<Delivery> {
    let keep = rows.len() * 2 / 3;
    let mut old = rows[..keep].to_vec();
    for row in &mut old {
        if random.chance(1, 3) {
            row.weight += random.between(1, 60);
        }
    }
    old
}

fn put(world: &mut World, depot: &Depot, month: i8, path: &str, rows: &[Delivery]) {
    let mut text = String::from(HEADER);
    for row in rows {
        text.push_str(&row.line(depot, true));
    }
    if depot.crlf {
        text = text.replace('\n', "\r\n");
    }
    if depot.mark {
        text.insert(0, '\u{feff}');
    }
    let saved = if month == 7 {
        day(7, 3)
    } else {
        day(month + 1, 2)
    };
    world.add(NewFile::new(path, text).modified(morning(saved)));
}

/// Corrections of one month, as cells: entered, depot, ref, field, value, reason.
fn correct(random: &mut Random, depot: &Depot, rows: &[Delivery]) -> Vec<(Date, [String; 5])> {
    let mut corrections = Vec::new();
    for _ in 0..random.between(0, 2) {
        let row = random.pick(rows);
        let (field, value, reason) = match random.below(4) {
            0 => (
                "status",
                "refused".to_owned(),
                "driver took it all back, see receipt",
            ),
            1 => {
                let labels = random.pick(&LABELS).1;
                ("category", (*random.pick(labels)).to_owned(), "wrong pile")
            }
            _ => (
                "weight",
                tenths((row.weight + random.between(-30, 90)).max(5), false),
                "weighed again, scales were off",
            ),
        };
        let entered = day(6, 25).saturating_add(random.between(0, 8).days());
        let cells = [
            depot.slug.to_owned(),
            row.reference.clone(),
            field.to_owned(),
            value,
            reason.to_owned(),
        ];
        // Now and then the first correction was wrong too.
        if field == "weight" && random.chance(1, 3) {
            let mut again = cells.clone();
            again[3] = tenths(row.weight + random.between(1, 50), false);
            again[4] = "no, this one".to_owned();
            corrections.push((entered, cells));
            corrections.push((entered.saturating_add(1.day()), again));
        } else {
            corrections.push((entered, cells));
        }
    }
    corrections
}

fn write_corrections(world: &mut World, mut corrections: Vec<(Date, [String; 5])>) {
    corrections.sort_by_key(|(entered, _)| *entered);
    let mut text = String::from("entered,depot,ref,field,value,reason\n");
    for (entered, cells) in corrections {
        let mut line = vec![entered.to_string()];
        line.extend(cells);
        text.push_str(&Csv::line(&line));
    }
    world.file("deliveries/corrections.csv", text);
}

fn notes(facts: &Facts, index: usize, keeper: &str) -> String {
    let depot = &facts.depots[index];
    let mut text = format!(
        "{} depot - notes for whoever adds up the deliveries\n\nKept by {keeper}.\n\n\
         Dates: {}, as in {}.\n",
        depot.name,
        depot.dates.explain(),
        depot.dates.write(day(4, 28)),
    );
    text.push_str(if depot.pounds {
        "Weights: in pounds (lb). Our scales know nothing else. 1 lb = 0.45359237 kg.\n"
    } else {
        "Weights: in kilograms (kg).\n"
    });
    text.push_str("A comma in a weight groups the thousands and means nothing else.\n");
    if facts.replaced.depot == index {
        text.push_str(&format!(
            "\nThe laptop died at the end of that month. \"2025-{0:02} recovered.csv\" takes the place of\n\
             \"2025-{0:02}.csv\", which has half of the rows and wrong weights. Please do not delete either.\n",
            facts.replaced.month
        ));
    }
    if facts.ignored.depot == index {
        text.push_str(&format!(
            "\nThere is a \"2025-{0:02} recovered.csv\" from the data rescue people. It is worse than what we\n\
             had: go on using \"2025-{0:02}.csv\".\n",
            facts.ignored.month
        ));
    }
    text
}

fn readme(random: &mut Random) -> String {
    let mut text = String::from(
        "# Deliveries\n\n\
         One folder per depot, one file per month. Each depot has a `NOTES.txt` that says how it writes dates\n\
         and weights.\n\n\
         ## Which file counts\n\n\
         The file of a month is the one named `YYYY-MM.csv`. Every other CSV file in a depot's folder is a copy\n\
         that somebody kept, and counts for nothing, unless the depot's own `NOTES.txt` says that it takes the\n\
         place of the month's file.\n\n\
         ## Rows\n\n\
         - A delivery that was typed late stands in the file of the following month. Its date is right: go by the\n\
           date of the row, not by the name of the file.\n\
         - When a `ref` stands in a file more than once, the lowest line holds.\n\
         - After that, `corrections.csv` is applied from top to bottom: it replaces the weight (in the depot's own\n\
           unit), the status or the category of a delivery.\n\n\
         ## Status\n\n\
         Case and white space around it mean nothing.\n\n\
         | Written | Means |\n|---|---|\n\
         | received, recd, ok | it came in |\n\
         | refused, returned, sent back, rejected | it did not |\n\n\
         Only what came in is counted.\n\n\
         ## Quarter log\n\n",
    );
    for quarter in ["2024-Q2", "2024-Q3", "2024-Q4", "2025-Q1"] {
        let deliveries = random.between(150, 220);
        let weight = random.between(250_000, 420_000);
        text.push_str(&format!(
            "- {quarter}: {deliveries} deliveries, {}.{} kg\n",
            crate::words::group(weight / 10),
            weight % 10
        ));
    }
    text.push_str("\n## Questions\n\nAsk the depot first, then the office.\n");
    text
}

fn categories() -> String {
    let mut text = String::from(
        "# Categories\n\n\
         What people type, and what it counts as. Case and white space around a label mean nothing. A label that\n\
         is not in this table counts as Unsorted. The board changes this now and then; its minutes say from when,\n\
         and the table is put right at the end of the year only.\n\n\
         | Counts as | Labels |\n|---|---|\n",
    );
    for (category, labels) in LABELS {
        text.push_str(&format!("| {category} | {} |\n", labels.join("; ")));
    }
    text
}
