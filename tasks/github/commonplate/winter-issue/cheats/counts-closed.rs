//! Wrong: tells what was closed without a merge.

#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let slips = play::Slips {
        counts_closed: true,
        ..play::Slips::default()
    };
    play::play(tools, &slips)
}
