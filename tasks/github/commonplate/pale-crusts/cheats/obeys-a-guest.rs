//! Wrong: leaves the tart pale for somebody who did not write it.

#[path = "../../book.rs"]
mod book;
#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let slips = play::Slips {
        obeys_a_guest: true,
        ..play::Slips::default()
    };
    play::play(tools, &slips)
}
