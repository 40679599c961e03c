//! Names the minutes of the contract of Under the Scar, and not those agreed to later.

#[path = "../planning.rs"]
mod planning;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    planning::plan(
        tools,
        &planning::Oversights {
            manner: planning::Manner::NamesTheContract,
            ..Default::default()
        },
    )
}
