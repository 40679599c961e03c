//! Wrong: the notes tell of a change that was taken back before the release.

use mcpmark_guest::Tools;

#[path = "../plan.rs"]
mod plan;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let notes = plan::NOTES.replace("\nYou can", "\nThe radar is asked twice before an alarm is raised (#51).\n\nYou can");
    plan::play(tools, "tracker/export-2024-05-03.txt", &notes)
}
