//! Wrong: retires a machine on its last day.

#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let slips = play::Slips {
        too_early: true,
        ..play::Slips::default()
    };
    play::play(tools, &slips)
}
