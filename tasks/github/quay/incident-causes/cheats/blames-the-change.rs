//! Wrong: takes what the machine ran for the cause, whatever its keeper found.

#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let slips = play::Slips {
        blames_the_change: true,
        ..play::Slips::default()
    };
    play::play(tools, &slips)
}
