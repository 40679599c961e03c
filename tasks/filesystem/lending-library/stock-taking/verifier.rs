//! Judges findings, summary and checklist by the sheets, the catalogue, the logs and the queue.

use mcpmark_guest::Verifier;
use mcpmark_guest::serde_json::{self, Value};

#[path = "../library.rs"]
mod library;
mod plan;

use plan::{FINDINGS, HEADER, LIST, RESULT, SUMMARY};

mcpmark_guest::verifier!(verify);

fn verify(task: &mut Verifier) {
    let count = plan::count(&mut task.start(), plan::Slips::default());
    let files = plan::files(&mut task.start(), plan::Slips::default());

    let file = task.file(RESULT);
    let table = file.csv().header(HEADER);
    task.check("the result has its columns", file.csv().header_is(HEADER));
    for finding in FINDINGS {
        let rows = count.rows.iter().filter(|row| row[1] == finding);
        let wanted: Vec<String> = rows.map(|row| row.join("|")).collect();
        let found = table.map(|table| {
            let rows = table
                .rows()
                .iter()
                .filter(|row| row.try_get("finding") == Some(finding));
            rows.map(|row| row.cells().join("|"))
                .collect::<Vec<String>>()
        });
        task.check(
            format!("what is {finding}"),
            found.equal_in_any_order(wanted),
        );
    }
    task.check("the result is sorted", table.equal(&count.rows));
    task.check("the result to the last byte", file.equals(&files[RESULT]));

    let expected: Value = serde_json::from_str(&count.summary).expect("the summary is JSON");
    let summary = task.file(SUMMARY).json();
    for (key, value) in expected.as_object().into_iter().flatten() {
        task.check(
            format!("summary: {key}"),
            summary.at(&format!("/{key}")).equals(value),
        );
    }
    task.check(
        "the summary to the last byte",
        task.file(SUMMARY).equals(&count.summary),
    );
    task.check(
        "the checklist names what to look for",
        task.file(LIST).equals(&files[LIST]),
    );
    task.unchanged_except([RESULT, SUMMARY, LIST]);
}
