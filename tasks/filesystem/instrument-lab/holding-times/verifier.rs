//! The register and the holding times, worked out from the starting tree.

#[path = "../lab.rs"]
mod lab;
mod rules;

use mcpmark_guest::{Numbers, Verifier};
use rules::{CHANGES, CHANGES_HEADER, HEADER, REGISTER, SUMMARY, Slips, TABLE};

mcpmark_guest::verifier!(verify);

fn verify(task: &mut Verifier) {
    let expected = rules::work_out(&mut task.start(), &Slips::default());

    let register = task.file(REGISTER);
    for (column, name) in [(6, "received"), (7, "status")] {
        let cells = |text: &str| -> Vec<String> {
            let lines = text.split("\r\n").filter(|line| line.starts_with("LQ24-"));
            lines
                .map(|line| line.split(';').nth(column).unwrap_or_default().to_owned())
                .collect()
        };
        let found = register.text().map(|text| cells(text));
        task.check(
            format!("{name} in the register"),
            found.equal(cells(&expected.register)),
        );
    }
    task.check(
        "every other byte of the register",
        register.equals(&expected.register),
    );

    let changes = task.file(CHANGES);
    let rows = changes.csv().header(CHANGES_HEADER);
    task.check(
        "which cells were changed",
        rows.equal_in_any_order(&expected.changes),
    );
    task.check("the changes in their order", rows.equal(&expected.changes));
    task.check(
        "the bytes of the changes",
        changes.equals(&expected.changes_text()),
    );

    let table = task.file(TABLE);
    task.check("the table has its columns", table.csv().header_is(HEADER));
    let rows = table.csv().header(HEADER);
    task.check(
        "one line per sample and group",
        rows.count_is(expected.rows.len()),
    );
    for (number, name) in HEADER.iter().enumerate().skip(3) {
        let column: Vec<&str> = expected
            .rows
            .iter()
            .map(|row| row[number].as_str())
            .collect();
        task.check(
            format!("{name} of each line"),
            rows.column(name).equal(column),
        );
    }
    task.check(
        "the lines of the table in their order",
        rows.equal(&expected.rows),
    );
    task.check("the bytes of the table", table.equals(&expected.table()));

    let summary = task.file(SUMMARY).json();
    task.check(
        "the keys of the summary",
        summary.keys_are(["month", "samples", "groups", "late"]),
    );
    for key in ["month", "samples", "groups", "late"] {
        let found = summary.at(&format!("/{key}"));
        task.check(
            format!("{key} in the summary"),
            found.equals_with(&expected.summary[key], Numbers::AsWritten),
        );
    }
    task.check(
        "the bytes of the summary",
        task.file(SUMMARY).equals(&expected.summary_text()),
    );
    task.unchanged_except([REGISTER, CHANGES, TABLE, SUMMARY]);
}
