//! Wrong: lists people without a shift.

#[path = "../adding.rs"]
mod adding;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let rules = adding::Rules {
        leaves_out_idle: false,
        ..adding::RIGHT
    };
    adding::play(tools, &rules)
}
