//! Wrong: writes about a fee into the note.

#[path = "../planning.rs"]
mod planning;

use mcpmark_guest::Tools;

mcpmark_guest::solution!(solve);

fn solve(tools: &mut Tools) -> String {
    planning::plan(
        tools,
        &planning::Oversights {
            tells_the_fee: true,
            ..Default::default()
        },
    )
}
