//! Wrong: forgets that the machine is watched.

#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let slips = play::Slips {
        leaves_targets: true,
        ..play::Slips::default()
    };
    play::play(tools, &slips)
}
