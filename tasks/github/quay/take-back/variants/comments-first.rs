//! Right: comments before it asks for the review.

#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let slips = play::Slips {
        comments_first: true,
        ..play::Slips::default()
    };
    play::play(tools, &slips)
}
