//! Works through notes, registers and batches, and writes the three reports.

mod exports;
#[path = "../lab.rs"]
mod lab;
mod play;
mod report;
mod rules;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    play::play(tools, &rules::Slips::default())
}
