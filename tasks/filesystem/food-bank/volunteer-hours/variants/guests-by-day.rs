//! Lists the guests in the order of their shifts.

#[path = "../adding.rs"]
mod adding;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let rules = adding::Rules {
        manner: adding::Manner::GuestsByDay,
        ..adding::RIGHT
    };
    adding::play(tools, &rules)
}
