//! Right by another route: writes the files with the number anew instead of editing them.

use mcpmark_guest::Tools;

#[path = "../plan.rs"]
mod plan;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    plan::read_rules(tools);
    for (path, old, new) in plan::PLACES {
        let text = tools.read_text(path);
        tools.write(path, &text.replacen(old, new, 1));
    }
    for name in plan::ready(tools, "tracker/export-2024-05-03.txt") {
        tools.rename(&format!("changes/{name}"), &format!("{}/{name}", plan::FOLDER));
    }
    let notes = plan::NOTES.replace("\n\n- ", "\n\n* ").replace('\n', "\r\n");
    tools.write(&format!("{}/notes.md", plan::FOLDER), &notes);
    "2.4.0 is ready.".to_owned()
}
