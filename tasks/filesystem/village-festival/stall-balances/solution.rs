//! Reads the rules and the lists, reckons, writes the two files.

use mcpmark_guest::Tools;

mod reckoning;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    reckoning::reckon(tools, &reckoning::Oversights::default())
}
