//! Lets the last set end at 22:30 as `stages.md` has it, though this year's licence says 22:15.

use mcpmark_guest::Tools;

#[path = "../planning.rs"]
mod planning;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    planning::plan(
        tools,
        &planning::Oversights {
            overlooks_the_licence: true,
            ..Default::default()
        },
    )
}
