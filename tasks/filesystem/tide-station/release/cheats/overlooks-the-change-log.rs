//! Wrong: the notes lack what somebody wrote into the change log by hand.

use mcpmark_guest::Tools;

#[path = "../playing.rs"]
mod playing;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let entry = "- `ebb --version` tells you which version you have (#36)\n";
    let notes = playing::NOTES.replace(entry, "");
    playing::play(tools, "tracker/export-2024-05-03.txt", &notes)
}
