//! Wrong: takes a page that says another number for one that lags behind.

#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let slips = play::Slips {
        looks_at_numbers: true,
        ..play::Slips::default()
    };
    play::play(tools, &slips)
}
