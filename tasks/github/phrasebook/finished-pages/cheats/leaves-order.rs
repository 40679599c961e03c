//! Wrong: leaves the parts of a plan in the order that they have.

#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let slips = play::Slips {
        leaves_order: true,
        ..play::Slips::default()
    };
    play::play(tools, &slips)
}
