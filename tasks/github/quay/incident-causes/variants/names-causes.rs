//! Right: names the cause on each incident.

#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let slips = play::Slips {
        names_causes: true,
        ..play::Slips::default()
    };
    play::play(tools, &slips)
}
