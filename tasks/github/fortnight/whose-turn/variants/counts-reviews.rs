//! Right: leaves out what has only been commented.

#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let slips = play::Slips {
        counts_reviews: true,
        ..play::Slips::default()
    };
    play::play(tools, &slips)
}
