//! Wrong: counts training of the whole month.

#[path = "../adding.rs"]
mod adding;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let rules = adding::Rules {
        training_from: 1,
        ..adding::RIGHT
    };
    adding::play(tools, &rules)
}
