//! Plays the task.

use std::collections::BTreeMap;

use mcpmark_guest::Tools;

#[path = "rules.rs"]
pub mod rules;

pub fn play(tools: &mut Tools, oversights: &rules::Oversights) -> String {
    tools.read_text("docs/contributing/links.md");
    let paths = tools.files(".");
    let many: Vec<String> = paths
        .iter()
        .filter(|path| path.ends_with(".md") || rules::is_looked_after(path))
        .cloned()
        .collect();
    let texts = tools.read_many(&many);
    let mut texts: BTreeMap<String, String> = many.into_iter().zip(texts).collect();
    let mended = rules::mend(
        &paths,
        |path| texts.remove(path).unwrap_or_else(|| tools.read_text(path)),
        oversights,
    );
    for (path, text) in &mended.texts {
        // Edits would turn CRLF into LF: the file is written as a whole.
        tools.write(path, text);
    }
    let report = rules::report(&mended.broken);
    tools.write("docs/contributing/link-report.csv", &report);
    format!("{} links were broken.", mended.broken.len())
}
