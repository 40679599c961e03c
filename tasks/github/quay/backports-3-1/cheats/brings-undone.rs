//! Wrong: brings over what was taken back.

#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let slips = play::Slips {
        brings_undone: true,
        ..play::Slips::default()
    };
    play::play(tools, &slips)
}
