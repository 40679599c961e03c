//! The review of closed files, made again from the starting tree.

#[path = "../office.rs"]
mod office;
mod reviewing;

use mcpmark_guest::Verifier;
use reviewing::{LISTS, LOG, REVIEW, Rules};

mcpmark_guest::verifier!(verify);

fn verify(task: &mut Verifier) {
    let review = reviewing::review(&mut task.start(), Rules::ALL);

    let file = task.file(REVIEW);
    let found = file.json();
    let keys = ["reviewed", "due", "held", "linked", "running", "permanent"];
    task.check("keys of the review, in order", found.keys_are(keys));
    for key in keys {
        let expected = &review.json[key];
        task.check(
            format!("the review: {key}"),
            found.at(&format!("/{key}")).equals(expected),
        );
    }
    task.check("the review to the last byte", file.equals(&review.text()));

    let names: Vec<&str> = review.lists.iter().map(|(path, _)| path.as_str()).collect();
    task.check(
        "one pick list for each box with files that are due",
        task.end().files(LISTS).equal(names),
    );
    for (path, content) in &review.lists {
        let name = path.rsplit('/').next().unwrap_or_default();
        task.check(
            format!("pick list: {name}"),
            task.file(path).equals(content),
        );
    }

    let log = task.start().file(LOG).text().required();
    task.check(
        "the line of the log",
        task.file(LOG).text().contains_line(&review.log_line),
    );
    task.check(
        "the log to the last byte",
        task.file(LOG).equals(&extended(&log, &review.log_line)),
    );
    let paths = review.lists.iter().map(|(path, _)| path.as_str());
    task.unchanged_except(paths.chain([REVIEW, LOG]).collect::<Vec<_>>());
}

/// The log with one more line at the end of its table.
fn extended(log: &str, line: &str) -> String {
    let end = log.rfind("|\n").expect("the log has a table") + 2;
    format!("{}{line}\n{}", &log[..end], &log[end..])
}
