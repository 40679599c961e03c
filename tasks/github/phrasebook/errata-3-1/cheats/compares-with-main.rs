//! Wrong: takes the numbers that main has today.

#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let slips = play::Slips {
        compares_with_main: true,
        ..play::Slips::default()
    };
    play::play(tools, &slips)
}
