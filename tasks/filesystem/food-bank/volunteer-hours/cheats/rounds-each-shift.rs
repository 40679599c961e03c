//! Wrong: rounds each shift and adds up the rounded hours.

#[path = "../adding.rs"]
mod adding;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let rules = adding::Rules {
        round_at_the_end: false,
        ..adding::RIGHT
    };
    adding::play(tools, &rules)
}
