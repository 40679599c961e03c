//! Wrong: the notes tell of a change that was taken back before the release.

use mcpmark_guest::Tools;

#[path = "../playing.rs"]
mod playing;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let notes = playing::NOTES.replace(
        "\nYou can",
        "\nThe radar is asked twice before an alarm is raised (#51).\n\nYou can",
    );
    playing::play(tools, "tracker/export-2024-05-03.txt", &notes)
}
