//! Reads the rules and the export, writes the copy and the counts.

mod playing;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    playing::play(tools, &playing::rules::Oversights::default())
}
