//! Wrong: believes everybody who says that it was no change.

#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let slips = play::Slips {
        believes_anybody: true,
        ..play::Slips::default()
    };
    play::play(tools, &slips)
}
