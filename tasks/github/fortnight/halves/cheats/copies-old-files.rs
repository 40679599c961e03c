//! Wrong: puts the files back as they were before, with all that was done since.

#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let slips = play::Slips {
        copies_old_files: true,
        ..play::Slips::default()
    };
    play::play(tools, &slips)
}
