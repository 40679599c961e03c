//! Judges the list of renewals and its summary by the policies of the starting world.

use mcpmark_guest::Verifier;

#[allow(dead_code, reason = "the solution uses the rest")]
mod policies;

use policies::{COLUMNS, FOLDER, LIST, Oversights, Policy, SUMMARY};

mcpmark_guest::verifier!(verify);

fn verify(task: &mut Verifier) {
    let entries = task.start().list(FOLDER).required();
    let texts: Vec<String> = entries
        .iter()
        .filter(|entry| policies::holds(&entry.path))
        .map(|entry| {
            task.start()
                .file(entry.path.as_str())
                .plain_text()
                .required()
        })
        .collect();
    let expected = policies::renewing(&texts, &Oversights::default());
    let rows: Vec<[String; 6]> = expected.iter().map(Policy::row).collect();

    let list = task.file(LIST);
    let table = list.csv().header(COLUMNS);
    task.check("columns of the list", list.csv().header_is(COLUMNS));
    task.check(
        "one line for each policy that renews",
        table.count_is(rows.len()),
    );
    for (index, column) in COLUMNS.iter().enumerate() {
        let cells: Vec<&str> = rows.iter().map(|row| row[index].as_str()).collect();
        task.check(
            format!("the column {column}"),
            table.column(column).equal(cells),
        );
    }
    task.check(
        "the list to the last byte",
        list.equals(&policies::list(&expected)),
    );

    let lines = policies::summary_lines(&expected);
    let summary = task.file(SUMMARY);
    for (number, line) in (1..).zip(&lines) {
        let name = line.split(':').next().unwrap_or_default();
        task.check(
            format!("summary: {name}"),
            summary.line(number).equals(line),
        );
    }
    task.check(
        "the summary to the last byte",
        summary.equals(&(lines.join("\n") + "\n")),
    );
    task.unchanged_except([LIST, SUMMARY]);
}
