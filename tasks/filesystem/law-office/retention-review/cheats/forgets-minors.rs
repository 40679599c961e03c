//! Ends the period of a client who was a minor like any other.

#[path = "../../office.rs"]
mod office;
#[path = "../playing.rs"]
mod playing;
#[path = "../reviewing.rs"]
mod reviewing;

use mcpmark_guest::Tools;
use reviewing::Rules;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let rules = Rules {
        protect_minors: false,
        ..Rules::ALL
    };
    playing::play(tools, rules)
}
