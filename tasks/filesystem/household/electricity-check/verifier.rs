//! Judges the check of the bills by the readings, prices and bills of the starting world.

use mcpmark_guest::Verifier;

#[allow(dead_code, reason = "the solution uses the rest")]
mod reckoning;

use reckoning::{CHECK, COLUMNS, FOLDER, Line, Oversights, Papers, SUMMARY};

mcpmark_guest::verifier!(verify);

fn verify(task: &mut Verifier) {
    let read = |path: String| task.start().file(path).plain_text().required();
    let bills = task.start().files(&format!("{FOLDER}/bills")).required();
    let papers = Papers {
        readings: read(format!("{FOLDER}/readings.csv")),
        tariff: read(format!("{FOLDER}/tariff.md")),
        credits: read(format!("{FOLDER}/credits.txt")),
        bills: bills.into_iter().map(read).collect(),
    };
    let lines = reckoning::lines(&papers, &Oversights::default());
    let rows: Vec<[String; 12]> = lines.iter().map(Line::row).collect();

    let check = task.file(CHECK);
    let table = check.csv().header(COLUMNS);
    task.check("columns of the check", check.csv().header_is(COLUMNS));
    task.check("one line for each period", table.count_is(rows.len()));
    for (index, column) in COLUMNS.iter().enumerate() {
        let cells: Vec<&str> = rows.iter().map(|row| row[index].as_str()).collect();
        task.check(
            format!("the column {column}"),
            table.column(column).equal(cells),
        );
    }
    task.check(
        "the check to the last byte",
        check.equals(&reckoning::table(&lines)),
    );

    let expected = reckoning::summary_lines(&lines);
    let summary = task.file(SUMMARY);
    for (number, line) in (1..).zip(&expected) {
        let name = line.split(':').next().unwrap_or_default();
        task.check(
            format!("summary: {name}"),
            summary.line(number).equals(line),
        );
    }
    task.check(
        "the summary to the last byte",
        summary.equals(&(expected.join("\n") + "\n")),
    );
    task.unchanged_except([CHECK, SUMMARY]);
}
