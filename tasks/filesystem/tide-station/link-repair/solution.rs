//! Reads every page, mends what is broken, writes the report.

mod playing;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    playing::play(tools, &playing::rules::Oversights::default())
}
