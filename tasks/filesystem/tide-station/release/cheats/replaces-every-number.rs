//! Wrong: replaces every number that looks like the old one.

use mcpmark_guest::Tools;

#[path = "../playing.rs"]
mod playing;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let told = playing::play(tools, "tracker/export-2024-05-03.txt", playing::NOTES);
    tools.edit("config/defaults.ini", "format = 2.3.1", "format = 2.4.0");
    tools.edit(
        "tools/ebbline/__init__.py",
        "FORMAT = \"2.3.1\"",
        "FORMAT = \"2.4.0\"",
    );
    told
}
