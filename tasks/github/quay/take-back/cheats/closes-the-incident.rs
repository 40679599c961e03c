//! Wrong: takes the incident for settled before anything is on main.

#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let slips = play::Slips {
        closes_the_incident: true,
        ..play::Slips::default()
    };
    play::play(tools, &slips)
}
