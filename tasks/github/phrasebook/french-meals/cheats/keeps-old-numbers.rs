//! Wrong: takes the numbers of the French page on main.

#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let slips = play::Slips {
        keeps_old_numbers: true,
        ..play::Slips::default()
    };
    play::play(tools, &slips)
}
