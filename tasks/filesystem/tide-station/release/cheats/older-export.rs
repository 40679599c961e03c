//! Wrong: goes by the older export.

use mcpmark_guest::Tools;

#[path = "../plan.rs"]
mod plan;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    plan::play(tools, "tracker/export-2024-04-01.txt", plan::NOTES)
}
