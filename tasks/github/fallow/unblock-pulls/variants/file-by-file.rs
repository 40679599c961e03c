//! Right: mends main in one commit for each file, which the merge squashes.

#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let manner = play::Manner {
        by_file: true,
        ..play::Manner::default()
    };
    play::play(tools, &manner)
}
