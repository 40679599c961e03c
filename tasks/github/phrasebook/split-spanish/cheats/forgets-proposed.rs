//! Wrong: makes issues for pages that an open pull request brings up to date.

#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let slips = play::Slips {
        forgets_proposed: true,
        ..play::Slips::default()
    };
    play::play(tools, &slips)
}
