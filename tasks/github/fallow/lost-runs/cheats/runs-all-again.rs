//! Wrong: lets everything that failed run again.

#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let slips = play::Slips {
        runs_all_again: true,
        ..play::Slips::default()
    };
    play::play(tools, &slips)
}
