//! Reads the notes and the loggers, and writes the two reports.

#[path = "../lab.rs"]
mod lab;
mod play;
mod rules;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    play::play(tools, &rules::Slips::default())
}
