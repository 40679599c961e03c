//! Judges the index by the track lists.

use mcpmark_guest::Verifier;

#[path = "../library.rs"]
mod library;
mod plan;

use plan::{HEADER, INDEX};

mcpmark_guest::verifier!(verify);

fn verify(task: &mut Verifier) {
    let rows = plan::rows(&mut task.start(), plan::Slips::default());
    let files = plan::files(&mut task.start(), plan::Slips::default());
    let file = task.file(INDEX);
    let table = file.csv().header(HEADER);
    task.check("the index has its columns", file.csv().header_is(HEADER));
    task.check("one line an album", table.count_is(rows.len()));
    for row in &rows {
        let found = table.row_where("no", &row[0]);
        for (column, cell) in HEADER.iter().zip(row).skip(1) {
            task.check(
                format!("{column} of {}", row[0]),
                found.cell(column).is(cell.as_str()),
            );
        }
    }
    task.check("the longest album first", table.equal(&rows));
    task.check("the index to the last byte", file.equals(&files[INDEX]));
    task.unchanged_except([INDEX]);
}
