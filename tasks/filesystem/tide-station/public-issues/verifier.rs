//! The public copy of the issues, made again from the starting tree.

mod rules;

use mcpmark_guest::{Csv, Verifier};

mcpmark_guest::verifier!(verify);

const REMOVED: &str = "tracker/public/removed.csv";
const LINE: &str = "\n====";

fn verify(task: &mut Verifier) {
    let start = task.start();
    let paths = start.files("tracker").required();
    let export = rules::newest_export(&paths);
    let expected = rules::copy(
        &start.file(export).text().required(),
        &start.file("tracker/people.csv").text().required(),
        &rules::Oversights::default(),
    );
    let path = rules::copy_path(export);

    let copy = task.file(&path);
    let parts: Vec<&str> = expected.text.split(LINE).collect();
    let found = copy
        .text()
        .map(|text| text.split(LINE).map(str::to_owned).collect::<Vec<_>>());
    task.check(
        "the issues that are left, one after the other",
        found.count_is(parts.len()),
    );
    for (at, part) in parts.iter().enumerate() {
        let title = part.lines().nth(1).unwrap_or_default();
        let name = match title.split_once("  ") {
            Some((number, _)) => format!("issue {number}"),
            None if at == 0 => "the head".to_owned(),
            None => "the end".to_owned(),
        };
        let issue = found.try_map(|found| {
            found
                .get(at)
                .cloned()
                .ok_or_else(|| format!("there are only {} parts", found.len()))
        });
        task.check(name, issue.equals(part));
    }
    task.check("the copy to the last byte", copy.equals(&expected.text));

    let removed = task.file(REMOVED);
    let table = removed.csv().header(["what", "count"]);
    let counts = expected.counts.map(|count| count.to_string());
    for (what, count) in rules::COUNTED.iter().zip(&counts) {
        task.check(
            format!("count: {what}"),
            table.row_where("what", what).cell("count").equals(count),
        );
    }
    let rows: Vec<[&str; 2]> = rules::COUNTED
        .iter()
        .zip(&counts)
        .map(|(what, count)| [*what, count.as_str()])
        .collect();
    let text: String = std::iter::once(Csv::line(["what", "count"]))
        .chain(rows.iter().map(Csv::line))
        .collect();
    task.check("the counts to the last byte", removed.equals(&text));
    task.unchanged_except([path.as_str(), REMOVED]);
}
