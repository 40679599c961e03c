//! Plays the task; the wrong solutions turn one of the rules off.

use std::collections::HashMap;

use mcpmark_guest::{Csv, Tools};

/// Which rules of the drive are followed.
pub struct Rules {
    /// A recovered file counts only where the depot's notes say so.
    pub heed_notes_on_copies: bool,
    /// Weights in pounds become kilograms.
    pub convert_pounds: bool,
}

/// One kilogram in the unit of all sums: a hundred-millionth of a tenth.
const KILOGRAM: u64 = 1_000_000_000;

struct Counted {
    depot: String,
    reference: String,
    /// `YYYY-MM-DD`
    date: String,
    label: String,
    category: String,
    weight: u64,
}

pub fn play(tools: &mut Tools, rules: &Rules) -> String {
    let readme = tools.read_text("deliveries/README.md");
    let (categories, labels) = read_categories(&tools.read_text("deliveries/categories.md"));
    let corrections = rows(&tools.read_text("deliveries/corrections.csv"));
    let merger = read_minutes(tools);
    let depots: Vec<String> = tools
        .list("deliveries")
        .into_iter()
        .filter(|(_, is_directory)| *is_directory)
        .map(|(name, _)| name)
        .collect();

    let mut counted = Vec::new();
    for depot in &depots {
        let notes = tools.read_text(&format!("deliveries/{depot}/NOTES.txt"));
        let pounds = rules.convert_pounds && notes.contains("pounds");
        let mut all: Vec<Vec<String>> = Vec::new();
        for file in chosen_files(tools, depot, &notes, rules) {
            let text = tools.read_text(&format!("deliveries/{depot}/{file}"));
            let mut of_file: Vec<Vec<String>> = Vec::new();
            for row in rows(&text) {
                of_file.retain(|other| other[0] != row[0]);
                of_file.push(row);
            }
            all.extend(of_file);
        }
        for correction in corrections.iter().filter(|cells| cells[1] == *depot) {
            let column = match correction[3].as_str() {
                "category" => 3,
                "weight" => 5,
                _ => 6,
            };
            for row in all.iter_mut().filter(|row| row[0] == correction[2]) {
                row[column] = correction[4].clone();
            }
        }
        for row in all {
            let date = iso(&row[1], &notes);
            let status = row[6].trim().to_lowercase();
            let in_quarter = ("2025-04-01"..="2025-06-30").contains(&date.as_str());
            if !in_quarter || !["received", "recd", "ok"].contains(&status.as_str()) {
                continue;
            }
            let label = row[3].trim().to_owned();
            let mut category = labels
                .get(&label.to_lowercase())
                .cloned()
                .unwrap_or("Unsorted".to_owned());
            if category == merger.merged && date >= merger.from {
                category.clone_from(&merger.into);
            }
            // Tenths of a unit; a pound has 45,359,237 hundred-millionths of a kilogram.
            let weight = tenths(&row[5]) * if pounds { 45_359_237 } else { KILOGRAM / 10 };
            counted.push(Counted {
                depot: depot.clone(),
                reference: row[0].clone(),
                date,
                label,
                category,
                weight,
            });
        }
    }

    let total: u64 = counted.iter().map(|row| row.weight).sum();
    tools.write(
        "reports/2025-Q2-intake.json",
        &intake(&counted, &depots, &categories, total),
    );
    tools.write("reports/2025-Q2-unsorted.csv", &unsorted(&counted));
    let last = readme
        .lines()
        .rfind(|line| line.starts_with("- 20"))
        .unwrap_or_default();
    let entry = format!(
        "- 2025-Q2: {} deliveries, {} kg",
        grouped(&counted.len().to_string()),
        grouped(&rounded(total))
    );
    tools.edit("deliveries/README.md", last, &format!("{last}\n{entry}"));
    format!("The second quarter brought {} deliveries.", counted.len())
}

/// Weights in the unit of sums, given tenths of a kilogram or pound times their factor.
fn rounded(weight: u64) -> String {
    let tenth = KILOGRAM / 10;
    let tenths = (weight + tenth / 2) / tenth;
    format!("{}.{}", tenths / 10, tenths % 10)
}

fn tenths(text: &str) -> u64 {
    let digits = text.replace(',', "");
    let (whole, tenth) = digits.split_once('.').unwrap_or((&digits, "0"));
    whole.parse::<u64>().unwrap_or(0) * 10 + tenth.parse::<u64>().unwrap_or(0)
}

fn rows(text: &str) -> Vec<Vec<String>> {
    let table = Csv::strict()
        .read(text.trim_start_matches('\u{feff}'))
        .expect("the file is CSV");
    table
        .rows()
        .iter()
        .map(|row| row.cells().into_iter().map(str::to_owned).collect())
        .collect()
}

