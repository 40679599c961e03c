//! Wrong: lets the runs of the new heads run again.

#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let manner = play::Manner {
        runs_again: true,
        ..play::Manner::default()
    };
    play::play(tools, &manner)
}
