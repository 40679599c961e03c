//! Wrong: takes the first line of OWNERS that fits instead of the last.

#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let slips = play::Slips {
        takes_first_line: true,
        ..play::Slips::default()
    };
    play::play(tools, &slips)
}
