//! Wrong: the notes tell of an entry whose issue is open.

use mcpmark_guest::Tools;

#[path = "../plan.rs"]
mod plan;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let notes = plan::NOTES.replace("\nYou can", "\nFrench texts know one and many (#52).\n\nYou can");
    plan::play(tools, "tracker/export-2024-05-03.txt", &notes)
}
