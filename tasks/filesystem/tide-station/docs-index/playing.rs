//! Plays the task.

use std::collections::BTreeMap;

use mcpmark_guest::Tools;

#[path = "rules.rs"]
pub mod rules;

pub fn play(tools: &mut Tools, oversights: &rules::Oversights) -> String {
    tools.read_text("docs/contributing/writing-docs.md");
    let paths = tools.files("docs");
    let many: Vec<String> = paths
        .iter()
        .filter(|path| path.ends_with(".md"))
        .cloned()
        .collect();
    let texts = tools.read_many(&many);
    let mut texts: BTreeMap<String, String> = many.into_iter().zip(texts).collect();
    let old = tools.read_text("docs/index.md");
    let sections = rules::sections(
        &paths,
        |path| texts.remove(path).unwrap_or_else(|| tools.read_text(path)),
        oversights,
    );
    let new = rules::index(&old, &sections);
    tools.write("docs/index.md", &new);
    tools.write("docs/index-changes.txt", &rules::changes_text(&old, &new));
    "The index is up to date.".to_owned()
}
