//! Wrong: the notes name people who report things.

use mcpmark_guest::Tools;

#[path = "../playing.rs"]
mod playing;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let notes = format!(
        "{}\nThanks to Philippa Wren and @lena for their reports.\n",
        playing::NOTES
    );
    playing::play(tools, "tracker/export-2024-05-03.txt", &notes)
}
