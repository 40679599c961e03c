//! Wrong: takes the file as the old branch has it.

#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let slips = play::Slips {
        copies_file: true,
        ..play::Slips::default()
    };
    play::play(tools, &slips)
}
