//! Wrong: leaves out the outage that has not ended.

#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let slips = play::Slips {
        leaves_out_the_last: true,
        ..play::Slips::default()
    };
    play::play(tools, &slips)
}
