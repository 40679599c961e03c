//! Wrong: takes the first thing that a speaker told, where the last one holds.

use mcpmark_guest::Tools;

#[path = "../playing.rs"]
mod playing;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    playing::play(
        tools,
        playing::Oversights {
            first_word: true,
            ..Default::default()
        },
    )
}
