//! Wrong: puts off all issues of the milestone, closed ones as well.

#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let slips = play::Slips {
        moves_closed_issues: true,
        ..play::Slips::default()
    };
    play::play(tools, &slips)
}
