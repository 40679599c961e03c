//! Right: finds the incident by a search, and edits the file by itself.

#[path = "../play.rs"]
mod play;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let slips = play::Slips {
        edits_the_file: true,
        ..play::Slips::default()
    };
    play::play(tools, &slips)
}
