//! Right: labels and writes when all branches are up to date.

#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let manner = play::Manner {
        labels_last: true,
        ..play::Manner::default()
    };
    play::play(tools, &manner)
}
