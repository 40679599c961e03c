//! Wrong: mends the first thing that a log names.

#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let slips = play::Slips {
        mends_once: true,
        ..play::Slips::default()
    };
    play::play(tools, &slips)
}
