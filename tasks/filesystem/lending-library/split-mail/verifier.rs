//! Judges each filed mail and the index by the export.

use mcpmark_guest::Verifier;

#[path = "../library.rs"]
mod library;
mod plan;

use plan::{FOLDER, HEADER, INDEX};

mcpmark_guest::verifier!(verify);

fn verify(task: &mut Verifier) {
    let mails = plan::mails(&mut task.start(), plan::Slips::default());
    let files = plan::files(&mut task.start(), plan::Slips::default());
    for mail in &mails {
        let file = task.file(format!("{FOLDER}/{}", mail.file));
        task.check(format!("filed: {}", mail.file), file.equals(&mail.text));
    }
    let file = task.file(INDEX);
    let table = file.csv().header(HEADER);
    let rows: Vec<[String; 6]> = mails.iter().map(plan::Mail::row).collect();
    task.check("the index has its columns", file.csv().header_is(HEADER));
    task.check("one line a mail", table.count_is(rows.len()));
    task.check(
        "lines of the index, in any order",
        table.equal_in_any_order(&rows),
    );
    task.check("the index is sorted", table.equal(&rows));
    task.check("the index to the last byte", file.equals(&files[INDEX]));
    task.unchanged_except(files.keys().collect::<Vec<_>>());
}
