//! The redacted bundle, made again from the starting tree.

#[path = "../office.rs"]
mod office;
mod redacting;
mod rules;

use mcpmark_guest::Verifier;
use redacting::{CASE, Choices, HEADER, LOG};

mcpmark_guest::verifier!(verify);

fn verify(task: &mut Verifier) {
    let bundle = redacting::redact(&mut task.start(), Choices::ALL);

    for (path, content) in &bundle.copies {
        let name = path.rsplit('/').next().unwrap_or_default();
        task.check(format!("redacted: {name}"), task.file(path).equals(content));
    }
    let paths = bundle.copies.iter().map(|(path, _)| path.as_str());
    let paths: Vec<&str> = paths.chain([LOG]).collect();
    task.check(
        "the folder holds the copies and the log, nothing that is withheld",
        task.end()
            .files(&format!("{CASE}/disclosure"))
            .equal_in_any_order(paths.clone()),
    );

    let file = task.file(LOG);
    let table = file.csv().header(HEADER);
    task.check("the log has its columns", file.csv().header_is(HEADER));
    task.check(
        "what the log counts, in any order",
        table.equal_in_any_order(&bundle.log),
    );
    task.check("the log is sorted", table.equal(&bundle.log));
    task.check("the log to the last byte", file.equals(&bundle.log_text()));
    task.unchanged_except(paths);
}
