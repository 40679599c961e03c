//! Wrong: takes no tests along.

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
            leaves_tests: true,
            ..Default::default()
        },
    )
}
