//! Right: takes the newest issue first.

#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let manner = play::Manner {
        newest_first: true,
        ..play::Manner::default()
    };
    play::play(tools, &manner)
}
