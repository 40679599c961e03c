//! Wrong: names who merged a commit, not who wrote it.

#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let slips = play::Slips {
        names_who_merged: true,
        ..play::Slips::default()
    };
    play::play(tools, &slips)
}
