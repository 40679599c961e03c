//! Wrong: asks those as well who have reviewed already.

#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let slips = play::Slips {
        asks_again: true,
        ..play::Slips::default()
    };
    play::play(tools, &slips)
}
