//! Wrong: takes back what the library does, but not its test.

#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let slips = play::Slips {
        leaves_the_test: true,
        ..play::Slips::default()
    };
    play::play(tools, &slips)
}
