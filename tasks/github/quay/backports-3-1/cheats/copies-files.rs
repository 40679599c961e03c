//! Wrong: takes files as they are on main after the fix.

#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let slips = play::Slips {
        copies_files: true,
        ..play::Slips::default()
    };
    play::play(tools, &slips)
}
