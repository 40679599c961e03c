//! Wrong: counts what was taken back again, and the reverts.

#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let slips = play::Slips {
        counts_what_was_undone: true,
        ..play::Slips::default()
    };
    play::play(tools, &slips)
}
