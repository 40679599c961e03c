//! Right: writes the report first, then begins with the newest.

#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let slips = play::Slips {
        report_first: true,
        ..play::Slips::default()
    };
    play::play(tools, &slips)
}
