//! The time of February, counted again from the starting tree.

mod counting;
#[path = "../office.rs"]
mod office;

use counting::{COLUMNS, HEADER, PEOPLE, PROGRESS, Rules};
use mcpmark_guest::Verifier;

mcpmark_guest::verifier!(verify);

fn verify(task: &mut Verifier) {
    let month = counting::count(&mut task.start(), Rules::ALL);

    let file = task.file(PROGRESS);
    let table = file.csv().header(HEADER);
    task.check(
        "columns of the work in progress",
        file.csv().header_is(HEADER),
    );
    task.check(
        "one line for each matter with time",
        table.count_is(month.matters.len()),
    );
    for (index, what) in [
        (0, "matters, sorted"),
        (1, "clients"),
        (2, "units"),
        (3, "net"),
        (4, "VAT"),
        (5, "gross"),
    ] {
        let expected: Vec<String> = month.matters.iter().map(|row| row[index].clone()).collect();
        task.check(what, table.column(HEADER[index]).equal(expected));
    }
    task.check(
        "the work in progress to the last byte",
        file.equals(&month.progress()),
    );

    let file = task.file(PEOPLE);
    let document = file.markdown();
    let rows: Vec<Vec<String>> = std::iter::once(COLUMNS.map(str::to_owned))
        .chain(month.rows())
        .map(Vec::from)
        .collect();
    task.check(
        "headings of the document",
        document.headings_are(&[(1, "Time in February 2026"), (2, "Cannot be charged")]),
    );
    task.check(
        "people, the highest value first",
        document.table().equal(rows),
    );
    task.check(
        "entries that cannot be charged",
        document
            .section("Cannot be charged")
            .items()
            .equal(month.uncharged.as_slice()),
    );
    task.check(
        "the document to the last byte",
        file.equals(&month.document()),
    );
    task.unchanged_except([PROGRESS, PEOPLE]);
}
