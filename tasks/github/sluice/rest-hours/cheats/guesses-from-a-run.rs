//! Wrong: takes the time that a planned run stores for the one that the setting counts from.

#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    play::play(
        tools,
        &play::Manner {
            guesses_from_a_run: true,
            ..play::Manner::default()
        },
    )
}
