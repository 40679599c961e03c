//! Wrong: takes a change that was altered later for one that was taken back.

#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let slips = play::Slips {
        takes_altered_for_undone: true,
        ..play::Slips::default()
    };
    play::play(tools, &slips)
}
