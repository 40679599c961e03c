//! Wrong: sorts by number instead of the time of the merge.

#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let slips = play::Slips {
        sorts_by_number: true,
        ..play::Slips::default()
    };
    play::play(tools, &slips)
}
