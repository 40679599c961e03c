//! The gaps of each language, found again in the starting tree.

mod rules;

use mcpmark_guest::{Csv, Verifier};

mcpmark_guest::verifier!(verify);

const GAPS: &str = "i18n/gaps.csv";
const COVERAGE: &str = "i18n/coverage.txt";
const HEADER: [&str; 4] = ["language", "path", "problem", "english"];

fn verify(task: &mut Verifier) {
    let start = task.start();
    let paths = start.files("i18n").required();
    let report = rules::compare(
        &paths,
        |path| start.file(path).text().required(),
        &rules::Oversights::default(),
    );

    let file = task.file(GAPS);
    let table = file.csv().header(HEADER);
    task.check("columns of the gaps", file.csv().header_is(HEADER));
    for (language, _) in &report.good {
        let is_theirs = |gap: &&[String; 4]| gap[0] == *language;
        let expected: Vec<String> = report
            .gaps
            .iter()
            .filter(is_theirs)
            .map(|gap| format!("{} {}", gap[1], gap[2]))
            .collect();
        let found = table.map(|table| {
            let mut found = Vec::new();
            for row in table.rows() {
                if row.get("language") == language {
                    found.push(format!("{} {}", row.get("path"), row.get("problem")));
                }
            }
            found
        });
        task.check(
            format!("problems of {language}"),
            found.equal_in_any_order(expected),
        );
    }
    task.check(
        "the rows with their English texts, sorted",
        table.equal(&report.gaps),
    );
    let text: String = std::iter::once(Csv::line(HEADER))
        .chain(report.gaps.iter().map(Csv::line))
        .collect();
    task.check("the gaps to the last byte", file.equals(&text));

    let coverage = task.file(COVERAGE);
    let lines = report.coverage();
    for (number, line) in (1..).zip(&lines) {
        let subject = line.split(':').next().unwrap_or_default();
        task.check(
            format!("coverage: {subject}"),
            coverage.line(number).equals(line),
        );
    }
    task.check(
        "the coverage to the last byte",
        coverage.equals(&(lines.join("\n") + "\n")),
    );
    task.unchanged_except([GAPS, COVERAGE]);
}
