//! Wrong: takes a page for done when an open pull request brings it up to date.

#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let slips = play::Slips {
        trusts_proposals: true,
        ..play::Slips::default()
    };
    play::play(tools, &slips)
}
