//! Judges slips, list and queue by catalogue, logs and rules.

use mcpmark_guest::Verifier;

#[path = "../library.rs"]
mod library;
mod plan;

use library::QUEUE;
use plan::{PASSED, PASSED_HEADER, SLIPS, SLIPS_HEADER};

mcpmark_guest::verifier!(verify);

fn verify(task: &mut Verifier) {
    let round = plan::round(&mut task.start(), plan::Slips::default());
    let files = plan::files(&mut task.start(), plan::Slips::default());

    let slips = task.file(SLIPS).csv().header(SLIPS_HEADER);
    task.check(
        "a slip for each copy that is held",
        slips.equal_in_any_order(&round.slips),
    );
    task.check("the slips by shelf and number", slips.equal(&round.slips));
    task.check(
        "the slips to the last byte",
        task.file(SLIPS).equals(&files[SLIPS]),
    );

    let passed = task.file(PASSED).csv().header(PASSED_HEADER);
    for reason in ["lapsed", "blocked", "has it", "limit", "no copy"] {
        let of_reason = |row: &[String]| row.get(3).is_some_and(|cell| cell == reason);
        let wanted: Vec<String> = round
            .passed
            .iter()
            .filter(|row| of_reason(*row))
            .map(|row| row.join("|"))
            .collect();
        let found = passed.map(|table| {
            let rows = table
                .rows()
                .iter()
                .filter(|row| row.try_get("reason") == Some(reason));
            rows.map(|row| row.cells().join("|"))
                .collect::<Vec<String>>()
        });
        task.check(
            format!("passed over: {reason}"),
            found.equal_in_any_order(wanted),
        );
    }
    task.check("who was passed over, in order", passed.equal(&round.passed));
    task.check(
        "the list to the last byte",
        task.file(PASSED).equals(&files[PASSED]),
    );

    task.check(
        "the queue is up to date",
        task.file(QUEUE)
            .plain_text()
            .equals(&round.queue.replace("\r\n", "\n")),
    );
    task.check(
        "the queue keeps its line ends",
        task.file(QUEUE).equals(&round.queue),
    );
    task.unchanged_except([SLIPS, PASSED, QUEUE]);
}
