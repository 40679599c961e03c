//! Wrong: takes commits over whole wherever a part of them belongs.

#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let slips = play::Slips {
        whole_commits: true,
        ..play::Slips::default()
    };
    play::play(tools, &slips)
}
