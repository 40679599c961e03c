//! The mended files and the report, made again from the starting tree.

mod rules;

use mcpmark_guest::Verifier;

mcpmark_guest::verifier!(verify);

const REPORT: &str = "docs/contributing/link-report.csv";
const HEADER: [&str; 5] = ["file", "line", "old", "new", "how"];

fn verify(task: &mut Verifier) {
    let start = task.start();
    let paths = start.files("").required();
    let mended = rules::mend(
        &paths,
        |path| start.file(path).text().required(),
        &rules::Oversights::default(),
    );

    for (path, text) in &mended.texts {
        task.check(format!("mended: {path}"), task.file(path).equals(text));
    }

    let report = task.file(REPORT);
    let table = report.csv().header(HEADER);
    let rows: Vec<[String; 5]> = mended.broken.iter().map(rules::Broken::row).collect();
    task.check("columns of the report", report.csv().header_is(HEADER));
    task.check(
        "one line for each broken link",
        table.count_is(mended.broken.len()),
    );
    task.check("what became of each", table.equal_in_any_order(&rows));
    task.check("sorted by file, line and place", table.equal(&rows));
    task.check(
        "the report to the last byte",
        report.equals(&rules::report(&mended.broken)),
    );

    let changed: Vec<&str> = mended
        .texts
        .keys()
        .map(String::as_str)
        .chain([REPORT])
        .collect();
    task.unchanged_except(changed);
}
