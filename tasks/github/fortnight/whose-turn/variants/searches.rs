//! Right: looks at each open pull request for itself.

#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let slips = play::Slips {
        searches: true,
        ..play::Slips::default()
    };
    play::play(tools, &slips)
}
