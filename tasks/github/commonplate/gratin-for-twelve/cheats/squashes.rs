//! Wrong: makes one commit of all.

#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let slips = play::Slips {
        squashes: true,
        ..play::Slips::default()
    };
    play::play(tools, &slips)
}
