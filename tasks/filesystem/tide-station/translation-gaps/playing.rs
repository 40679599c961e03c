//! Plays the task.

use mcpmark_guest::{Csv, Tools};

#[path = "rules.rs"]
pub mod rules;

pub fn play(tools: &mut Tools, oversights: &rules::Oversights) -> String {
    tools.read_text("i18n/README.md");
    let paths = tools.files("i18n");
    let report = rules::compare(&paths, |path| tools.read_text(path), oversights);
    let mut table = Csv::line(["language", "path", "problem", "english"]);
    for gap in &report.gaps {
        table += &Csv::line(gap);
    }
    tools.write("i18n/gaps.csv", &table);
    tools.write("i18n/coverage.txt", &(report.coverage().join("\n") + "\n"));
    format!("{} texts need somebody's attention.", report.gaps.len())
}