fn read_categories(text: &str) -> (Vec<String>, HashMap<String, String>) {
    let (mut names, mut labels) = (Vec::new(), HashMap::new());
    for line in text.lines().filter(|line| line.starts_with("| ")).skip(1) {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        names.push(cells[1].to_owned());
        labels.extend(
            cells[2]
                .split("; ")
                .map(|label| (label.to_lowercase(), cells[1].to_owned())),
        );
    }
    (names, labels)
}

struct Merger {
    from: String,
    merged: String,
    into: String,
}

fn read_minutes(tools: &mut Tools) -> Merger {
    let mut merger = Merger {
        from: "9999".to_owned(),
        merged: String::new(),
        into: String::new(),
    };
    for (name, _) in tools.list("minutes") {
        let text = tools.read_text(&format!("minutes/{name}"));
        for line in text
            .lines()
            .filter(|line| line.starts_with("- From ") && line.contains("of the category"))
        {
            let words: Vec<&str> = line.split(' ').collect();
            let rest = line.split("of the category ").nth(1).unwrap_or_default();
            let sentence = rest.split('.').next().unwrap_or_default();
            let (merged, into) = sentence
                .split_once(", whatever its label, counts as ")
                .unwrap_or_default();
            merger = Merger {
                from: worded(&words[2..5]),
                merged: merged.to_owned(),
                into: into.to_owned(),
            };
        }
    }
    merger
}

/// The files that count: `YYYY-MM.csv`, or what the notes put in its place.
fn chosen_files(tools: &mut Tools, depot: &str, notes: &str, rules: &Rules) -> Vec<String> {
    let names: Vec<String> = tools
        .list(&format!("deliveries/{depot}"))
        .into_iter()
        .map(|(name, _)| name)
        .collect();
    let mut chosen = Vec::new();
    for name in names
        .iter()
        .filter(|name| name.len() == "2025-01.csv".len() && name.ends_with(".csv"))
    {
        let recovered = name.replace(".csv", " recovered.csv");
        let is_better = !rules.heed_notes_on_copies || notes.contains("takes the place");
        let replaced = names.contains(&recovered) && is_better;
        chosen.push(if replaced { recovered } else { name.clone() });
    }
    chosen
}

fn iso(date: &str, notes: &str) -> String {
    let parts = |separator| date.split(separator).collect::<Vec<&str>>();
    if notes.contains("month first") {
        let parts = parts('/');
        padded(parts[2], parts[0], parts[1])
    } else if notes.contains("with slashes") {
        let parts = parts('/');
        padded(parts[2], parts[1], parts[0])
    } else if notes.contains("with points") {
        let parts = parts('.');
        padded(parts[2], parts[1], parts[0])
    } else if notes.contains("short month name") {
        worded(&parts(' '))
    } else {
        date.to_owned()
    }
}

fn worded(parts: &[&str]) -> String {
    let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ];
    let month = months
        .iter()
        .position(|month| parts[1].starts_with(month))
        .unwrap_or(12)
        + 1;
    padded(parts[2], &month.to_string(), parts[0])
}

fn padded(year: &str, month: &str, day: &str) -> String {
    format!("{year}-{month:0>2}-{day:0>2}")
}

fn grouped(number: &str) -> String {
    let (whole, rest) = number
        .find('.')
        .map_or((number, ""), |point| number.split_at(point));
    let mut text = String::new();
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text + rest
}

fn intake(counted: &[Counted], depots: &[String], categories: &[String], total: u64) -> String {
    let mut lines = Vec::new();
    for depot in depots {
        let own: Vec<&Counted> = counted.iter().filter(|row| row.depot == *depot).collect();
        let weight = rounded(own.iter().map(|row| row.weight).sum());
        lines.push(format!(
            "    {{\"depot\": \"{depot}\", \"deliveries\": {}, \"kg\": {weight}}}",
            own.len()
        ));
    }
    let depots = lines.join(",\n");
    let unsorted = "Unsorted".to_owned();
    let lines: Vec<String> = categories
        .iter()
        .chain([&unsorted])
        .map(|category| {
            let own = counted.iter().filter(|row| row.category == *category);
            format!(
                "    \"{category}\": {}",
                rounded(own.map(|row| row.weight).sum())
            )
        })
        .collect();
    format!(
        "{{\n  \"quarter\": \"2025-Q2\",\n  \"deliveries\": {},\n  \"kg\": {},\n  \"depots\": [\n{depots}\n  ],\n  \
         \"categories\": {{\n{}\n  }}\n}}\n",
        counted.len(),
        rounded(total),
        lines.join(",\n")
    )
}

fn unsorted(counted: &[Counted]) -> String {
    let mut own: Vec<&Counted> = counted
        .iter()
        .filter(|row| row.category == "Unsorted")
        .collect();
    own.sort_by_key(|row| (&row.date, &row.depot, &row.reference));
    let mut text = String::from("depot,ref,date,label,kg\n");
    for row in own {
        text.push_str(&Csv::line([
            &row.depot,
            &row.reference,
            &row.date,
            &row.label,
            &rounded(row.weight),
        ]));
    }
    text
}
