//! Wrong: takes whole files from main.

#[path = "../patch.rs"]
mod patch;
#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    play::play(
        tools,
        &play::Slips {
            copies_files: true,
            ..Default::default()
        },
    )
}
