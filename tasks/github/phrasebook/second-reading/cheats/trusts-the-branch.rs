//! Wrong: compares with the English page of the branch instead of that of main.

#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let slips = play::Slips {
        trusts_the_branch: true,
        ..play::Slips::default()
    };
    play::play(tools, &slips)
}
