//! Plays the task.

use std::collections::BTreeMap;

use mcpmark_guest::{Tools, serde_json};

#[path = "rules.rs"]
pub mod rules;

pub fn play(tools: &mut Tools, oversights: &rules::Oversights) -> String {
    tools.read_text("logs/README.md");
    tools.read_text("config/README.md");
    let paths = tools.files(".");
    let many: Vec<String> = paths
        .iter()
        .filter(|path| path.starts_with("logs/"))
        .cloned()
        .collect();
    let texts = tools.read_many(&many);
    let mut texts: BTreeMap<String, String> = many.into_iter().zip(texts).collect();
    let losses = rules::reckon(
        &paths,
        |path| texts.remove(path).unwrap_or_else(|| tools.read_text(path)),
        oversights,
    );
    tools.write("reports/data-loss/outages.csv", &losses.table());
    let summary =
        serde_json::to_string_pretty(&losses.summary()).expect("a value in memory becomes JSON");
    tools.write("reports/data-loss/summary.json", &(summary + "\n"));
    format!("{} outages.", losses.outages.len())
}
