//! Wrong: counts lines of the sheet that nobody has confirmed.

#[path = "../adding.rs"]
mod adding;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let rules = adding::Rules {
        needs_initials: false,
        ..adding::RIGHT
    };
    adding::play(tools, &rules)
}
