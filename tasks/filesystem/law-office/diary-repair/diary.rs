//! The diary, brought in line with the deadlines.

use std::collections::BTreeSet;

use mcpmark_guest::{Csv, Reader, dates, serde_json};

use crate::deadlines::{Cases, Deadline};
use crate::office;

pub const DEADLINES: &str = "06 Diary/deadlines 2026-03-02.json";
pub const DIARY: &str = "06 Diary/diary 2026.csv";
pub const HEADER: [&str; 6] = ["date", "kind", "matter", "entry", "handler", "state"];

/// The two files.
pub struct Result {
    /// The deadlines that are not done yet, by day, matter and step.
    pub deadlines: serde_json::Value,
    /// The rows of the diary.
    pub rows: Vec<[String; 6]>,
}

pub fn repair(drive: &mut impl Reader, cases: &Cases) -> Result {
    drive.text("06 Diary/about the diary.txt");
    let diary = office::table(&drive.text(DIARY));
    let mut rows: Vec<[String; 6]> = diary
        .rows()
        .iter()
        .map(|row| {
            let mut cells = HEADER.map(|name| row.get(name).to_owned());
            cells[0] = dates::iso(office::day(&cells[0]));
            cells
        })
        .collect();

    let step_of = |entry: &str| {
        let entry = entry.trim().to_lowercase();
        let step = cases
            .steps
            .iter()
            .find(|step| step.in_the_diary.contains(&entry));
        step.map(|step| step.name.clone())
    };
    let at_court = |row: &[String; 6]| cases.hearings.contains_key(&row[2]);
    let mut done = BTreeSet::new();
    for row in rows.iter().filter(|row| row[1] == "deadline") {
        if row[5] == "done" {
            done.extend(step_of(&row[3]).map(|step| (row[2].clone(), step)));
        }
    }
    let wanted: Vec<&Deadline> = cases
        .deadlines
        .iter()
        .filter(|deadline| !done.contains(&(deadline.matter.clone(), deadline.step.clone())))
        .collect();

    let mut seen = BTreeSet::new();
    for row in rows.iter_mut().filter(|row| row[5] == "open") {
        if !at_court(row) {
            continue;
        }
        let day = match row[1].as_str() {
            "deadline" => {
                let step = step_of(&row[3]).expect("a deadline names a step");
                let deadline = wanted
                    .iter()
                    .find(|deadline| deadline.matter == row[2] && deadline.step == step);
                let Some(deadline) = deadline else {
                    "vacated".clone_into(&mut row[5]);
                    continue;
                };
                if !seen.insert((row[2].clone(), step)) {
                    "duplicate".clone_into(&mut row[5]);
                    continue;
                }
                deadline.day
            }
            "hearing" => cases.hearings[&row[2]].expect("a case with a hearing in the diary"),
            _ => continue,
        };
        row[0] = dates::iso(day);
        row[4].clone_from(&cases.matters[&row[2]].handler);
    }
    for deadline in &wanted {
        if !seen.contains(&(deadline.matter.clone(), deadline.step.clone())) {
            rows.push([
                dates::iso(deadline.day),
                "deadline".into(),
                deadline.matter.clone(),
                deadline.step.clone(),
                deadline.handler.clone(),
                "open".into(),
            ]);
        }
    }
    rows.sort_by(|a, b| (&a[0], &a[2], &a[1], &a[3]).cmp(&(&b[0], &b[2], &b[1], &b[3])));
    Result {
        deadlines: wanted.iter().map(|deadline| deadline.json()).collect(),
        rows,
    }
}

impl Result {
    pub fn json(&self) -> String {
        let text = serde_json::to_string_pretty(&self.deadlines);
        text.expect("a value in memory becomes JSON") + "\n"
    }

    pub fn csv(&self) -> String {
        std::iter::once(Csv::line(HEADER))
            .chain(self.rows.iter().map(Csv::line))
            .collect()
    }
}
