//! Wrong: writes no note for Maud.

#[path = "../planning.rs"]
mod planning;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    planning::plan(
        tools,
        &planning::Oversights {
            forgets_the_note: true,
            ..Default::default()
        },
    )
}
