//! Wrong: merges with merge commits.

#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let slips = play::Slips {
        makes_merges: true,
        ..play::Slips::default()
    };
    play::play(tools, &slips)
}
