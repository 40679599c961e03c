//! The states of calibration, worked out from the starting tree.

#[path = "../lab.rs"]
mod lab;
mod rules;

use mcpmark_guest::Verifier;
use rules::{HEADER, SUMMARY, Slips, TABLE};

mcpmark_guest::verifier!(verify);

fn verify(task: &mut Verifier) {
    let expected = rules::report(&mut task.start(), &Slips::default());

    let table = task.file(TABLE).csv();
    task.check("the table has its columns", table.header_is(HEADER));
    let rows = table.header(HEADER);
    task.check(
        "one line per instrument not retired",
        rows.count_is(expected.rows.len()),
    );
    for (number, name) in HEADER.iter().enumerate().skip(2) {
        let of = |row: &[String; 6]| format!("{}: {}", row[0], row[number]);
        let found = rows.map(|table| {
            let cells = table.rows().iter();
            cells
                .map(|row| format!("{}: {}", row.get("instrument"), row.get(name)))
                .collect::<Vec<_>>()
        });
        task.check(
            format!("{name} of each instrument"),
            found.equal_in_any_order(expected.rows.iter().map(of)),
        );
    }
    task.check("sorted by due date and name", rows.equal(&expected.rows));
    task.check(
        "the bytes of the table",
        task.file(TABLE).equals(&expected.table()),
    );

    let summary = task.file(SUMMARY);
    for (number, line) in expected.summary.lines().enumerate() {
        let state = line.split(' ').next().unwrap_or_default();
        task.check(
            format!("who is {state}"),
            summary.line(number + 1).equals(line),
        );
    }
    task.check(
        "the bytes of the summary",
        summary.equals(&expected.summary),
    );
    task.unchanged_except([TABLE, SUMMARY]);
}
