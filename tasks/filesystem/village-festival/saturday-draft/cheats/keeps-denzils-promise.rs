//! Wrong: gives Grist the hour that Denzil promised.

#[path = "../planning.rs"]
mod planning;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    planning::plan(
        tools,
        &planning::Oversights {
            keeps_denzils_promise: true,
            ..Default::default()
        },
    )
}
