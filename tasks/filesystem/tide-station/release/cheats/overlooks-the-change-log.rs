//! Wrong: the notes lack what somebody wrote into the change log by hand.

use mcpmark_guest::Tools;

#[path = "../plan.rs"]
mod plan;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let entry = "- `ebb --version` tells you which version you have (#36)\n";
    let notes = plan::NOTES.replace(entry, "");
    plan::play(tools, "tracker/export-2024-05-03.txt", &notes)
}
