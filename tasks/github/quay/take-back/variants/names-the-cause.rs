//! Right: gives the incident what `docs/incidents.md` says of one that a change caused.

#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let slips = play::Slips {
        names_the_cause: true,
        ..play::Slips::default()
    };
    play::play(tools, &slips)
}
