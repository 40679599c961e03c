//! Wrong: takes a draft for any open pull request.

#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let slips = play::Slips {
        misses_drafts: true,
        ..play::Slips::default()
    };
    play::play(tools, &slips)
}
