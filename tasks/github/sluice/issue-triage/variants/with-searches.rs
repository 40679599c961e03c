//! Right: finds issues by a search, and labels and closes duplicates in two calls.

#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let manner = play::Manner {
        searches: true,
        ..play::Manner::default()
    };
    play::play(tools, &manner)
}
