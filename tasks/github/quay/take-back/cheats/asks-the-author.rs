//! Wrong: asks the author of the change, who does not keep the machines.

#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let slips = play::Slips {
        asks_the_author: true,
        ..play::Slips::default()
    };
    play::play(tools, &slips)
}
