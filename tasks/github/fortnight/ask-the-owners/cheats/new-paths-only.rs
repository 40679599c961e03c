//! Wrong: overlooks where a moved file came from.

#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let slips = play::Slips {
        new_paths_only: true,
        ..play::Slips::default()
    };
    play::play(tools, &slips)
}
