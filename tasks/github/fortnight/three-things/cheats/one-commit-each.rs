//! Wrong: makes one commit of all that belongs to an area.

#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let slips = play::Slips {
        one_commit_each: true,
        ..play::Slips::default()
    };
    play::play(tools, &slips)
}
