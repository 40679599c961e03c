//! How the task is played with the tools.

use mcpmark_guest::Tools;

use crate::redacting::{self, CONTENTS, FOLDER, LIST, Oversights, RULES};

pub fn pack(tools: &mut Tools, oversights: Oversights) -> String {
    tools.read_text(RULES);
    let list = tools.read_text(LIST);
    let mut rows = Vec::new();
    for (place, original) in (1..).zip(redacting::ticked(&list)) {
        let copy = redacting::redact(&tools.read_text(&original), &oversights);
        let name = redacting::copy_name(place, &original);
        tools.write(&format!("{FOLDER}/{name}"), &copy.text);
        rows.push(redacting::row(place, &original, &copy));
    }
    tools.write(CONTENTS, &redacting::contents(&rows));
    let title = list.lines().next().unwrap_or_default();
    tools.edit(LIST, title, &format!("{title} (sent)"));
    format!("The pack has {} papers.", rows.len())
}
