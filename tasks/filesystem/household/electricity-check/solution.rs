//! Reads readings, tariff, credits and bills, writes the comparison.

use mcpmark_guest::Tools;

mod playing;
mod reckoning;

use reckoning::Oversights;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    playing::check(tools, Oversights::default())
}
