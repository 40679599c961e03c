//! Wrong: takes a closed issue for one that need not be opened.

#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let slips = play::Slips {
        takes_closed_issues: true,
        ..play::Slips::default()
    };
    play::play(tools, &slips)
}
