//! Wrong: leaves versions that are older than those of the role.

#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let slips = play::Slips {
        keeps_older: true,
        ..play::Slips::default()
    };
    play::play(tools, &slips)
}
