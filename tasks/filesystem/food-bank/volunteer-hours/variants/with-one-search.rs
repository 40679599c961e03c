//! Searches for the files on hours, and reads them with one call.

#[path = "../adding.rs"]
mod adding;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    let rules = adding::Rules {
        manner: adding::Manner::SearchAndReadMany,
        ..adding::RIGHT
    };
    adding::play(tools, &rules)
}
