//! Wrong: counts no commits of its own for what was squashed.

#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let slips = play::Slips {
        trusts_merges: true,
        ..play::Slips::default()
    };
    play::play(tools, &slips)
}
