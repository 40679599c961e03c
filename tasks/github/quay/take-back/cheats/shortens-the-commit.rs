//! Wrong: gives only the first digits of the commit.

#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let slips = play::Slips {
        shortens_the_commit: true,
        ..play::Slips::default()
    };
    play::play(tools, &slips)
}
