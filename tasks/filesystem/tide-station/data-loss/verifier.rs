//! The lost readings, reckoned again from the starting tree.

mod rules;

use mcpmark_guest::{Verifier, serde_json};

mcpmark_guest::verifier!(verify);

const OUTAGES: &str = "reports/data-loss/outages.csv";
const SUMMARY: &str = "reports/data-loss/summary.json";
const HEADER: [&str; 6] = ["station", "sensor", "from", "to", "minutes", "codes"];

fn verify(task: &mut Verifier) {
    let start = task.start();
    let paths = start.files("").required();
    let losses = rules::reckon(
        &paths,
        |path| start.file(path).plain_text().required(),
        &rules::Oversights::default(),
    );
    let rows: Vec<[String; 6]> = losses.outages.iter().map(rules::Outage::row).collect();

    let file = task.file(OUTAGES);
    let table = file.csv().header(HEADER);
    task.check("columns of the outages", file.csv().header_is(HEADER));
    task.check("one line for each outage", table.count_is(rows.len()));
    for (column, at) in HEADER.into_iter().zip(0..) {
        let expected: Vec<&str> = rows.iter().map(|row| row[at].as_str()).collect();
        task.check(
            format!("the outages: {column}"),
            table.column(column).equal(expected),
        );
    }
    task.check("the outages to the last byte", file.equals(&losses.table()));

    let expected = losses.summary();
    let summary = task.file(SUMMARY);
    let found = summary.json();
    task.check(
        "keys of the summary",
        found.keys_are(["from", "to", "sensors", "longest"]),
    );
    for key in ["from", "to", "longest"] {
        task.check(
            format!("the summary: {key}"),
            found.at(&format!("/{key}")).equals(&expected[key]),
        );
    }
    for (at, sensor) in expected["sensors"]
        .as_array()
        .into_iter()
        .flatten()
        .enumerate()
    {
        let name = |key: &str| sensor[key].as_str().unwrap_or_default();
        task.check(
            format!("the summary: {} of {}", name("sensor"), name("station")),
            found.at(&format!("/sensors/{at}")).equals(sensor),
        );
    }
    let text = serde_json::to_string_pretty(&expected).expect("a value in memory becomes JSON");
    task.check(
        "the summary to the last byte",
        summary.equals(&(text + "\n")),
    );
    task.unchanged_except([OUTAGES, SUMMARY]);
}
