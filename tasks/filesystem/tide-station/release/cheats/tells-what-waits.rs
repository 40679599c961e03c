//! Wrong: the notes tell of an entry whose issue is open.

use mcpmark_guest::Tools;

#[path = "../playing.rs"]
mod playing;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let notes = playing::NOTES.replace(
        "\nYou can",
        "\nFrench texts know one and many (#52).\n\nYou can",
    );
    playing::play(tools, "tracker/export-2024-05-03.txt", &notes)
}
