//! Right: begins with the newest, and asks before it labels.

#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let slips = play::Slips {
        newest_first: true,
        ..play::Slips::default()
    };
    play::play(tools, &slips)
}
