//! The results of the project, worked out from the starting tree.

mod exports;
#[path = "../lab.rs"]
mod lab;
mod report;
mod rules;

use mcpmark_guest::{Numbers, Verifier};
use report::{EXCEEDANCES, HEADER, RESULTS, SUMMARY};
use rules::Slips;

mcpmark_guest::verifier!(verify);

fn verify(task: &mut Verifier) {
    let project = rules::project(&mut task.start(), "P-2411", &Slips::default());
    let expected = report::rows(&project);

    let table = task.file(RESULTS).csv();
    task.check("the table has its columns", table.header_is(HEADER));
    let rows = table.header(HEADER);
    task.check(
        "one line per sample and parameter",
        rows.count_is(expected.len()),
    );
    for parameter in &project.parameters {
        let name = &parameter.name;
        let wanted = expected
            .iter()
            .filter(|row| row[3] == *name)
            .map(|row| row.join(","));
        let found = rows.map(|table| {
            let of_parameter = table
                .rows()
                .iter()
                .filter(|row| row.get("parameter") == name);
            of_parameter
                .map(|row| row.cells().join(","))
                .collect::<Vec<_>>()
        });
        task.check(
            format!("{name} of each sample"),
            found.equal_in_any_order(wanted),
        );
    }
    task.check(
        "samples and parameters in their order",
        rows.equal(&expected),
    );
    task.check(
        "the bytes of the table",
        task.file(RESULTS).equals(&report::table(&expected)),
    );

    let summary = report::summary(&project);
    let json = task.file(SUMMARY).json();
    task.check(
        "the keys of the summary",
        json.keys_are(["project", "client", "samples", "parameters"]),
    );
    for (index, parameter) in project.parameters.iter().enumerate() {
        let wanted = &summary["parameters"][index];
        let found = json.at(&format!("/parameters/{index}"));
        task.check(
            format!("the summary of {}", parameter.name),
            found.equals_with(wanted, Numbers::AsWritten),
        );
    }
    task.check(
        "the whole summary",
        json.equals_with(&summary, Numbers::AsWritten),
    );
    task.check(
        "the bytes of the summary",
        task.file(SUMMARY).equals(&report::indented(&summary)),
    );

    let document = report::exceedances(&project);
    let found = task.file(EXCEEDANCES).lines();
    let list = |lines: &[&str]| -> Vec<String> {
        lines
            .iter()
            .filter(|line| line.starts_with("- "))
            .map(|line| (*line).to_owned())
            .collect()
    };
    let wanted = list(&document.lines().collect::<Vec<_>>());
    task.check(
        "which results exceed a limit",
        found
            .map(|lines| list(&lines.iter().map(String::as_str).collect::<Vec<_>>()))
            .equal_in_any_order(wanted),
    );
    task.check(
        "how many results exceed a limit",
        task.file(EXCEEDANCES)
            .line(3)
            .equals(document.lines().nth(2).unwrap_or_default()),
    );
    task.check(
        "the bytes of the list",
        task.file(EXCEEDANCES).equals(&document),
    );
    task.unchanged_except([RESULTS, SUMMARY, EXCEEDANCES]);
}
