//! Wrong: takes what was put right once for right ever after, and a branch for like main.

#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let slips = play::Slips {
        trusts_the_first_fix: true,
        ..play::Slips::default()
    };
    play::play(tools, &slips)
}
