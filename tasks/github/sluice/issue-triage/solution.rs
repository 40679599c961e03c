//! Reads the rules and the open issues, labels and closes, writes the report.

mod play;
mod rules;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    play::play(tools, &rules::Slips::default())
}
