//! Reads many files with one call, and writes the running order as a whole.

#[path = "../planning.rs"]
mod planning;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    planning::plan(
        tools,
        &planning::Oversights {
            manner: planning::Manner::WritesTheWhole,
            ..Default::default()
        },
    )
}
