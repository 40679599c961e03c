//! Plays the task.

use std::collections::BTreeMap;

use mcpmark_guest::Tools;

#[path = "rules.rs"]
pub mod rules;

pub fn play(tools: &mut Tools, oversights: &rules::Oversights) -> String {
    tools.read_text("docs/contributing/releasing.md");
    tools.read_text("changes/README.md");
    tools.read_text("tracker/README.md");
    let paths = tools.files(".");
    let many: Vec<String> = paths
        .iter()
        .filter(|path| path.starts_with("changes/") && path.ends_with(".md"))
        .cloned()
        .collect();
    let texts = tools.read_many(&many);
    let mut texts: BTreeMap<String, String> = many.into_iter().zip(texts).collect();
    let release = rules::release(
        &paths,
        |path| texts.remove(path).unwrap_or_else(|| tools.read_text(path)),
        oversights,
    );
    for (path, text) in &release.texts {
        tools.write(path, text);
    }
    let folder = format!("changes/released/{}", release.number);
    for name in &release.fragments {
        tools.rename(&format!("changes/{name}"), &format!("{folder}/{name}"));
    }
    release.number
}
