//! Reads the minutes, the letters and the riders, works out Saturday, writes both documents.

use mcpmark_guest::Tools;

mod planning;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    planning::plan(tools, &planning::Oversights::default())
}
