//! Wrong: leaves the labels of weeks ago beside the new ones.

#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let slips = play::Slips {
        keeps_old_labels: true,
        ..play::Slips::default()
    };
    play::play(tools, &slips)
}
