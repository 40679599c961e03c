//! Wrong: takes what was lost with its machine for red.

#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let slips = play::Slips {
        reads_no_logs: true,
        ..play::Slips::default()
    };
    play::play(tools, &slips)
}
