//! Judges ledger, summary and log by the exports, the budget and the minutes of the starting world.

use mcpmark_guest::{Numbers, Verifier, serde_json::Value};

#[allow(dead_code, reason = "the solution uses the rest")]
mod ledger;

use ledger::{COLUMNS, LEDGER, LOG, Oversights, SUMMARY};

mcpmark_guest::verifier!(verify);

fn verify(task: &mut Verifier) {
    let start = task.start();
    let read = |path: &str| start.file(path).plain_text().required();
    let quarter = ledger::quarter(read, &Oversights::default());

    let file = task.file(LEDGER);
    let table = file.csv().header(COLUMNS);
    task.check("columns of the ledger", file.csv().header_is(COLUMNS));
    for account in ["card", "joint", "vale"] {
        let wanted: Vec<String> = quarter
            .rows
            .iter()
            .filter(|row| row[1] == account)
            .map(|row| row.join("|"))
            .collect();
        let found = table.map(|table| {
            let rows = table.rows().iter();
            rows.filter(|row| row.try_get("account") == Some(account))
                .map(|row| row.cells().join("|"))
                .collect::<Vec<String>>()
        });
        task.check(
            format!("the lines of {account}"),
            found.equal_in_any_order(wanted),
        );
    }
    task.check("no other lines", table.count_is(quarter.rows.len()));
    task.check("the lines, sorted", table.equal(&quarter.rows));
    task.check(
        "the ledger to the last byte",
        file.equals(&ledger::table(&quarter.rows)),
    );

    let file = task.file(SUMMARY);
    let summary = file.json();
    task.check(
        "keys of the summary",
        summary.keys_are([
            "quarter",
            "lines",
            "income",
            "categories",
            "unsorted",
            "open",
            "over",
        ]),
    );
    for (name, pointer) in [
        ("the quarter", "/quarter"),
        ("how many lines", "/lines"),
        ("the income", "/income"),
        ("each category against its budget", "/categories"),
        ("what is unsorted", "/unsorted"),
        ("what is open", "/open"),
        ("what is over the budget", "/over"),
    ] {
        let expected = quarter.summary.pointer(pointer).unwrap_or(&Value::Null);
        task.check(
            name,
            summary
                .at(pointer)
                .equals_with(expected, Numbers::AsWritten),
        );
    }
    task.check(
        "the summary to the last byte",
        file.equals(&ledger::pretty(&quarter.summary)),
    );

    let log = start.file(LOG).text().required();
    let last = ledger::last_entry(&log);
    task.check(
        "one line more in the log",
        task.file(LOG)
            .equals(&log.replacen(last, &format!("{last}{}", quarter.entry), 1)),
    );
    task.unchanged_except([LEDGER, SUMMARY, LOG]);
}
