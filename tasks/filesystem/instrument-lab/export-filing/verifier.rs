//! Where each export went, that none was altered, the index and the log.

#[path = "../lab.rs"]
mod lab;
mod rules;

use mcpmark_guest::{Condition, Csv, Verifier};
use rules::{INDEX, LOG, Slips};

mcpmark_guest::verifier!(verify);

fn verify(task: &mut Verifier) {
    let filing = rules::file(&mut task.start(), &Slips::default());

    for entry in &filing.moves {
        let before = task.start().file(&entry.old);
        let moved = task.file(&entry.new).has_bytes_of(&before);
        task.check(
            format!("{}: {}", entry.what, entry.old),
            moved.and(task.file(&entry.old).is_absent()),
        );
    }
    let stayed: Vec<Condition> = filing
        .staying
        .iter()
        .map(|path| task.file(path).is_unchanged())
        .collect();
    task.check("what the rules leave alone stays", Condition::all(stayed));

    let index = task.file(INDEX);
    let sorted = Csv::strict().read(&filing.index).expect("the index is CSV");
    let rows: Vec<String> = sorted
        .rows()
        .iter()
        .map(|row| row.cells().join("|"))
        .collect();
    let found = index.csv().map(|table| {
        table
            .rows()
            .iter()
            .map(|row| row.cells().join("|"))
            .collect::<Vec<_>>()
    });
    task.check(
        "the lines of the index, in any order",
        found.equal_in_any_order(rows.clone()),
    );
    task.check("the index in its order", found.equal(rows));
    task.check("the bytes of the index", index.equals(&filing.index));

    let log = task.file(LOG);
    let lines: Vec<&str> = filing.log.lines().collect();
    task.check(
        "one line in the log for each move",
        log.lines().count_is(lines.len()),
    );
    task.check(
        "the lines of the log, in any order",
        log.lines()
            .equal_in_any_order(lines.iter().map(|line| (*line).to_owned())),
    );
    task.check("the bytes of the log", log.equals(&filing.log));

    let mut changed = vec![INDEX, LOG];
    for entry in &filing.moves {
        changed.extend([entry.old.as_str(), entry.new.as_str()]);
    }
    task.unchanged_except(changed);
}
