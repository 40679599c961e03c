//! Plays the task; the wrong solutions turn one of the rules off.

use mcpmark_guest::{Csv, Tools};

/// Which rules of the list are followed.
pub struct Rules {
    /// The lower of two lines for an agency holds.
    pub last_line_holds: bool,
    /// An agency whose last day is over is left out.
    pub heed_last_day: bool,
}

pub fn play(tools: &mut Tools, rules: &Rules) -> String {
    tools.list("partners");
    tools.read_text("partners/README.md");
    let source = Csv::strict()
        .read(&tools.read_text("partners/agencies.csv"))
        .expect("the list is CSV");

    let mut list: Vec<Vec<String>> = Vec::new();
    for row in source.rows() {
        let cells: Vec<String> = row.cells().into_iter().map(str::to_owned).collect();
        match list.iter_mut().find(|other| other[0] == cells[0]) {
            Some(other) if rules.last_line_holds => *other = cells,
            Some(_) => {}
            None => list.push(cells),
        }
    }
    list.retain(|cells| {
        let over = !cells[6].is_empty() && cells[6].as_str() < "2025-07-01";
        matches!(
            cells[3].trim().to_ascii_lowercase().as_str(),
            "active" | "live" | "yes"
        ) && !(rules.heed_last_day && over)
    });
    list.sort_by_key(|cells| (cells[2].clone(), cells[1].clone()));

    let mut report = String::from("agency_id,name,town,parcels_per_week\n");
    let (mut sum, mut largest) = (0, (0, String::new()));
    for cells in &list {
        let parcels: u32 = cells[5].parse().unwrap_or(0);
        report.push_str(&Csv::line([
            &cells[0],
            &cells[1],
            &cells[2],
            &parcels.to_string(),
        ]));
        sum += parcels;
        if largest.1.is_empty()
            || parcels > largest.0
            || (parcels == largest.0 && cells[0] < largest.1)
        {
            largest = (parcels, cells[0].clone());
        }
    }
    tools.write("reports/active-agencies.csv", &report);
    let summary = format!(
        "Agencies: {}\nParcels per week: {sum}\nLargest: {} ({})\n",
        list.len(),
        largest.1,
        largest.0
    );
    tools.write("reports/active-agencies.txt", &summary);
    format!(
        "Listed {} active agencies in reports/active-agencies.csv.",
        list.len()
    )
}
