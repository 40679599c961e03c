//! Wrong: counts lines that were exported twice.

#[path = "../adding.rs"]
mod adding;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let rules = adding::Rules {
        drop_repeats: false,
        ..adding::RIGHT
    };
    adding::play(tools, &rules)
}
