//! Adds up every line of the bank's export, the repeated ones too.

use mcpmark_guest::Tools;

#[path = "../reckoning.rs"]
mod reckoning;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let oversights = reckoning::Oversights {
        counts_repeats: true,
        ..Default::default()
    };
    reckoning::reckon(tools, &oversights)
}
