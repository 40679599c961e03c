//! Wrong: tells people that the change has been taken back.

#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let slips = play::Slips {
        says_done: true,
        ..play::Slips::default()
    };
    play::play(tools, &slips)
}
