//! Wrong: takes out any number that is lower.

#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let slips = play::Slips {
        drops_lower_numbers: true,
        ..play::Slips::default()
    };
    play::play(tools, &slips)
}
