//! Wrong: overlooks that how long it lasted was corrected.

#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let slips = play::Slips {
        counts_first_minutes: true,
        ..play::Slips::default()
    };
    play::play(tools, &slips)
}
