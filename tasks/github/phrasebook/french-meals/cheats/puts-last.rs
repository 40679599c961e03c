//! Wrong: leaves the new issue at the end of the plan.

#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let slips = play::Slips {
        puts_last: true,
        ..play::Slips::default()
    };
    play::play(tools, &slips)
}
