//! Wrong: takes a leave that is over for one of today.

#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let slips = play::Slips {
        believes_old_leaves: true,
        ..play::Slips::default()
    };
    play::play(tools, &slips)
}
