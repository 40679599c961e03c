//! Right: finds the question and the places in the code by searches.

#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    play::play(
        tools,
        &play::Manner {
            by_search: true,
            ..play::Manner::default()
        },
    )
}
