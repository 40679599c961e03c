//! Verifier that compares `file counts.csv` with the files of the starting state.

use std::collections::BTreeMap;

use mcpmark_guest::{Csv, Kind, Verifier};

mcpmark_guest::verifier!(verify);

const REPORT: &str = "file counts.csv";
const COLUMNS: [&str; 2] = ["folder", "files"];

fn verify(task: &mut Verifier) {
    let rows = rows(task);
    let file = task.file(REPORT);
    let table = file.csv().header(COLUMNS);
    let folders: Vec<&str> = rows.iter().map(|row| row[0].as_str()).collect();

    task.check("columns of the report", file.csv().header_is(COLUMNS));
    task.check("a line for each folder", table.column("folder").equal(folders));
    task.check("the counts", table.equal(&rows));
    task.check("the report to the last byte", file.equals(&text(&rows)));
    task.unchanged_except([REPORT]);
}

/// Returns the expected rows of the report, computed from the starting state.
fn rows(task: &Verifier) -> Vec<[String; 2]> {
    let start = task.start();
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let mut at_the_top = 0;
    for entry in start.list("").required() {
        match entry.kind {
            Kind::Directory => drop(counts.insert(entry.path, 0)),
            Kind::File => at_the_top += 1,
            Kind::Symlink => {}
        }
    }
    for path in start.files("").required() {
        if let Some((folder, _)) = path.split_once('/') {
            *counts.entry(folder.to_owned()).or_default() += 1;
        }
    }
    let total = counts.values().sum::<usize>() + at_the_top;
    let mut rows: Vec<[String; 2]> = counts
        .into_iter()
        .map(|(folder, count)| [folder, count.to_string()])
        .collect();
    rows.push([".".to_owned(), at_the_top.to_string()]);
    rows.push(["total".to_owned(), total.to_string()]);
    rows
}

fn text(rows: &[[String; 2]]) -> String {
    let mut text = Csv::line(COLUMNS);
    for row in rows {
        text += &Csv::line(row);
    }
    text
}
