//! Wrong: believes who says that it was the storm.

#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let slips = play::Slips {
        blames_the_storm: true,
        ..play::Slips::default()
    };
    play::play(tools, &slips)
}
