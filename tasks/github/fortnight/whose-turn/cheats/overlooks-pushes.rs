//! Wrong: takes a review for one of the head, whichever commit it was given on.

#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let slips = play::Slips {
        overlooks_pushes: true,
        ..play::Slips::default()
    };
    play::play(tools, &slips)
}
