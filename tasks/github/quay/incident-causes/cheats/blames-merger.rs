//! Wrong: gives the incident to whom merged the change.

#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let slips = play::Slips {
        blames_merger: true,
        ..play::Slips::default()
    };
    play::play(tools, &slips)
}
