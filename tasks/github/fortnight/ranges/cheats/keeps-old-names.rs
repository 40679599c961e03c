//! Wrong: carries the lines over with the old name of the method that reads.

#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let slips = play::Slips {
        keeps_old_names: true,
        ..play::Slips::default()
    };
    play::play(tools, &slips)
}
