//! The calls, worked out again from the starting tree.

use mcpmark_guest::{Csv, Reader, Verifier};

mod rules;

use rules::folder::{TO_DO, ticked};

mcpmark_guest::verifier!(verify);

fn verify(task: &mut Verifier) {
    let mut start = task.start();
    let calls = rules::calls(&mut start, &rules::Oversights::default());
    let lines = rules::sheet(&calls);

    let file = task.file(rules::SHEET);
    let sheet = file.csv().header(rules::HEADER);
    task.check("one line for each call", sheet.count_is(lines.len()));
    task.check(
        "talks that are called",
        sheet
            .column("talk")
            .equal_in_any_order(lines.iter().map(|line| line[1].as_str())),
    );
    task.check("the calls are right", sheet.equal_in_any_order(&lines));
    task.check("and in their order", sheet.equal(&lines));
    let text: String = std::iter::once(Csv::line(rules::HEADER))
        .chain(lines.iter().map(Csv::line))
        .collect();
    task.check("the sheet to the last byte", file.equals(&text));

    let summary = rules::summary(&calls);
    let notes = task.file(rules::SUMMARY);
    for (number, (name, line)) in [
        "calls",
        "calls at night",
        "calls on another date",
        "the earliest call",
    ]
    .into_iter()
    .zip(&summary)
    .enumerate()
    {
        task.check(name, notes.line(number + 1).equals(line));
    }
    task.check(
        "the summary to the last byte",
        notes.equals(&(summary.join("\n") + "\n")),
    );

    task.check(
        "the call sheet is ticked",
        task.file(TO_DO)
            .equals(&ticked(&start.text(TO_DO), rules::ITEM)),
    );
    task.unchanged_except([rules::SHEET, rules::SUMMARY, TO_DO]);
}
