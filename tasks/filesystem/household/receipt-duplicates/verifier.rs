//! Judges where each scan went, the index, and the row of December.

use mcpmark_guest::{Condition, Verifier};

#[allow(dead_code, reason = "the solution uses the rest")]
mod sorting;

use sorting::{COLUMNS, DUPLICATES, EARLIER, INDEX, Oversights, SCANS, SHOPS, SLIPS, TOTALS};

mcpmark_guest::verifier!(verify);

fn verify(task: &mut Verifier) {
    let start = task.start();
    let read = |path: &str| start.file(path).plain_text().required();
    let scans: Vec<(String, String)> = start
        .files(SCANS)
        .required()
        .iter()
        .map(|path| (path[SCANS.len() + 1..].to_owned(), read(path)))
        .collect();
    let sorted = sorting::sort(&scans, &read(SHOPS), &read(EARLIER), &Oversights::default());

    let mut changed = vec![INDEX.to_owned(), TOTALS.to_owned()];
    for (what, folder, names) in [
        (
            "the duplicates are set aside",
            DUPLICATES,
            &sorted.duplicates,
        ),
        ("the slips are set aside", SLIPS, &sorted.slips),
    ] {
        let moved = names.iter().map(|name| {
            let (old, new) = (format!("{SCANS}/{name}"), format!("{folder}/{name}"));
            let is_there = task
                .file(new.as_str())
                .has_bytes_of(&start.file(old.as_str()));
            let is_gone = task.file(old.as_str()).is_absent();
            changed.extend([old, new]);
            is_there.and(is_gone)
        });
        let condition = Condition::all(moved);
        task.check(what, condition);
    }
    let staying = scans
        .iter()
        .map(|(name, _)| name)
        .filter(|name| !sorted.duplicates.contains(*name) && !sorted.slips.contains(*name));
    let staying: Vec<Condition> = staying
        .map(|name| task.file(format!("{SCANS}/{name}")).is_unchanged())
        .collect();
    task.check("all other scans stay", Condition::all(staying));

    let rows: Vec<[String; 6]> = sorted.kept.iter().map(|receipt| receipt.row()).collect();
    let index = task.file(INDEX);
    let table = index.csv().header(COLUMNS);
    task.check("columns of the index", index.csv().header_is(COLUMNS));
    task.check("one line for each receipt", table.count_is(rows.len()));
    task.check(
        "the receipts, in any order",
        table.equal_in_any_order(&rows),
    );
    task.check("the receipts, sorted", table.equal(&rows));
    task.check(
        "the index to the last byte",
        index.equals(&sorting::index(&sorted.kept)),
    );

    let (empty, filled) = sorting::december(&sorted.kept);
    let totals = start.file(TOTALS).text().required();
    task.check(
        "the row of December",
        task.file(TOTALS).text().contains_line(&filled),
    );
    task.check(
        "the totals to the last byte",
        task.file(TOTALS).equals(&totals.replace(empty, &filled)),
    );
    task.unchanged_except(changed);
}
