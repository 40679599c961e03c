//! Wrong: counts a shift of the sheet that is on the tablet too.

#[path = "../adding.rs"]
mod adding;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let rules = adding::Rules {
        drop_signed_in: false,
        ..adding::RIGHT
    };
    adding::play(tools, &rules)
}
