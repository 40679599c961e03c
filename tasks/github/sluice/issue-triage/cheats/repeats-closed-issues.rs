//! Wrong: takes issues that are closed for such that can be repeated.

#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let manner = play::Manner {
        repeats_closed: true,
        ..play::Manner::default()
    };
    play::play(tools, &manner)
}
