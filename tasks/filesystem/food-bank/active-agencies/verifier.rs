//! The list of active agencies, computed again from the starting tree.

use std::collections::BTreeMap;

use mcpmark_guest::{Csv, Row, Tree, Verifier};

mcpmark_guest::verifier!(verify);

const HEADER: [&str; 4] = ["agency_id", "name", "town", "parcels_per_week"];

fn verify(task: &mut Verifier) {
    let agencies = active(&task.start());
    let rows: Vec<[String; 4]> = agencies
        .iter()
        .map(|agency| {
            [
                agency.id.clone(),
                agency.name.clone(),
                agency.town.clone(),
                agency.parcels.to_string(),
            ]
        })
        .collect();
    let text: String = std::iter::once(Csv::line(HEADER))
        .chain(rows.iter().map(Csv::line))
        .collect();

    let list = task.file("reports/active-agencies.csv");
    let table = list.csv().header(HEADER);
    task.check("the list has its columns", list.csv().header_is(HEADER));
    task.check(
        "each active agency once, no other",
        table.equal_in_any_order(&rows),
    );
    task.check("sorted by town and name", table.equal(&rows));
    task.check("line ends and quotes as asked for", list.equals(&text));

    let summary = task.file("reports/active-agencies.txt");
    let parcels: u32 = agencies.iter().map(|agency| agency.parcels).sum();
    task.check(
        "the number of agencies",
        summary
            .line(1)
            .equals(&format!("Agencies: {}", agencies.len())),
    );
    task.check(
        "the sum of parcels",
        summary
            .line(2)
            .equals(&format!("Parcels per week: {parcels}")),
    );
    task.check(
        "the largest agency",
        summary.line(3).equals(&largest(&agencies)),
    );
    task.check(
        "three lines and no more",
        summary
            .lines()
            .count_is(3)
            .and(summary.text().ends_with_one_newline()),
    );
    task.unchanged_except(["reports/active-agencies.csv", "reports/active-agencies.txt"]);
}

struct Agency {
    id: String,
    name: String,
    town: String,
    parcels: u32,
}

fn active(start: &Tree) -> Vec<Agency> {
    let table = start.file("partners/agencies.csv").csv().required();
    let mut newest: BTreeMap<&str, &Row> = BTreeMap::new();
    for row in table.rows() {
        newest.insert(row.get("agency_id"), row);
    }
    let mut agencies: Vec<Agency> = newest
        .into_values()
        .filter(|row| is_active(row))
        .map(read)
        .collect();
    agencies.sort_by(|a, b| (&a.town, &a.name).cmp(&(&b.town, &b.name)));
    agencies
}

fn is_active(row: &Row) -> bool {
    let status = row.get("status").trim().to_lowercase();
    // ISO dates compare as text.
    let in_time = row.get("until").is_empty() || row.get("until") >= "2025-07-01";
    ["active", "live", "yes"].contains(&status.as_str()) && in_time
}

fn read(row: &Row) -> Agency {
    let parcels = match row.get("parcels_per_week") {
        "" => 0,
        number => number
            .parse()
            .expect("agencies.csv has whole numbers of parcels"),
    };
    let text = |column| row.get(column).to_owned();
    Agency {
        id: text("agency_id"),
        name: text("name"),
        town: text("town"),
        parcels,
    }
}

fn largest(agencies: &[Agency]) -> String {
    let most = agencies
        .iter()
        .map(|agency| agency.parcels)
        .max()
        .unwrap_or(0);
    let first = agencies
        .iter()
        .filter(|agency| agency.parcels == most)
        .map(|agency| agency.id.as_str())
        .min();
    format!("Largest: {} ({most})", first.unwrap_or("none"))
}
