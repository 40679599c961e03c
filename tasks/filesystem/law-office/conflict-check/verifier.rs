//! The check for conflicts, made again from the starting tree.

mod checking;
#[path = "../office.rs"]
mod office;

use checking::{HEADER, REPORT, Rules};
use mcpmark_guest::Verifier;

mcpmark_guest::verifier!(verify);

fn verify(task: &mut Verifier) {
    let rows = checking::check(&mut task.start(), Rules::ALL);
    let column = |index: usize| -> Vec<&String> { rows.iter().map(|row| &row[index]).collect() };

    let file = task.file(REPORT);
    let table = file.csv().header(HEADER);
    task.check("the report has its columns", file.csv().header_is(HEADER));
    task.check(
        "one line for each name of an enquiry",
        table.count_is(rows.len()),
    );
    for (index, what) in [
        (0, "enquiries in their order"),
        (1, "sides"),
        (2, "names as they were taken down"),
        (3, "results"),
        (4, "the matters that make it so"),
    ] {
        let expected: Vec<String> = column(index).into_iter().cloned().collect();
        task.check(what, table.column(HEADER[index]).equal(expected));
    }
    task.check(
        "the report to the last byte",
        file.equals(&checking::report(&rows)),
    );
    task.unchanged_except([REPORT]);
}
