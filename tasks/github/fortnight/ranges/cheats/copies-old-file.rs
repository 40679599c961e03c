//! Wrong: takes the files as the old branch has them, and renames what they say.

#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let slips = play::Slips {
        copies_old_file: true,
        ..play::Slips::default()
    };
    play::play(tools, &slips)
}
