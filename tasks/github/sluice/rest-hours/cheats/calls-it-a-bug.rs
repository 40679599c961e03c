//! Wrong: gives the question another label.

#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    play::play(
        tools,
        &play::Manner {
            calls_it_a_bug: true,
            ..play::Manner::default()
        },
    )
}
