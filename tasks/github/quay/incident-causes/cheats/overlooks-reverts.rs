//! Wrong: overlooks that a change was taken back.

#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let slips = play::Slips {
        overlooks_reverts: true,
        ..play::Slips::default()
    };
    play::play(tools, &slips)
}
