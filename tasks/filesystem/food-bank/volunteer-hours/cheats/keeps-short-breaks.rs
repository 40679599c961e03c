//! Wrong: takes the proposal on short breaks for a decision.

#[path = "../adding.rs"]
mod adding;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let rules = adding::Rules {
        shortest_break: 16,
        ..adding::RIGHT
    };
    adding::play(tools, &rules)
}
