//! Wrong: goes by the older export.

use mcpmark_guest::Tools;

#[path = "../playing.rs"]
mod playing;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    playing::play(tools, "tracker/export-2024-04-01.txt", playing::NOTES)
}
