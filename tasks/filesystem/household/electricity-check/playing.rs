//! How the task is played with the tools.

use mcpmark_guest::{Tools, serde_json::json};

use crate::reckoning::{self, CHECK, FOLDER, Oversights, Papers, SUMMARY};

pub fn check(tools: &mut Tools, oversights: Oversights) -> String {
    tools.read_text("README.md");
    tools.read_text(&format!("{FOLDER}/about the bills.md"));
    let names = tools.list(&format!("{FOLDER}/bills"));
    let papers = Papers {
        readings: tools.read_text(&format!("{FOLDER}/readings.csv")),
        tariff: tools.read_text(&format!("{FOLDER}/tariff.md")),
        credits: tools.read_text(&format!("{FOLDER}/credits.txt")),
        bills: names
            .iter()
            .map(|(name, _)| tools.read_text(&format!("{FOLDER}/bills/{name}")))
            .collect(),
    };
    let lines = reckoning::lines(&papers, &oversights);
    for (path, content) in [
        (CHECK, reckoning::table(&lines)),
        (SUMMARY, reckoning::summary_lines(&lines).join("\n") + "\n"),
    ] {
        tools.text("write_file", &json!({"path": path, "content": content}));
    }
    format!("{} bills are checked.", lines.len())
}
