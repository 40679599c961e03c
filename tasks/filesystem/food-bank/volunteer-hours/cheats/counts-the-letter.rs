//! Wrong: counts a shift that is only in a letter.

#[path = "../adding.rs"]
mod adding;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let rules = adding::Rules {
        ignores_letters: false,
        ..adding::RIGHT
    };
    adding::play(tools, &rules)
}
