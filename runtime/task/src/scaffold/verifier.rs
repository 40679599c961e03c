//! Verifier that compares `file counts.csv` with the files of the starting state.

use std::collections::BTreeMap;

use mcpmark_guest::{Kind, Verifier, content};

mcpmark_guest::verifier!(verify);

const REPORT: &str = "file counts.csv";

fn verify(task: &mut Verifier) {
    // The agent writes this file, so its content is compared. Everything else stays as it was, to the byte.
    let expected = content::csv(["folder", "files"], rows(task)).trimmed();
    task.check("the counts", task.file(REPORT).content_is(expected));
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
