//! Wrong: asks somebody who is on leave.

#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let slips = play::Slips {
        overlooks_leaves: true,
        ..play::Slips::default()
    };
    play::play(tools, &slips)
}
